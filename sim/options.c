#include "sim/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/memory.h"
#include "sim/common/options.h"

static bool read_dialects(const struct option_row *row, const char *text, void *into)
{
    struct options *options = into;
    while (*text) {
        size_t length = strcspn(text, ",");
        char name[32];
        enum dialect dialect;
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        if (!dialect_from_name(bytes_of_string(name), &dialect)) {
            return option_wrong(row->name, name, "v1_9, v1_12, v1alpha2 or v1");
        }
        options->served[dialect] = true;
        text += length + (text[length] == ',');
    }
    return true;
}

static bool read_mode(const struct option_row *row, const char *text, void *into)
{
    struct options *options = into;
    char *end = NULL;
    unsigned long mode = strtoul(text, &end, 8);
    if (!*text || *text == '-' || *end || mode > 0777) {
        return option_wrong(row->name, text, "a number");
    }
    options->mode = (mode_t)mode;
    options->mode_set = true;
    return true;
}

static bool read_handler(const struct option_row *row, const char *name, void *into)
{
    (void)row;
    struct simulation_settings *settings = &((struct options *)into)->settings;
    const char **handlers = sim_grown((void *)settings->handlers, settings->handler_count, sizeof *handlers);
    handlers[settings->handler_count++] = name;
    settings->handlers = handlers;
    return true;
}

static bool read_rule(const struct option_row *row, const char *text, void *into)
{
    struct options *options = into;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)rule_method_length(text), text);
    const struct method *method = method_by_name(name);
    if (!method) {
        return option_wrong(row->name, name, "the name of an RPC, such as ListContainers");
    }
    return rules_add(&options->rules, row, method, text);
}

#define FLAG(member) OPTION_FLAG(struct options, member)
#define TEXT(member) OPTION_TEXT(struct options, member)
#define NUMBER(member) OPTION_UNSIGNED(struct options, member)
#define RULE(kind, form) .read = read_rule, .target = kind, .value = form

static const struct option_row rows[] = {
    {"listen", "unix:///PATH", "socket to serve on", OPTION_ADDRESS(struct options, listen)},
    {"image-listen", "unix:///PATH", "serve the image service there instead", OPTION_ADDRESS(struct options, image_listen)},
    {"unix-mode", "MODE", "octal mode of the sockets", .read = read_mode},
    {"api", "DIALECT,...", "the dialects to speak: v1_9, v1_12, v1alpha2, v1", .read = read_dialects},
    {"name", "NAME", "runtime name (crisim)", TEXT(settings.name)},
    {"runtime-version", "VERSION", "runtime version", TEXT(settings.version)},
    {"handler", "NAME", "a RuntimeClass handler besides the default; may be repeated", .read = read_handler},
    {"containers", "N", "start with N running containers, three to a pod", NUMBER(containers)},
    {"images", "N", "start with N images", NUMBER(images)},
    {"image-fs-uuid", "UUID", "the filesystem that holds images, as v1_9 names it", TEXT(settings.image_filesystem_uuid)},
    {"image-fs-mountpoint", "PATH", "the same, as later dialects name it", TEXT(settings.image_filesystem_mountpoint)},
    {"stream-url-style", "STYLE", "URLs of Exec, Attach, PortForward: full, host or path",
     OPTION_WORD(struct options, settings.stream_url_style, "full host path")},
    {"stream-port", "PORT", "in those URLs (10010)", NUMBER(settings.stream_port)},
    {"status-config", "JSON", "what the verbose status has under `config`; \"\" for no info at all",
     TEXT(settings.status_config)},
    {"verbose-info", "FORM", "what verbose statuses of pods and containers contain: plain, containerd, crio, none",
     OPTION_WORD(struct options, settings.verbose_info, "plain containerd crio none")},
    {"unpinned", NULL, "do not report which images are pinned", FLAG(settings.unpinned)},
    {"no-features", NULL, "report no features of handlers and of the runtime in Status", FLAG(settings.no_features)},
    {"digest-references", NULL, "refer to images by a repository digest instead of their id", FLAG(settings.digest_references)},
    {"errors-without-codes", NULL, "fail with UNKNOWN only, also when asked to stop what does not exist",
     FLAG(settings.errors_without_codes)},
    {"signature-policy", NULL, "refuse containers without a valid user_specified_image", FLAG(settings.signature_policy)},
    {"any-image", NULL, "have each image that a container is created from", FLAG(settings.any_image)},
    {"not-implemented", "METHOD", "fail with UNKNOWN \"not implemented\"", RULE(RULE_NOT_IMPLEMENTED, VALUE_NONE)},
    {"latency", "MS", "delay every answer and its effect by this time", NUMBER(latency)},
    {"slow", "METHOD=MS", "delay the effect of the call by this time", RULE(RULE_SLOW, VALUE_NUMBER)},
    {"hold", "METHOD=FILE", "delay the effect of the call until there is such a file", RULE(RULE_HOLD, VALUE_FILE)},
    {"late", "MS", "from SIGUSR1 until SIGUSR2, delay answers by this time", NUMBER(lateness)},
    {"fail", "METHOD=CODE[:COUNT]", "fail with that gRPC code, COUNT times or always", RULE(RULE_FAIL, VALUE_FAILURE)},
    {"fail-text", "TEXT", "the message of those failures", TEXT(fail_text)},
    {"hang", "METHOD", "never answer", RULE(RULE_HANG, VALUE_NONE)},
    {"garbage", "METHOD", "answer with bytes that are not a message", RULE(RULE_GARBAGE, VALUE_NONE)},
    {"oversize", "METHOD=BYTES", "pad the answer to about this size", RULE(RULE_OVERSIZE, VALUE_NUMBER)},
    {"append", "METHOD=HEX[*TIMES]", "append these bytes to the answer, TIMES times", RULE(RULE_APPEND, VALUE_APPENDIX)},
    {"break", "METHOD=MESSAGES:CODE", "fail after this many messages of a streamed list",
     RULE(RULE_BREAK, VALUE_NUMBER_AND_FAILURE)},
    {"stall", "METHOD=MESSAGES", "send nothing more after this many messages", RULE(RULE_STALL, VALUE_NUMBER)},
    {"spoil", "METHOD=MESSAGES", "after this many messages, send bytes that are not a message", RULE(RULE_SPOIL, VALUE_NUMBER)},
    {"repeat", "METHOD", "answer a repeated request as the first time, without a further effect", RULE(RULE_REPEAT, VALUE_NONE)},
    {"vary", "METHOD", "change the last character of each answer", RULE(RULE_VARY, VALUE_NONE)},
    {"shuffle", "METHOD", "change the order of list items and labels each time, as containerd does",
     RULE(RULE_SHUFFLE, VALUE_NONE)},
    {"events-rate", "N", "make up this many events a second", NUMBER(events_rate)},
    {"events-most", "N", "make up no more than this number", NUMBER(events_most)},
    {"no-events", NULL, "end every stream of events at once, with OK", FLAG(no_events)},
    {"keep-events", NULL, "first send each listener all earlier events", FLAG(keep_events)},
    {"bare-events", NULL, "send no container statuses, and no events for created or deleted pods", FLAG(bare_events)},
    {"journal", "FILE", "append a line of JSON for every call", TEXT(journal)},
    {"event-journal", "FILE", "append a line of JSON for every event", TEXT(event_journal)},
    {"state", "FILE",
     "keep pods, containers and images in this file, and start with its content;\n--containers and --images are for the first "
     "start, without a file",
     TEXT(state)},
};

static const struct option_table table = {
    .about = "usage: crisim --listen unix:///PATH --api DIALECT[,DIALECT...] [OPTION...]\n"
             "A container runtime that keeps pods, containers and images in memory only.\n\n",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
};

int options_parse(int argc, char **argv, struct options *options)
{
    *options = (struct options){
        .settings = {.name = "crisim",
                     .version = CRIGATE_VERSION,
                     .image_filesystem_uuid = "9b9a6b0e-3a44-4c1f-8d0e-5c2f6e1a7b30",
                     .image_filesystem_mountpoint = "/var/lib/crisim/images",
                     .stream_port = 10010},
    };
    int status = options_read(&table, argc, argv, options);
    bool any = false;
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        any |= options->served[i];
    }
    if (status < 0 && (!options->listen || !any)) {
        fprintf(stderr, "crisim: --listen and --api are needed; see --help\n");
        return OPTIONS_WRONG;
    }
    return status;
}

void options_clear(struct options *options)
{
    free((void *)options->settings.handlers);
    rules_clear(&options->rules);
}
