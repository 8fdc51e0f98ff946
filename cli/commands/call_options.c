#include "cli/commands/call_options.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/base64.h"
#include "base/options/output.h"
#include "base/system/unix_socket.h"

#define DIALECTS "v1_9 v1_12 v1alpha2 v1"
#define DEFAULT_ENDPOINT "unix:///run/crigate/crigate.sock"
#define DEFAULT_API "v1"
#define DEFAULT_MAX_MESSAGE ((size_t)64 * 1024 * 1024)

enum { ENDPOINT = 256, API, TIMEOUT, METADATA, MAX_MESSAGE, COMPACT, RAW, RAW_REQUEST, NO_MESSAGE, LIST, TEMPLATE };

static const struct option_row rows[] = {
    {ENDPOINT, "endpoint", "unix:///PATH", "where the server listens (" DEFAULT_ENDPOINT ")", COMPLETE_NOTHING, NULL, OPTION_OWN},
    {API, "api", "DIALECT", "v1, v1alpha2, v1_12 or v1_9 (" DEFAULT_API ")", COMPLETE_WORDS, DIALECTS, OPTION_OWN},
    {TIMEOUT, "timeout", "TIME", "give up after this time, such as 10s, 500ms, 2m (never)", COMPLETE_NOTHING, NULL, OPTION_OWN},
    {METADATA, "metadata", "KEY=VALUE", "send this metadata; may be repeated; the value of a key that ends in -bin is base64",
     COMPLETE_NOTHING, NULL, OPTION_OWN},
    {MAX_MESSAGE, "max-message", "SIZE", "the largest response that is accepted, such as 16MiB (64MiB)", COMPLETE_NOTHING, NULL,
     OPTION_OWN},
    {COMPACT, "compact", NULL, "print the response on one line", COMPLETE_NOTHING, NULL,
     OPTION_FLAG(struct call_command_options, compact)},
    {RAW, "raw", NULL, "print the bytes of the response", COMPLETE_NOTHING, NULL, OPTION_FLAG(struct call_command_options, raw)},
    {RAW_REQUEST, "raw-request", "FILE", "send the bytes of that file as the request (- is standard input)", COMPLETE_FILE, NULL,
     OPTION_TEXT(struct call_command_options, raw_request)},
    {NO_MESSAGE, "no-message", NULL, "end the request without sending a message", COMPLETE_NOTHING, NULL,
     OPTION_FLAG(struct call_command_options, no_message)},
    {LIST, "list", NULL, "list the methods of the dialect", COMPLETE_NOTHING, NULL,
     OPTION_FLAG(struct call_command_options, list)},
    {TEMPLATE, "template", NULL, "print an example of the request of METHOD with all its fields", COMPLETE_NOTHING, NULL,
     OPTION_FLAG(struct call_command_options, template)},
    {'h', "help", NULL, "print this and exit", COMPLETE_NOTHING, NULL, OPTION_FLAG(struct call_command_options, help)},
};

const struct command_line call_command_line = {
    .command = "call",
    .synopsis = "crigate call [OPTION]... METHOD [JSON | - | @FILE]\n"
                "crigate call [--api DIALECT] --list\n"
                "crigate call [--api DIALECT] --template METHOD",
    .about =
        "Makes one call to a CRI server and prints the response as JSON. METHOD is a name such as ListContainers or a full path\n"
        "such as /runtime.v1.RuntimeService/ListContainers. The request is JSON, by default {}; - reads it from standard input,\n"
        "@FILE from a file.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .operand = COMPLETE_METHOD,
    .after = "The exit status is 0 for OK, the number of the gRPC status (1 to 16) for any other, which is printed on standard "
             "error,\n"
             "and 64 for wrong arguments.",
};

struct unit {
    const char *name;
    unsigned long long factor;
};

static const struct unit durations[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {NULL, 0}};
static const struct unit sizes[] = {{"", 1}, {"B", 1}, {"KiB", 1ULL << 10}, {"MiB", 1ULL << 20}, {"GiB", 1ULL << 30}, {NULL, 0}};

#define wrong(...) (command_usage_error("call", __VA_ARGS__), false)

/* A whole number above 0 with its unit, up to `largest`. */
static bool read_quantity(const char *text, const struct unit *units, unsigned long long largest, unsigned long long *value)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno || end == text || text[0] == '-' || text[0] == '+' || number == 0) {
        return false;
    }
    for (; units->name; units++) {
        if (strcmp(end, units->name) == 0) {
            *value = number * units->factor;
            return number <= largest / units->factor;
        }
    }
    return false;
}

static bool read_timeout(struct call_command_options *options, const char *text)
{
    unsigned long long milliseconds;
    if (!read_quantity(text, durations, INT32_MAX, &milliseconds)) {
        return wrong("--timeout %s: expected a number with ms, s, m or h, such as 10s", text);
    }
    options->timeout = (unsigned)milliseconds;
    return true;
}

static bool read_max_message(struct call_command_options *options, const char *text)
{
    unsigned long long size;
    if (!read_quantity(text, sizes, INT32_MAX, &size)) {
        return wrong("--max-message %s: expected a size below 2GiB, such as 64MiB", text);
    }
    options->max_message = (size_t)size;
    return true;
}

static bool is_binary(struct bytes key)
{
    return key.len > 4 && memcmp(key.data + key.len - 4, "-bin", 4) == 0;
}

/* Decodes the value of a "-bin" key in place: decoded base64 is shorter. */
static bool decode_in_place(char *text, struct bytes *value)
{
    size_t size;
    uint8_t *decoded = malloc(base64_decoded_bound(value->len));
    bool good = decoded && base64_decode(*value, decoded, &size);
    if (good && size > 0) {
        memcpy(text, decoded, size);
    }
    if (good) {
        value->len = size;
    }
    free(decoded);
    return good;
}

static bool read_metadata(struct call_command_options *options, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals) {
        return wrong("--metadata %s: expected KEY=VALUE", text);
    }
    if (options->metadata_count == CALL_COMMAND_MAX_METADATA) {
        return wrong("--metadata: at most %d entries", CALL_COMMAND_MAX_METADATA);
    }
    struct client_metadata entry = {.key = bytes_of(text, (size_t)(equals - text)), .value = bytes_of_string(equals + 1)};
    if (is_binary(entry.key) && !decode_in_place(equals + 1, &entry.value)) {
        return wrong("--metadata %s: the value of a key that ends in -bin must be base64", text);
    }
    if (!client_metadata_is_legal(&entry)) {
        return wrong("--metadata %s: keys consist of a-z 0-9 - _ . and values are printable", text);
    }
    options->metadata[options->metadata_count++] = entry;
    return true;
}

static bool read_api(struct call_command_options *options, const char *name)
{
    if (dialect_from_name(bytes_of_string(name), &options->api)) {
        return true;
    }
    char known[128] = "";
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", dialects[i].name);
    }
    return wrong("--api %s: expected one of %s", name, known);
}

static bool read_endpoint(struct call_command_options *options, const char *text)
{
    options->endpoint = text;
    return (unix_socket_path(text) != text && *unix_socket_path(text) == '/') ||
           wrong("--endpoint %s: expected a Unix socket, such as %s", text, DEFAULT_ENDPOINT);
}

static bool read_option(struct call_command_options *options, int key, const char *value)
{
    switch (key) {
    case ENDPOINT:
        return read_endpoint(options, value);
    case API:
        return read_api(options, value);
    case TIMEOUT:
        return read_timeout(options, value);
    case METADATA:
        return read_metadata(options, optarg); /* the value, which it may write to */
    case MAX_MESSAGE:
        return read_max_message(options, value);
    default:
        return true;
    }
}

static bool read_options(struct call_command_options *options, int argc, char **argv)
{
    struct options_reader reader;
    const char *value;
    int key;
    options_begin(&reader, &call_command_line, options, argc, argv);
    while ((key = options_next(&reader, &value)) != OPTIONS_END) {
        if (!read_option(options, key, value)) {
            return false;
        }
    }
    return reader.status < 0;
}

static bool read_operands(struct call_command_options *options, int count, char **operands)
{
    if (options->help) {
        return true;
    }
    if (options->list) {
        return count == 0 || wrong("--list takes no METHOD");
    }
    if (count == 0) {
        return wrong("METHOD is missing");
    }
    int most = options->template || options->raw_request || options->no_message ? 1 : 2;
    if (count > most) {
        return wrong("unexpected argument: %s", operands[most]);
    }
    options->method = operands[0];
    options->request = count > 1 ? operands[1] : NULL;
    return true;
}

bool call_command_options_read(struct call_command_options *options, int argc, char **argv)
{
    *options = (struct call_command_options){.endpoint = DEFAULT_ENDPOINT, .max_message = DEFAULT_MAX_MESSAGE};
    return dialect_from_name(bytes_of_string(DEFAULT_API), &options->api) && read_options(options, argc, argv) &&
           read_operands(options, argc - optind, argv + optind);
}
