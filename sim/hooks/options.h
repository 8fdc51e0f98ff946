/* The command line of the simulated plugin. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sim/common/rules.h"
#include "sim/hooks/edit.h"
#include "sim/hooks/schema.h"

/* Misbehaviour of one hook, or of all, that a test requests. */
enum hook_rule_kind {
    HOOK_RULE_DELAY,    /* answers after `number` milliseconds */
    HOOK_RULE_FAIL,     /* answers with `code` */
    HOOK_RULE_HANG,     /* never answers */
    HOOK_RULE_DIE,      /* ends the process without an answer, after `number` calls */
    HOOK_RULE_GARBAGE,  /* answers with bytes that are not a message */
    HOOK_RULE_OTHER,    /* answers with a message of another type */
    HOOK_RULE_OVERSIZE, /* pads the answer to about `number` bytes */
    HOOK_RULE_TWICE,    /* each field and each entry of a map is in the answer twice */
    HOOK_RULE_APPEND,   /* adds `appendix` to the answer */
    HOOK_RULE_MESSAGES, /* sends the answer `number` times */
};

struct hook_options {
    struct hook_schema *schema;
    const char *listen; /* path of the socket */
    const char *name;
    const char *journal; /* path, or NULL */
    bool empty;          /* answers begin empty, instead of with what the request has */
    bool shuffle;        /* maps are in another order each time */
    unsigned lateness;   /* milliseconds of delay for answers between SIGUSR1 and SIGUSR2 */
    const char *write_file;
    const char *policy;
    const char *hooks; /* names, with commas between; NULL: all */
    struct edit *edits;
    size_t edit_count;
    struct rules rules;
};

/* -1 to go on, else the exit status: something was printed. Strings are borrowed from argv. Call hook_options_clear to free the
   rest, whatever the outcome. */
int hook_options_parse(int argc, char **argv, struct hook_options *options);
void hook_options_clear(struct hook_options *options);

/* The rule of that kind for the hook, or NULL; counts as one use of it. */
const struct rule *hook_options_rule(struct hook_options *options, const struct hook *hook, enum hook_rule_kind kind);

/* Whether the process ends at this call of the hook; counts the call. */
bool hook_options_dies(struct hook_options *options, const struct hook *hook);
