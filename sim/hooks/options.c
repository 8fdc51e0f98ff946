#include "sim/hooks/options.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/option_values.h"

static const char help[] =
    "usage: hooksim --listen unix:///PATH [OPTION...]\n"
    "A plugin for hooks that answers as a test requests.\n"
    "\n"
    "  --listen unix:///PATH         socket to serve on\n"
    "  --name NAME                   plugin name (hooksim)\n"
    "  --journal FILE                append a line of JSON for every call\n"
    "  --write-file FOLDER[:FILE]    when it listens, write the plugin's file there (NAME.json)\n"
    "  --policy POLICY               failure policy in that file: Fail or Ignore (Ignore)\n"
    "  --hooks HOOK,...              the hooks in that file (all)\n"
    "  --echo                        answer with what the request has (the default)\n"
    "  --empty                       answer with an empty message\n"
    "  --set METHOD:FIELD=VALUE      set a field of the answer, or an entry of a map: FIELD[KEY]\n"
    "  --remove METHOD:FIELD         remove a field of the answer, or an entry of a map: FIELD[KEY]\n"
    "  --shuffle                     change the order of the entries of maps each time\n"
    "  --delay METHOD=MS             answer after this time\n"
    "  --late MS                     from SIGUSR1 until SIGUSR2, delay answers by this time\n"
    "  --fail METHOD=CODE[:COUNT]    fail with that gRPC code, COUNT times or always\n"
    "  --hang METHOD[=COUNT]         never answer, COUNT times or always\n"
    "  --die METHOD[=COUNT]          exit without an answer, after COUNT calls that were answered (0)\n"
    "  --garbage METHOD[=COUNT]      answer with bytes that are not a message, COUNT times or always\n"
    "  --other METHOD[=COUNT]        answer with a message of another type, COUNT times or always\n"
    "  --twice METHOD[=COUNT]        put each field and each entry of a map into the answer twice\n"
    "  --oversize METHOD=BYTES       pad the answer to about this size\n"
    "  --append METHOD=HEX[*TIMES]   append these bytes to the answer, TIMES times\n"
    "  --messages METHOD=COUNT       send the answer COUNT times: 0 or 2 break the protocol\n"
    "  --help, --version\n"
    "\n"
    "METHOD is the name of a hook (PreCreateContainer), or * for all. FIELD is a field of the answer: annotations[KEY],\n"
    "container_resources.cpu_quota. See docs/hooksim.md.\n";

enum option_letter {
    OPTION_LISTEN = 1,
    OPTION_NAME,
    OPTION_JOURNAL,
    OPTION_WRITE_FILE,
    OPTION_POLICY,
    OPTION_HOOKS,
    OPTION_ECHO,
    OPTION_EMPTY,
    OPTION_SET,
    OPTION_REMOVE,
    OPTION_SHUFFLE,
    OPTION_LATE,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_RULE, /* and above: plus enum hook_rule_kind */
};

static const struct option long_options[] = {
    {"listen", required_argument, NULL, OPTION_LISTEN},
    {"name", required_argument, NULL, OPTION_NAME},
    {"journal", required_argument, NULL, OPTION_JOURNAL},
    {"write-file", required_argument, NULL, OPTION_WRITE_FILE},
    {"policy", required_argument, NULL, OPTION_POLICY},
    {"hooks", required_argument, NULL, OPTION_HOOKS},
    {"echo", no_argument, NULL, OPTION_ECHO},
    {"empty", no_argument, NULL, OPTION_EMPTY},
    {"set", required_argument, NULL, OPTION_SET},
    {"remove", required_argument, NULL, OPTION_REMOVE},
    {"shuffle", no_argument, NULL, OPTION_SHUFFLE},
    {"late", required_argument, NULL, OPTION_LATE},
    {"delay", required_argument, NULL, (int)OPTION_RULE + HOOK_RULE_DELAY},
    {"fail", required_argument, NULL, (int)OPTION_RULE + HOOK_RULE_FAIL},
    {"hang", required_argument, NULL, (int)OPTION_RULE + HOOK_RULE_HANG},
    {"die", required_argument, NULL, (int)OPTION_RULE + HOOK_RULE_DIE},
    {"garbage", required_argument, NULL, (int)OPTION_RULE + HOOK_RULE_GARBAGE},
    {"other", required_argument, NULL, (int)OPTION_RULE + HOOK_RULE_OTHER},
    {"oversize", required_argument, NULL, (int)OPTION_RULE + HOOK_RULE_OVERSIZE},
    {"twice", required_argument, NULL, (int)OPTION_RULE + HOOK_RULE_TWICE},
    {"append", required_argument, NULL, (int)OPTION_RULE + HOOK_RULE_APPEND},
    {"messages", required_argument, NULL, (int)OPTION_RULE + HOOK_RULE_MESSAGES},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static void *grown(void *array, size_t count, size_t size)
{
    array = realloc(array, (count + 1) * size);
    if (!array) {
        abort();
    }
    return array;
}

/* Reads what follows METHOD=, or NULL for no value. */
static bool parse_value(const char *option, const char *value, struct hook_rule *rule)
{
    unsigned times;
    switch (rule->kind) {
    case HOOK_RULE_FAIL:
        return option_failure(option, value, &rule->code, &rule->times);
    case HOOK_RULE_APPEND:
        return appendix_parse(option, value, &rule->appendix);
    case HOOK_RULE_DELAY:
    case HOOK_RULE_OVERSIZE:
    case HOOK_RULE_MESSAGES:
        return option_unsigned(option, value, &rule->number);
    case HOOK_RULE_DIE:
        return !value || option_unsigned(option, value, &rule->number);
    case HOOK_RULE_HANG:
    case HOOK_RULE_GARBAGE:
    case HOOK_RULE_OTHER:
    case HOOK_RULE_TWICE:
        if (value && !option_unsigned(option, value, &times)) {
            return false;
        }
        rule->times = value ? (long)times : -1;
        return true;
    }
    return false;
}

static bool needs_value(enum hook_rule_kind kind)
{
    return kind == HOOK_RULE_FAIL || kind == HOOK_RULE_APPEND || kind == HOOK_RULE_DELAY || kind == HOOK_RULE_OVERSIZE ||
           kind == HOOK_RULE_MESSAGES;
}

static bool parse_rule(const char *option, enum hook_rule_kind kind, const char *text, struct hook_options *options)
{
    size_t length = strcspn(text, "=");
    struct hook_rule rule = {.kind = kind, .times = -1, .hook = hook_by_name(options->schema, bytes_of(text, length))};
    if (!rule.hook && !(length == 1 && *text == '*')) {
        return option_wrong(option, text, "the name of a hook, such as PreCreateContainer, or *");
    }
    if (!text[length] && needs_value(kind)) {
        return option_wrong(option, text, "METHOD=VALUE");
    }
    if (!parse_value(option, text[length] ? text + length + 1 : NULL, &rule)) {
        return false;
    }
    options->rules = grown(options->rules, options->rule_count, sizeof rule);
    options->rules[options->rule_count++] = rule;
    return true;
}

static bool add_edit(const char *option, const char *text, bool removes, struct hook_options *options)
{
    struct edit edit;
    if (!edit_parse(options->schema, option, text, removes, &edit)) {
        return false;
    }
    options->edits = grown(options->edits, options->edit_count, sizeof edit);
    options->edits[options->edit_count++] = edit;
    return true;
}

static bool parse_behaviour(int letter, const char *option, const char *value, struct hook_options *options)
{
    switch (letter) {
    case OPTION_ECHO:
    case OPTION_EMPTY:
        options->empty = letter == OPTION_EMPTY;
        return true;
    case OPTION_SHUFFLE:
        options->shuffle = true;
        return true;
    case OPTION_SET:
    case OPTION_REMOVE:
        return add_edit(option, value, letter == OPTION_REMOVE, options);
    case OPTION_LATE:
        return option_unsigned(option, value, &options->lateness);
    default:
        return letter >= OPTION_RULE && parse_rule(option, (enum hook_rule_kind)(letter - OPTION_RULE), value, options);
    }
}

static bool parse_option(int letter, const char *option, const char *value, struct hook_options *options)
{
    switch (letter) {
    case OPTION_LISTEN:
        return option_address(option, value, &options->listen);
    case OPTION_NAME:
        options->name = value;
        return true;
    case OPTION_JOURNAL:
        options->journal = value;
        return true;
    case OPTION_WRITE_FILE:
        options->write_file = value;
        return true;
    case OPTION_POLICY:
        options->policy = value;
        return true;
    case OPTION_HOOKS:
        options->hooks = value;
        return true;
    default:
        return parse_behaviour(letter, option, value, options);
    }
}

enum hook_options_outcome hook_options_parse(int argc, char **argv, struct hook_options *options)
{
    *options = (struct hook_options){.schema = hook_schema_new(), .name = "hooksim", .policy = "Ignore"};
    int letter, index = 0;
    while ((letter = getopt_long(argc, argv, "", long_options, &index)) != -1) {
        if (letter == OPTION_HELP) {
            fputs(help, stdout);
            return HOOK_OPTIONS_DONE;
        }
        if (letter == OPTION_VERSION) {
            puts("hooksim " CRIGATE_VERSION);
            return HOOK_OPTIONS_DONE;
        }
        /* getopt has reported an option that does not exist. */
        if (letter == '?' || !parse_option(letter, long_options[index].name, optarg, options)) {
            return HOOK_OPTIONS_WRONG;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "hooksim: %s: not an option; see --help\n", argv[optind]);
        return HOOK_OPTIONS_WRONG;
    }
    if (!options->listen) {
        fprintf(stderr, "hooksim: --listen is needed; see --help\n");
        return HOOK_OPTIONS_WRONG;
    }
    return HOOK_OPTIONS_RUN;
}

void hook_options_clear(struct hook_options *options)
{
    for (size_t i = 0; i < options->edit_count; i++) {
        edit_clear(&options->edits[i]);
    }
    free(options->edits);
    free(options->rules);
    hook_schema_free(options->schema);
}

static struct hook_rule *find_rule(struct hook_options *options, const struct hook *hook, enum hook_rule_kind kind)
{
    for (size_t i = 0; i < options->rule_count; i++) {
        struct hook_rule *rule = &options->rules[i];
        if ((!rule->hook || rule->hook == hook) && rule->kind == kind && rule->times != 0) {
            return rule;
        }
    }
    return NULL;
}

const struct hook_rule *hook_options_rule(struct hook_options *options, const struct hook *hook, enum hook_rule_kind kind)
{
    struct hook_rule *rule = find_rule(options, hook, kind);
    if (rule && rule->times > 0) {
        rule->times--;
    }
    return rule;
}

bool hook_options_dies(struct hook_options *options, const struct hook *hook)
{
    struct hook_rule *rule = find_rule(options, hook, HOOK_RULE_DIE);
    if (rule && rule->number > 0) {
        rule->number--;
        return false;
    }
    return rule != NULL;
}
