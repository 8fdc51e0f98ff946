#include "sim/hooks/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/memory.h"
#include "sim/common/options.h"

static bool read_rule(const struct option_row *row, const char *text, void *into)
{
    struct hook_options *options = into;
    size_t length = rule_method_length(text);
    const struct hook *hook = hook_by_name(options->schema, bytes_of(text, length));
    if (!hook && !(length == 1 && *text == '*')) {
        return option_wrong(row->name, text, "the name of a hook, such as PreCreateContainer, or *");
    }
    return rules_add(&options->rules, row, hook, text);
}

/* The target says whether the edit removes. */
static bool read_edit(const struct option_row *row, const char *text, void *into)
{
    struct hook_options *options = into;
    struct edit edit;
    if (!edit_parse(options->schema, row->name, text, row->target, &edit)) {
        return false;
    }
    options->edits = sim_grown(options->edits, options->edit_count, sizeof edit);
    options->edits[options->edit_count++] = edit;
    return true;
}

/* The target says whether answers begin empty. */
static bool read_beginning(const struct option_row *row, const char *value, void *into)
{
    (void)value;
    ((struct hook_options *)into)->empty = row->target;
    return true;
}

#define TEXT(member) OPTION_TEXT(struct hook_options, member)
#define RULE(kind, form) .read = read_rule, .target = kind, .value = form

static const struct option_row rows[] = {
    {"listen", "unix:///PATH", "socket to serve on", OPTION_ADDRESS(struct hook_options, listen)},
    {"name", "NAME", "plugin name (hooksim)", TEXT(name)},
    {"journal", "FILE", "append a line of JSON for every call", TEXT(journal)},
    {"write-file", "FOLDER[:FILE]", "when it listens, write the plugin's file there (NAME.json)", TEXT(write_file)},
    {"policy", "POLICY", "failure policy in that file: Fail or Ignore (Ignore)", TEXT(policy)},
    {"hooks", "HOOK,...", "the hooks in that file (all)", TEXT(hooks)},
    {"echo", NULL, "answer with what the request has (the default)", .read = read_beginning, .target = false},
    {"empty", NULL, "answer with an empty message", .read = read_beginning, .target = true},
    {"set", "METHOD:FIELD=VALUE", "set a field of the answer, or an entry of a map: FIELD[KEY]", .read = read_edit,
     .target = false},
    {"remove", "METHOD:FIELD", "remove a field of the answer, or an entry of a map: FIELD[KEY]", .read = read_edit,
     .target = true},
    {"shuffle", NULL, "change the order of the entries of maps each time", OPTION_FLAG(struct hook_options, shuffle)},
    {"delay", "METHOD=MS", "answer after this time", RULE(HOOK_RULE_DELAY, VALUE_NUMBER)},
    {"late", "MS", "from SIGUSR1 until SIGUSR2, delay answers by this time", OPTION_UNSIGNED(struct hook_options, lateness)},
    {"fail", "METHOD=CODE[:COUNT]", "fail with that gRPC code, COUNT times or always", RULE(HOOK_RULE_FAIL, VALUE_FAILURE)},
    {"hang", "METHOD[=COUNT]", "never answer, COUNT times or always", RULE(HOOK_RULE_HANG, VALUE_COUNT_OR_NONE)},
    {"die", "METHOD[=COUNT]", "exit without an answer, after COUNT calls that were answered (0)",
     RULE(HOOK_RULE_DIE, VALUE_NUMBER_OR_NONE)},
    {"garbage", "METHOD[=COUNT]", "answer with bytes that are not a message, COUNT times or always",
     RULE(HOOK_RULE_GARBAGE, VALUE_COUNT_OR_NONE)},
    {"other", "METHOD[=COUNT]", "answer with a message of another type, COUNT times or always",
     RULE(HOOK_RULE_OTHER, VALUE_COUNT_OR_NONE)},
    {"twice", "METHOD[=COUNT]", "put each field and each entry of a map into the answer twice",
     RULE(HOOK_RULE_TWICE, VALUE_COUNT_OR_NONE)},
    {"oversize", "METHOD=BYTES", "pad the answer to about this size", RULE(HOOK_RULE_OVERSIZE, VALUE_NUMBER)},
    {"append", "METHOD=HEX[*TIMES]", "append these bytes to the answer, TIMES times", RULE(HOOK_RULE_APPEND, VALUE_APPENDIX)},
    {"messages", "METHOD=COUNT", "send the answer COUNT times: 0 or 2 break the protocol",
     RULE(HOOK_RULE_MESSAGES, VALUE_NUMBER)},
};

static const struct option_table table = {
    .about = "usage: hooksim --listen unix:///PATH [OPTION...]\n"
             "A plugin for hooks that answers as a test requests.\n\n",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .after =
        "\nMETHOD is the name of a hook (PreCreateContainer), or * for all. FIELD is a field of the answer: annotations[KEY],\n"
        "container_resources.cpu_quota. See docs/hooksim.md.\n",
};

int hook_options_parse(int argc, char **argv, struct hook_options *options)
{
    *options = (struct hook_options){.schema = hook_schema_new(), .name = "hooksim", .policy = "Ignore"};
    int status = options_read(&table, argc, argv, options);
    if (status < 0 && !options->listen) {
        fprintf(stderr, "hooksim: --listen is needed; see --help\n");
        return OPTIONS_WRONG;
    }
    return status;
}

void hook_options_clear(struct hook_options *options)
{
    for (size_t i = 0; i < options->edit_count; i++) {
        edit_clear(&options->edits[i]);
    }
    free(options->edits);
    rules_clear(&options->rules);
    hook_schema_free(options->schema);
}

const struct rule *hook_options_rule(struct hook_options *options, const struct hook *hook, enum hook_rule_kind kind)
{
    return rules_use(&options->rules, hook, kind);
}

bool hook_options_dies(struct hook_options *options, const struct hook *hook)
{
    struct rule *rule = rules_use(&options->rules, hook, HOOK_RULE_DIE);
    if (rule && rule->number > 0) {
        rule->number--;
        return false;
    }
    return rule != NULL;
}
