#include "core/commands/call_options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/commands/output.h"
#include "translate/bytes/base64.h"

#define DEFAULT_ENDPOINT "unix:///run/crigate/crigate.sock"
#define DEFAULT_API "v1"
#define DEFAULT_MAX_MESSAGE ((size_t)64 * 1024 * 1024)

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

static bool read_timeout(struct call_command_options *options, char *text)
{
    unsigned long long milliseconds;
    if (!read_quantity(text, durations, INT32_MAX, &milliseconds)) {
        return wrong("--timeout %s: expected a number with ms, s, m or h, such as 10s", text);
    }
    options->timeout = (unsigned)milliseconds;
    return true;
}

static bool read_max_message(struct call_command_options *options, char *text)
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

static bool read_api(struct call_command_options *options, char *name)
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

static bool read_endpoint(struct call_command_options *options, char *text)
{
    static const char scheme[] = "unix:///";
    options->endpoint = text;
    return strncmp(text, scheme, strlen(scheme)) == 0 ||
           wrong("--endpoint %s: expected a Unix socket, such as %s", text, DEFAULT_ENDPOINT);
}

static bool read_raw_request(struct call_command_options *options, char *file)
{
    options->raw_request = file;
    return true;
}

static const struct {
    const char *name;
    bool (*read)(struct call_command_options *options, char *argument); /* NULL: it has no argument and sets a flag */
    size_t flag;                                                        /* offset of the flag */
} known_options[] = {
    {"endpoint", read_endpoint, 0},
    {"api", read_api, 0},
    {"timeout", read_timeout, 0},
    {"metadata", read_metadata, 0},
    {"max-message", read_max_message, 0},
    {"raw-request", read_raw_request, 0},
    {"compact", NULL, offsetof(struct call_command_options, compact)},
    {"raw", NULL, offsetof(struct call_command_options, raw)},
    {"no-message", NULL, offsetof(struct call_command_options, no_message)},
    {"list", NULL, offsetof(struct call_command_options, list)},
    {"template", NULL, offsetof(struct call_command_options, template)},
    {"help", NULL, offsetof(struct call_command_options, help)},
};
#define KNOWN_OPTIONS (sizeof known_options / sizeof known_options[0])

/* getopt_long's value of the first of them: none of a letter. */
#define FIRST_OPTION 256

static bool read_options(struct call_command_options *options, int argc, char **argv)
{
    struct option all[KNOWN_OPTIONS + 1] = {0};
    for (int i = 0; i < (int)KNOWN_OPTIONS; i++) {
        all[i] = (struct option){known_options[i].name, known_options[i].read != NULL, NULL, FIRST_OPTION + i};
    }
    optind = 0; /* main may have used getopt before */
    int option;
    while ((option = getopt_long(argc, argv, "h", all, NULL)) != -1) {
        if (option == 'h') {
            options->help = true;
        } else if (option < FIRST_OPTION) {
            return wrong("wrong arguments");
        } else if (!known_options[option - FIRST_OPTION].read) {
            *(bool *)((char *)options + known_options[option - FIRST_OPTION].flag) = true;
        } else if (!known_options[option - FIRST_OPTION].read(options, optarg)) {
            return false;
        }
    }
    return true;
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
