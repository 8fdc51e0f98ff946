#include "sim/options.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/option_values.h"

static const char help[] =
    "usage: crisim --listen unix:///PATH --api DIALECT[,DIALECT...] [OPTION...]\n"
    "A container runtime that keeps pods, containers and images in memory only.\n"
    "\n"
    "  --listen unix:///PATH         socket to serve on\n"
    "  --image-listen unix:///PATH   serve the image service there instead\n"
    "  --unix-mode MODE              octal mode of the sockets\n"
    "  --api DIALECT,...             the dialects to speak: v1_9, v1_12, v1alpha2, v1\n"
    "  --name NAME                   runtime name (crisim)\n"
    "  --runtime-version VERSION     runtime version\n"
    "  --handler NAME                a RuntimeClass handler besides the default; may be repeated\n"
    "  --containers N                start with N running containers, in a pod for every three\n"
    "  --images N                    start with N images\n"
    "  --image-fs-uuid UUID          the filesystem that holds images, as v1_9 names it\n"
    "  --image-fs-mountpoint PATH    the same, as later dialects name it\n"
    "  --stream-url-style STYLE      URLs of Exec, Attach, PortForward: full, host or path\n"
    "  --stream-port PORT            in those URLs (10010)\n"
    "  --status-config JSON          what the verbose status has under `config`; \"\" for no info at all\n"
    "  --verbose-info FORM           what verbose statuses of pods and containers contain: plain, containerd, crio, none\n"
    "  --unpinned                    do not report which images are pinned\n"
    "  --no-features                 report no features of handlers and of the runtime in Status\n"
    "  --digest-references           refer to images by a repository digest instead of their id\n"
    "  --errors-without-codes        fail with UNKNOWN only, also when asked to stop what does not exist\n"
    "  --signature-policy            refuse containers without a valid user_specified_image\n"
    "  --not-implemented METHOD      fail with UNKNOWN \"not implemented\"\n"
    "  --latency MS                  delay every answer and its effect by this time\n"
    "  --slow METHOD=MS              delay the effect of the call by this time\n"
    "  --hold METHOD=FILE            delay the effect of the call until there is such a file\n"
    "  --late MS                     from SIGUSR1 until SIGUSR2, delay answers by this time\n"
    "  --fail METHOD=CODE[:COUNT]    fail with that gRPC code, COUNT times or always\n"
    "  --fail-text TEXT              the message of those failures\n"
    "  --hang METHOD                 never answer\n"
    "  --garbage METHOD              answer with bytes that are not a message\n"
    "  --oversize METHOD=BYTES       pad the answer to about this size\n"
    "  --append METHOD=HEX[*TIMES]   append these bytes to the answer, TIMES times\n"
    "  --break METHOD=MESSAGES:CODE  fail after this many messages of a streamed list\n"
    "  --stall METHOD=MESSAGES       send nothing more after this many messages\n"
    "  --spoil METHOD=MESSAGES       after this many messages, send bytes that are not a message\n"
    "  --repeat METHOD               answer a repeated request as the first time, without a further effect\n"
    "  --vary METHOD                 change the last character of each answer\n"
    "  --shuffle METHOD              change the order of list items and labels each time, as containerd does\n"
    "  --events-rate N               make up this many events a second\n"
    "  --events-most N               make up no more than this number\n"
    "  --no-events                   end every stream of events at once, with OK\n"
    "  --keep-events                 first send each listener all earlier events\n"
    "  --bare-events                 send no container statuses, and no events for created or deleted pods\n"
    "  --journal FILE                append a line of JSON for every call\n"
    "  --event-journal FILE          append a line of JSON for every event\n"
    "  --state FILE                  keep pods, containers and images in this file, and start with its content;\n"
    "                                --containers and --images are for the first start, without a file\n"
    "  --help, --version\n";

enum option_letter {
    OPTION_LISTEN = 1,
    OPTION_IMAGE_LISTEN,
    OPTION_UNIX_MODE,
    OPTION_API,
    OPTION_NAME,
    OPTION_RUNTIME_VERSION,
    OPTION_HANDLER,
    OPTION_CONTAINERS,
    OPTION_IMAGES,
    OPTION_IMAGE_FS_UUID,
    OPTION_IMAGE_FS_MOUNTPOINT,
    OPTION_STREAM_URL_STYLE,
    OPTION_STREAM_PORT,
    OPTION_STATUS_CONFIG,
    OPTION_VERBOSE_INFO,
    OPTION_UNPINNED,
    OPTION_NO_FEATURES,
    OPTION_DIGEST_REFERENCES,
    OPTION_ERRORS_WITHOUT_CODES,
    OPTION_SIGNATURE_POLICY,
    OPTION_NOT_IMPLEMENTED,
    OPTION_LATENCY,
    OPTION_LATE,
    OPTION_FAIL,
    OPTION_FAIL_TEXT,
    OPTION_HANG,
    OPTION_GARBAGE,
    OPTION_OVERSIZE,
    OPTION_APPEND,
    OPTION_BREAK,
    OPTION_STALL,
    OPTION_SPOIL,
    OPTION_SLOW,
    OPTION_HOLD,
    OPTION_REPEAT,
    OPTION_VARY,
    OPTION_SHUFFLE,
    OPTION_EVENTS_RATE,
    OPTION_EVENTS_MOST,
    OPTION_NO_EVENTS,
    OPTION_KEEP_EVENTS,
    OPTION_BARE_EVENTS,
    OPTION_JOURNAL,
    OPTION_EVENT_JOURNAL,
    OPTION_STATE,
    OPTION_HELP,
    OPTION_VERSION,
};

static const struct option long_options[] = {
    {"listen", required_argument, NULL, OPTION_LISTEN},
    {"image-listen", required_argument, NULL, OPTION_IMAGE_LISTEN},
    {"unix-mode", required_argument, NULL, OPTION_UNIX_MODE},
    {"api", required_argument, NULL, OPTION_API},
    {"name", required_argument, NULL, OPTION_NAME},
    {"runtime-version", required_argument, NULL, OPTION_RUNTIME_VERSION},
    {"handler", required_argument, NULL, OPTION_HANDLER},
    {"containers", required_argument, NULL, OPTION_CONTAINERS},
    {"images", required_argument, NULL, OPTION_IMAGES},
    {"image-fs-uuid", required_argument, NULL, OPTION_IMAGE_FS_UUID},
    {"image-fs-mountpoint", required_argument, NULL, OPTION_IMAGE_FS_MOUNTPOINT},
    {"stream-url-style", required_argument, NULL, OPTION_STREAM_URL_STYLE},
    {"stream-port", required_argument, NULL, OPTION_STREAM_PORT},
    {"status-config", required_argument, NULL, OPTION_STATUS_CONFIG},
    {"verbose-info", required_argument, NULL, OPTION_VERBOSE_INFO},
    {"unpinned", no_argument, NULL, OPTION_UNPINNED},
    {"no-features", no_argument, NULL, OPTION_NO_FEATURES},
    {"digest-references", no_argument, NULL, OPTION_DIGEST_REFERENCES},
    {"errors-without-codes", no_argument, NULL, OPTION_ERRORS_WITHOUT_CODES},
    {"signature-policy", no_argument, NULL, OPTION_SIGNATURE_POLICY},
    {"not-implemented", required_argument, NULL, OPTION_NOT_IMPLEMENTED},
    {"latency", required_argument, NULL, OPTION_LATENCY},
    {"late", required_argument, NULL, OPTION_LATE},
    {"fail", required_argument, NULL, OPTION_FAIL},
    {"fail-text", required_argument, NULL, OPTION_FAIL_TEXT},
    {"hang", required_argument, NULL, OPTION_HANG},
    {"garbage", required_argument, NULL, OPTION_GARBAGE},
    {"oversize", required_argument, NULL, OPTION_OVERSIZE},
    {"append", required_argument, NULL, OPTION_APPEND},
    {"break", required_argument, NULL, OPTION_BREAK},
    {"stall", required_argument, NULL, OPTION_STALL},
    {"spoil", required_argument, NULL, OPTION_SPOIL},
    {"slow", required_argument, NULL, OPTION_SLOW},
    {"hold", required_argument, NULL, OPTION_HOLD},
    {"repeat", required_argument, NULL, OPTION_REPEAT},
    {"vary", required_argument, NULL, OPTION_VARY},
    {"shuffle", required_argument, NULL, OPTION_SHUFFLE},
    {"events-rate", required_argument, NULL, OPTION_EVENTS_RATE},
    {"events-most", required_argument, NULL, OPTION_EVENTS_MOST},
    {"no-events", no_argument, NULL, OPTION_NO_EVENTS},
    {"keep-events", no_argument, NULL, OPTION_KEEP_EVENTS},
    {"bare-events", no_argument, NULL, OPTION_BARE_EVENTS},
    {"journal", required_argument, NULL, OPTION_JOURNAL},
    {"event-journal", required_argument, NULL, OPTION_EVENT_JOURNAL},
    {"state", required_argument, NULL, OPTION_STATE},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static bool parse_dialects(const char *text, bool served[DIALECT_COUNT])
{
    while (*text) {
        size_t length = strcspn(text, ",");
        char name[32];
        enum dialect dialect;
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        if (!dialect_from_name(bytes_of_string(name), &dialect)) {
            return option_wrong("api", name, "v1_9, v1_12, v1alpha2 or v1");
        }
        served[dialect] = true;
        text += length + (text[length] == ',');
    }
    return true;
}

static bool parse_style(const char *text, enum stream_url_style *style)
{
    static const char *const names[] = {[STREAM_URL_FULL] = "full", [STREAM_URL_HOST] = "host", [STREAM_URL_PATH] = "path"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], text) == 0) {
            *style = (enum stream_url_style)i;
            return true;
        }
    }
    return option_wrong("stream-url-style", text, "full, host or path");
}

static bool parse_verbose_info(const char *text, enum verbose_info *form)
{
    static const char *const names[] = {
        [VERBOSE_PLAIN] = "plain", [VERBOSE_CONTAINERD] = "containerd", [VERBOSE_CRIO] = "crio", [VERBOSE_NONE] = "none"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], text) == 0) {
            *form = (enum verbose_info)i;
            return true;
        }
    }
    return option_wrong("verbose-info", text, "plain, containerd, crio or none");
}

static void *grown(void *array, size_t count, size_t size)
{
    array = realloc(array, (count + 1) * size);
    if (!array) {
        abort();
    }
    return array;
}

/* Reads "MESSAGES", or "MESSAGES:CODE" of a stream that breaks. */
static bool parse_midway(const char *option, const char *text, struct method_rule *rule)
{
    char number[32];
    const char *code = strchr(text, ':');
    snprintf(number, sizeof number, "%.*s", (int)strcspn(text, ":"), text);
    if ((rule->kind == RULE_BREAK) != (code != NULL)) {
        return option_wrong(option, text, rule->kind == RULE_BREAK ? "MESSAGES:CODE" : "MESSAGES");
    }
    return option_unsigned(option, number, &rule->messages) &&
           (!code || option_failure("break", code + 1, &rule->code, &rule->times));
}

static bool parse_rule(const char *option, enum rule_kind kind, const char *text, struct options *options)
{
    bool midway = kind == RULE_BREAK || kind == RULE_STALL || kind == RULE_SPOIL;
    bool valued =
        kind == RULE_FAIL || kind == RULE_OVERSIZE || kind == RULE_SLOW || kind == RULE_HOLD || kind == RULE_APPEND || midway;
    const char *value = strchr(text, '=');
    if (valued != (value != NULL)) {
        return option_wrong(option, text, valued ? "METHOD=VALUE" : "METHOD");
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    struct method_rule rule = {.method = method_by_name(name), .kind = kind, .times = -1};
    if (!rule.method) {
        return option_wrong(option, name, "the name of an RPC, such as ListContainers");
    }
    unsigned long bytes = 0;
    if ((kind == RULE_FAIL && !option_failure(option, value + 1, &rule.code, &rule.times)) ||
        (midway && !parse_midway(option, value + 1, &rule)) ||
        (kind == RULE_OVERSIZE && !option_number(option, value + 1, 10, INT_MAX / 2, &bytes)) ||
        (kind == RULE_APPEND && !appendix_parse(option, value + 1, &rule.appendix)) ||
        (kind == RULE_SLOW && !option_unsigned(option, value + 1, &rule.milliseconds))) {
        return false;
    }
    rule.bytes = bytes;
    rule.file = kind == RULE_HOLD ? value + 1 : NULL;
    options->rules = grown(options->rules, options->rule_count, sizeof rule);
    options->rules[options->rule_count++] = rule;
    return true;
}

static bool parse_mode(const char *text, struct options *options)
{
    unsigned long mode;
    if (!option_number("unix-mode", text, 8, 0777, &mode)) {
        return false;
    }
    options->mode = (mode_t)mode;
    options->mode_set = true;
    return true;
}

static bool add_handler(const char *name, struct simulation_settings *settings)
{
    const char **handlers = grown((void *)settings->handlers, settings->handler_count, sizeof *handlers);
    handlers[settings->handler_count++] = name;
    settings->handlers = handlers;
    return true;
}

static bool parse_events(int letter, const char *value, struct options *options)
{
    switch (letter) {
    case OPTION_EVENTS_RATE:
        return option_unsigned("events-rate", value, &options->events_rate);
    case OPTION_EVENTS_MOST:
        return option_unsigned("events-most", value, &options->events_most);
    case OPTION_NO_EVENTS:
        options->no_events = true;
        return true;
    case OPTION_KEEP_EVENTS:
        options->keep_events = true;
        return true;
    case OPTION_BARE_EVENTS:
        options->bare_events = true;
        return true;
    case OPTION_JOURNAL:
        options->journal = value;
        return true;
    case OPTION_EVENT_JOURNAL:
        options->event_journal = value;
        return true;
    case OPTION_STATE:
        options->state = value;
        return true;
    default:
        return false; /* getopt has reported the mistake */
    }
}

static bool parse_behaviour(int letter, const char *value, struct options *options)
{
    switch (letter) {
    case OPTION_LATENCY:
        return option_unsigned("latency", value, &options->latency);
    case OPTION_LATE:
        return option_unsigned("late", value, &options->lateness);
    case OPTION_FAIL:
        return parse_rule("fail", RULE_FAIL, value, options);
    case OPTION_FAIL_TEXT:
        options->fail_text = value;
        return true;
    case OPTION_NOT_IMPLEMENTED:
        return parse_rule("not-implemented", RULE_NOT_IMPLEMENTED, value, options);
    case OPTION_HANG:
        return parse_rule("hang", RULE_HANG, value, options);
    case OPTION_GARBAGE:
        return parse_rule("garbage", RULE_GARBAGE, value, options);
    case OPTION_SLOW:
        return parse_rule("slow", RULE_SLOW, value, options);
    case OPTION_HOLD:
        return parse_rule("hold", RULE_HOLD, value, options);
    case OPTION_REPEAT:
        return parse_rule("repeat", RULE_REPEAT, value, options);
    case OPTION_VARY:
        return parse_rule("vary", RULE_VARY, value, options);
    case OPTION_SHUFFLE:
        return parse_rule("shuffle", RULE_SHUFFLE, value, options);
    case OPTION_OVERSIZE:
        return parse_rule("oversize", RULE_OVERSIZE, value, options);
    case OPTION_APPEND:
        return parse_rule("append", RULE_APPEND, value, options);
    case OPTION_BREAK:
        return parse_rule("break", RULE_BREAK, value, options);
    case OPTION_STALL:
        return parse_rule("stall", RULE_STALL, value, options);
    case OPTION_SPOIL:
        return parse_rule("spoil", RULE_SPOIL, value, options);
    default:
        return parse_events(letter, value, options);
    }
}

/* Options for behaviour in which some runtimes differ. */
static bool parse_manners(int letter, const char *value, struct options *options)
{
    struct simulation_settings *settings = &options->settings;
    switch (letter) {
    case OPTION_STATUS_CONFIG:
        settings->status_config = value;
        return true;
    case OPTION_VERBOSE_INFO:
        return parse_verbose_info(value, &settings->verbose_info);
    case OPTION_UNPINNED:
        settings->unpinned = true;
        return true;
    case OPTION_NO_FEATURES:
        settings->no_features = true;
        return true;
    case OPTION_DIGEST_REFERENCES:
        settings->digest_references = true;
        return true;
    case OPTION_ERRORS_WITHOUT_CODES:
        settings->errors_without_codes = true;
        return true;
    case OPTION_SIGNATURE_POLICY:
        settings->signature_policy = true;
        return true;
    default:
        return parse_behaviour(letter, value, options);
    }
}

static bool parse_settings(int letter, const char *value, struct options *options)
{
    struct simulation_settings *settings = &options->settings;
    switch (letter) {
    case OPTION_NAME:
        settings->name = value;
        return true;
    case OPTION_RUNTIME_VERSION:
        settings->version = value;
        return true;
    case OPTION_HANDLER:
        return add_handler(value, settings);
    case OPTION_IMAGE_FS_UUID:
        settings->image_filesystem_uuid = value;
        return true;
    case OPTION_IMAGE_FS_MOUNTPOINT:
        settings->image_filesystem_mountpoint = value;
        return true;
    case OPTION_STREAM_URL_STYLE:
        return parse_style(value, &settings->stream_url_style);
    case OPTION_STREAM_PORT:
        return option_unsigned("stream-port", value, &settings->stream_port);
    default:
        return parse_manners(letter, value, options);
    }
}

static bool parse_option(int letter, const char *value, struct options *options)
{
    switch (letter) {
    case OPTION_LISTEN:
        return option_address("listen", value, &options->listen);
    case OPTION_IMAGE_LISTEN:
        return option_address("image-listen", value, &options->image_listen);
    case OPTION_UNIX_MODE:
        return parse_mode(value, options);
    case OPTION_API:
        return parse_dialects(value, options->served);
    case OPTION_CONTAINERS:
        return option_unsigned("containers", value, &options->containers);
    case OPTION_IMAGES:
        return option_unsigned("images", value, &options->images);
    default:
        return parse_settings(letter, value, options);
    }
}

static bool check_complete(const struct options *options)
{
    bool any = false;
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        any |= options->served[i];
    }
    if (!options->listen || !any) {
        fprintf(stderr, "crisim: --listen and --api are needed; see --help\n");
        return false;
    }
    return true;
}

enum options_outcome options_parse(int argc, char **argv, struct options *options)
{
    *options = (struct options){
        .settings = {.name = "crisim",
                     .version = CRIGATE_VERSION,
                     .image_filesystem_uuid = "9b9a6b0e-3a44-4c1f-8d0e-5c2f6e1a7b30",
                     .image_filesystem_mountpoint = "/var/lib/crisim/images",
                     .stream_port = 10010},
    };
    int letter;
    while ((letter = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (letter == OPTION_HELP) {
            fputs(help, stdout);
            return OPTIONS_DONE;
        }
        if (letter == OPTION_VERSION) {
            puts("crisim " CRIGATE_VERSION);
            return OPTIONS_DONE;
        }
        if (!parse_option(letter, optarg, options)) {
            return OPTIONS_WRONG;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "crisim: %s: not an option; see --help\n", argv[optind]);
        return OPTIONS_WRONG;
    }
    return check_complete(options) ? OPTIONS_RUN : OPTIONS_WRONG;
}

void options_clear(struct options *options)
{
    free((void *)options->settings.handlers);
    free(options->rules);
}
