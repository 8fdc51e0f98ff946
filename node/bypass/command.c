#include "node/bypass/command.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/options/output.h"
#include "base/system/descriptor.h"
#include "base/system/interrupt.h"
#include "core/map/load.h"
#include "node/bypass/find.h"
#include "node/bypass/run.h"
#include "node/deploy/bypass.h"
#include "node/deploy/node_lock.h"
#include "node/install/progress.h"

#define MEMORY ((size_t)256 << 20)

struct options {
    const char *verb;
    struct bypass_wish wish;
    bool force;
};

static const struct option_row rows[] = {
    {'f', "force", NULL, "even if the kubelet would stop or lose pods", COMPLETE_NOTHING, NULL,
     OPTION_FLAG(struct options, force)},
    {'r', "runtime", "NAME", "where the path leads: to a runtime of the map, or a socket\n(default: the primary)",
     COMPLETE_RUNTIME, NULL, OPTION_TEXT(struct options, wish.runtime)},
    {'c', "config", "FILE", "the runtime map (default " RUNTIME_MAP_DEFAULT_PATH ")", COMPLETE_FILE, NULL,
     OPTION_TEXT(struct options, wish.config)},
    {OPTION_ROW_HELP},
};

const struct command_line bypass_command_line = {
    .command = "bypass",
    .synopsis = "crigate bypass on [--force] [--runtime NAME|SOCKET] [--config FILE]\n"
                "crigate bypass off [--config FILE]\n"
                "crigate bypass status",
    .about = "For when crigate itself is the problem: connects the kubelet's socket directly to the runtime and stops "
             "crigate,\nor undoes that. The kubelet's files are not changed. A bypass survives a reboot. on and off need root.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .operand = COMPLETE_WORDS,
    .operand_words = "on off status",
    .after = "Exit status: 0 done, or, for status, no bypass is on; 1 done, but with problems, or, for status, a bypass is on;\n "
             "2 not possible: nothing was changed; 64 wrong arguments.",
};

/* ---- status ---- */

static int print_status(void)
{
    struct bypass_record record;
    if (!bypass_record_find(&record)) {
        puts("off");
        return BYPASS_GOOD;
    }
    if (!record.readable) {
        printf("on, but " BYPASS_RECORD_PATH " cannot be read: crigate bypass off, or on, repairs it\n");
        return BYPASS_DOUBTFUL;
    }
    enum bypass_link link = bypass_link_look(record.link, record.target);
    printf("on since %s: %s leads to %s%s\n", record.since[0] ? record.since : "an unknown time", record.link, record.target,
           record.until_reboot ? ", until the node reboots; run crigate bypass on again to make it permanent" : "");
    if (link != BYPASS_LINK_THERE) {
        printf("but at %s there is %s: crigate bypass on, or off, repairs it\n", record.link,
               link == BYPASS_LINK_NOTHING     ? "nothing"
               : link == BYPASS_LINK_ELSEWHERE ? "a link to something else"
                                               : "no link");
    }
    return BYPASS_DOUBTFUL;
}

/* ---- on ---- */

static void print_judgement(const struct bypass_judgement *judgement, bool force)
{
    for (size_t i = 0; i < judgement->refusal_count; i++) {
        if (force) {
            progress_say("warning: %s", judgement->refusals[i]);
        } else {
            progress_problem("%s", judgement->refusals[i]);
        }
    }
    for (size_t i = 0; i < judgement->warning_count; i++) {
        progress_say("warning: %s", judgement->warnings[i]);
    }
    if (judgement->refusal_count > 0 && !force) {
        progress_problem(judgement->vain ? "nothing was changed" : "nothing was changed; use --force to do it anyway");
    }
}

static void fill_record(const struct bypass_facts *facts, struct bypass_record *record)
{
    struct tm utc;
    time_t now = time(NULL);
    if (!record->readable || !record->since[0]) {
        gmtime_r(&now, &utc);
        strftime(record->since, sizeof record->since, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    snprintf(record->link, sizeof record->link, "%s", facts->link);
    snprintf(record->target, sizeof record->target, "%s", facts->target);
    record->readable = true;
}

/* A bypass that is already on was judged before: now it only has to be finished. */
static bool is_same(const struct bypass_record *before, const struct bypass_facts *facts)
{
    return before->readable && strcmp(before->link, facts->link) == 0 && strcmp(before->target, facts->target) == 0;
}

static int run_on(const struct options *options, struct arena *arena)
{
    struct error error = {0};
    struct bypass_record record;
    struct bypass_found *found = arena_zalloc(arena, sizeof *found);
    struct bypass_judgement *judgement = arena_zalloc(arena, sizeof *judgement);
    bool was_on = bypass_record_find(&record);
    if (!found || !judgement) {
        progress_problem("out of memory");
        return BYPASS_IMPOSSIBLE;
    }
    if (!bypass_find(&options->wish, was_on ? &record : NULL, arena, found, &error)) {
        progress_problem("%s", error.message);
        return BYPASS_IMPOSSIBLE;
    }
    bypass_judge(&found->facts, arena, judgement);
    bool force = options->force || is_same(&record, &found->facts);
    print_judgement(judgement, force);
    if (judgement->refusal_count > 0 && !force) {
        return BYPASS_IMPOSSIBLE;
    }
    fill_record(&found->facts, &record);
    enum bypass_result status = bypass_run_on(found, &record, arena);
    if (status != BYPASS_IMPOSSIBLE) {
        progress_say("crigate is bypassed. To end the bypass: crigate bypass off");
    }
    bool clean = judgement->refusal_count + judgement->warning_count == 0;
    return (int)(status == BYPASS_GOOD && !clean ? BYPASS_DOUBTFUL : status);
}

/* ---- off ---- */

static int run_off(const struct options *options, struct arena *arena)
{
    struct bypass_record record;
    if (!bypass_record_find(&record)) {
        record = (struct bypass_record){0};
    }
    return (int)bypass_run_off(options->wish.config, &record, arena);
}

/* ---- the command ---- */

/* -1 to continue, else the exit status. */
static int read_options(struct options *options, int argc, char **argv)
{
    int status = options_read(&bypass_command_line, options, argc, argv, argc);
    if (status >= 0) {
        return status;
    }
    options->verb = optind < argc ? argv[optind] : "";
    bool known = strcmp(options->verb, "on") == 0 || strcmp(options->verb, "off") == 0 || strcmp(options->verb, "status") == 0;
    if (!known) {
        return command_usage_error("bypass", "on, off or status is %s", optind < argc ? "expected" : "missing");
    }
    return options_check_operands(&bypass_command_line, argc, argv, 1);
}

static int change(const struct options *options)
{
    if (geteuid() != 0) {
        progress_problem("only root can do this");
        return BYPASS_IMPOSSIBLE;
    }
    /* A lost terminal or a closed pipe does not leave the node between two states: signals only cut waits short. */
    interrupts_catch();
    struct error error = {0};
    DESCRIPTOR_CLEANUP int lock = node_lock(&error);
    if (lock < 0) {
        progress_problem("%s", error.message);
        return BYPASS_IMPOSSIBLE;
    }
    struct arena *arena = arena_new(MEMORY);
    int status = BYPASS_IMPOSSIBLE;
    if (!arena) {
        progress_problem("out of memory");
    } else {
        status = strcmp(options->verb, "on") == 0 ? run_on(options, arena) : run_off(options, arena);
    }
    arena_unref(arena);
    return status;
}

int bypass_command(int argc, char **argv)
{
    struct options options = {.wish.config = RUNTIME_MAP_DEFAULT_PATH};
    int status = read_options(&options, argc, argv);
    if (status >= 0) {
        return status;
    }
    progress_of("bypass");
    return strcmp(options.verb, "status") == 0 ? print_status() : change(&options);
}
