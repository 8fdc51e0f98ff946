#include "cli/commands/status.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/options/output.h"
#include "cli/commands/control_query.h"
#include "cli/commands/status_table.h"
#include "core/control/bypass_record.h"
#include "core/control/client.h"

/* Like control_query_rows, with one more word. */
static const struct option_row status_rows[CONTROL_QUERY_ROWS] = {
    {'o', "output", "FORMAT", "text (default), json, or prometheus: all metrics", COMPLETE_WORDS, "text json prometheus",
     OPTION_WORD(struct control_query, output, "the output must be text, prometheus or json")},
    {CONTROL_QUERY_CONFIG},
    {CONTROL_QUERY_CONTROL},
    {OPTION_ROW_HELP},
};

const struct command_line status_command_line = {
    .command = "status",
    .synopsis = "crigate status [-o text|json|prometheus] [--config FILE | --control PATH]",
    .about = "Prints the state of the running crigate and its runtimes. One line for each runtime: its CRI version, its state "
             "and since\n"
             "when, the pods that it is known to hold, calls in flight and the age of the oldest, and the age of the lists that "
             "replace\n"
             "its own while it is unavailable. Below, the fields that were lost because the runtime map allows it "
             "(translation), and those\n"
             "that the runtime is known to ignore, with counts; with -o json, also those whose loss is harmless. -o prometheus "
             "prints the\n"
             "metrics as Prometheus reads them, for the textfile collector of node_exporter.",
    .rows = status_rows,
    .row_count = CONTROL_QUERY_ROWS,
    .after =
        "Exit status: 0 well; 1 degraded (a runtime other than the primary is not ready, the only runtime answers late,\n"
        "calls are refused because of a plugin or a limit, or the newest runtime map was refused), or bypassed; 2 down (the\n"
        "primary is not ready, or crigate does not answer); 64 wrong arguments; 77 only root and crigate's user may query it.\n"
        "With -o prometheus: 0 printed, 2 crigate does not answer or standard output failed, 77.",
};

const struct command_line owner_command_line = {
    .command = "owner",
    .synopsis = "crigate owner [-o text|json] [--config FILE | --control PATH] ID",
    .about = "Prints the name of the runtime that holds a pod or a container, or would hold it by the form of its id.",
    .rows = control_query_rows,
    .row_count = CONTROL_QUERY_ROWS,
    .operand = COMPLETE_ID,
    .after =
        "Exit status: 0 known, 1 not known to exist, 2 crigate does not answer, 64 wrong arguments, 77 only root and crigate's\n"
        "user may query it.",
};

const struct command_line reload_command_line = {
    .command = "reload",
    .synopsis = "crigate reload [--config FILE | --control PATH]",
    .about = "Makes the running crigate read its runtime map again, and prints the errors in it.",
    .rows = control_query_rows + 1,
    .row_count = CONTROL_QUERY_ROWS - 1,
    .after =
        "Exit status: 0 the new map is in force, 1 it has errors and the old one stays, 2 crigate does not answer, 64 wrong\n"
        "arguments, 77 only root and crigate's user may query it.",
};

/* ---- status ---- */

/* The role of a primary that is not the default runtime has more behind a comma. */
static bool is_primary(struct json_object *runtime)
{
    const char *role = command_text_member(runtime, "role");
    return strcspn(role, ",") == strlen("primary") && strncmp(role, "primary", strlen("primary")) == 0;
}

/* Whether calls are refused because of plugins. */
static bool plugins_refuse(struct json_object *status)
{
    return json_count(json_member(json_member(status, "hooks"), "refusing")) > 0;
}

static enum health health_of(struct json_object *status)
{
    bool degraded = json_member(status, CONTROL_REFUSED_MAP) || plugins_refuse(status) ||
                    *command_text_member(status, "refusesCalls") || *command_text_member(status, CONTROL_UNREACHABLE);
    enum health health = degraded ? HEALTH_DEGRADED : HEALTH_WELL;
    bool primary_serves = false, lists_fail = false;
    struct json_object *runtimes = json_member(status, "runtimes");
    size_t count = json_count(runtimes);
    for (size_t i = 0; i < count; i++) {
        struct json_object *runtime = json_object_array_get_idx(runtimes, i);
        bool ready = strcmp(command_text_member(runtime, "state"), "ready") == 0;
        bool serves = ready || strcmp(command_text_member(runtime, "state"), "degraded") == 0; /* all but images */
        primary_serves = primary_serves || ((serves || control_flag(runtime, "answersLate")) && is_primary(runtime));
        health = ready ? health : HEALTH_DEGRADED;
        lists_fail = lists_fail || *command_text_member(runtime, "failingList");
    }
    return primary_serves && !lists_fail ? health : HEALTH_DOWN;
}

/* ---- bypass ---- */

/* Whether the node's crigate is bypassed. Other processes of crigate have no bypass. */
static bool is_bypassed(const struct control_query *query, struct bypass_record *record)
{
    bool nodes_own = !query->control && strcmp(query->config, RUNTIME_MAP_DEFAULT_PATH) == 0;
    return nodes_own && bypass_record_find(record);
}

static struct json_object *describe_bypass(const struct bypass_record *record)
{
    struct json_object *object = json_object_new_object();
    json_add(object, "since", json_object_new_string(record->since));
    json_add(object, "link", json_object_new_string(record->link));
    json_add(object, "target", json_object_new_string(record->target));
    return object;
}

static void print_bypass(const struct bypass_record *record)
{
    if (record->readable) {
        printf("bypassed since %s: %s leads to %s; to end the bypass: crigate bypass off\n", record->since, record->link,
               record->target);
    } else {
        puts("bypassed, but " BYPASS_RECORD_PATH " cannot be read; to end the bypass: crigate bypass off");
    }
}

/* Without an answer, which is normal during a bypass: calls pass. false: there is no bypass. */
static bool report_bypass(const struct control_query *query)
{
    struct bypass_record record;
    if (!is_bypassed(query, &record)) {
        return false;
    }
    if (query->output == COMMAND_OUTPUT_JSON) {
        struct json_object *report = json_object_new_object();
        json_add(report, "health", json_object_new_string(health_name(HEALTH_DEGRADED)));
        json_add(report, "bypass", describe_bypass(&record));
        command_print_json(report, false);
        json_object_put(report);
    } else {
        print_bypass(&record);
    }
    return true;
}

/* Returns the health. A bypass comes first: callers then do not talk to crigate. */
static enum health print_answer(const struct control_query *query, struct json_object *answer)
{
    struct json_object *refused = json_member(answer, CONTROL_REFUSED_MAP);
    struct bypass_record record;
    bool bypassed = is_bypassed(query, &record);
    if (bypassed) {
        json_object_object_del(answer, CONTROL_UNREACHABLE); /* the bypass itself has replaced the socket */
    }
    enum health health = bypassed ? HEALTH_DEGRADED : health_of(answer);
    if (query->output == COMMAND_OUTPUT_JSON) {
        json_add(answer, "health", json_object_new_string(health_name(health)));
        if (bypassed) {
            json_add(answer, "bypass", describe_bypass(&record));
        }
        return command_print_json(answer, false) ? health : HEALTH_DOWN;
    }
    if (bypassed) {
        print_bypass(&record);
        putchar('\n');
    }
    status_table_print(answer, stdout);
    if (refused) {
        puts("\nThe newest runtime map was refused; the previous one is in force:");
        command_print_lines(refused, stdout);
    }
    return health;
}

/* The text is crigate's own, with escaped labels; but another process may have answered. */
static int print_metrics(struct control_query *query)
{
    struct error error;
    struct json_object *answer = control_query_ask(query, CONTROL_METRICS, &error);
    if (!answer) {
        return control_query_status(&error, HEALTH_DOWN);
    }
    bool printed = fputs(command_text_member(answer, CONTROL_METRICS), stdout) >= 0 && command_is_printed();
    json_object_put(answer);
    return printed ? HEALTH_WELL : HEALTH_DOWN;
}

int status_command(int argc, char **argv)
{
    struct control_query query = {.line = &status_command_line};
    int status = control_query_read(&query, argc, argv);
    if (status >= 0) {
        return status;
    }
    if (query.output == COMMAND_OUTPUT_PROMETHEUS) {
        return print_metrics(&query);
    }
    struct error error;
    struct json_object *answer = control_query_try(&query, CONTROL_STATUS, &error);
    if (!answer && report_bypass(&query)) {
        return HEALTH_DEGRADED;
    }
    if (!answer) {
        control_query_print_problem(&query, &error);
        return control_query_status(&error, HEALTH_DOWN);
    }
    control_query_name_programs(&query, answer, "callers");
    enum health health = print_answer(&query, answer);
    json_object_put(answer);
    return (int)health;
}

/* ---- owner and reload ---- */

/* An id of the right form may belong to nothing. `absent`: crigate would know of it if it were there. */
static void print_doubt(struct json_object *answer, bool absent)
{
    fflush(stdout); /* the name comes first */
    bool by_prefix = strncmp(command_text_member(answer, "told"), "by the prefix", strlen("by the prefix")) == 0;
    if (absent) {
        fprintf(stderr, "crigate owner: by %s; not known to exist\n", by_prefix ? "its prefix" : "the runtime map");
    } else if (by_prefix && !json_member(answer, "held")) {
        fputs("crigate owner: by its prefix; whether it exists is not known\n", stderr);
    }
}

int owner_command(int argc, char **argv)
{
    struct control_query query = {.line = &owner_command_line};
    int status = control_query_read(&query, argc, argv);
    if (status >= 0) {
        return status;
    }
    char line[CONTROL_LINE_SIZE];
    if (!query.operand || *query.operand == '\0') {
        return command_usage_error(query.command, "an ID is missing");
    }
    if (strpbrk(query.operand, "\r\n") ||
        snprintf(line, sizeof line, CONTROL_OWNER " %s", query.operand) >= (int)sizeof line - 1) {
        return command_usage_error(query.command, "this is not an ID");
    }
    struct error error;
    struct json_object *answer = control_query_ask(&query, line, &error);
    if (!answer) {
        return control_query_status(&error, EXIT_FAILURE);
    }
    struct json_object *held = json_member(answer, "held");
    const char *runtime = command_text_member(answer, "runtime");
    bool absent = held && !json_object_get_boolean(held);
    bool known = *runtime != '\0' && !absent;
    if (query.output == COMMAND_OUTPUT_JSON) {
        known = command_print_json(answer, false) && known;
    } else if (*runtime) {
        puts(runtime);
        print_doubt(answer, absent);
    } else {
        const char *disputed = command_text_member(answer, "disputed");
        fprintf(stderr, "crigate owner: %s%s%s\n", *disputed ? query.operand : "no runtime is known to hold ",
                *disputed ? ": " : "", *disputed ? disputed : query.operand);
    }
    json_object_put(answer);
    return known ? EXIT_SUCCESS : EXIT_FAILURE;
}

int reload_command(int argc, char **argv)
{
    struct control_query query = {.line = &reload_command_line};
    int status = control_query_read(&query, argc, argv);
    if (status >= 0) {
        return status;
    }
    struct error error;
    struct json_object *answer = control_query_ask(&query, CONTROL_RELOAD, &error), *messages = NULL;
    if (!answer) {
        return control_query_status(&error, HEALTH_DOWN);
    }
    bool good = control_flag(answer, CONTROL_RELOADED);
    messages = json_member(answer, CONTROL_MESSAGES);
    command_print_lines(messages, good ? stdout : stderr);
    fprintf(good ? stdout : stderr, good ? "reloaded\n" : "crigate reload: the previous runtime map stays in force\n");
    json_object_put(answer);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
