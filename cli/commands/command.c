#include "cli/commands/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/log/log.h"
#include "base/options/output.h"
#include "cli/commands/control_query.h"
#include "core/control/protocol.h"

#define DEFAULT_MS (10 * 60 * 1000)
#define LONGEST_MS (INT64_C(24) * 60 * 60 * 1000)

enum { FOR = 300, POD, RUNTIME };

struct log_query {
    struct control_query query;
    const char *duration, *pod, *runtime; /* NULL: not given */
};

static const struct option_row rows[] = {
    {FOR, "for", "DURATION", "how long, such as 30s, 10m or 2h; default 10m, at most 24h", COMPLETE_NOTHING, NULL,
     OPTION_TEXT(struct log_query, duration)},
    {POD, "pod", "UID", "only for calls about the pod with that UID and its containers", COMPLETE_NOTHING, NULL,
     OPTION_TEXT(struct log_query, pod)},
    {RUNTIME, "runtime", "NAME", "only for calls to that runtime", COMPLETE_RUNTIME, NULL,
     OPTION_TEXT(struct log_query, runtime)},
    {OPTION_ROW_OUTPUT(struct control_query, output)},
    {CONTROL_QUERY_CONFIG},
    {CONTROL_QUERY_CONTROL},
    {OPTION_ROW_HELP},
};

const struct command_line log_command_line = {
    .command = "log",
    .synopsis = "crigate log LEVEL [--for DURATION] [--pod UID | --runtime NAME] [OPTION]...\n"
                "crigate log default [OPTION]...\n"
                "crigate log [OPTION]...",
    .about =
        "Temporarily changes how much the running crigate logs: LEVEL is a number from 0 to 5, as for --verbosity. With\n"
        "--pod or --runtime, only for some calls; other lines stay as they are. Then the level that crigate was started\nwith "
        "applies again; \"default\" restores it at once. Without LEVEL, prints the levels. Whatever the level is,\n"
        "secrets are hidden, and values of containers' environments are shown only if crigate was started to do so.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .operand = COMPLETE_WORDS,
    .operand_words = "0 1 2 3 4 5 default",
    .after = "Exit status: 0 done, 1 refused, 2 crigate does not answer, 64 wrong arguments, 77 only root and crigate's\n"
             "user may query it.",
};

/* "90s", "10m", "2h": a number and its unit. */
static bool parse_duration(const char *text, int64_t *milliseconds)
{
    static const char units[] = "smh";
    static const int64_t unit_ms[] = {1000, 60 * 1000, 60 * 60 * 1000};
    size_t digits = strspn(text, "0123456789");
    const char *unit = text[digits] != '\0' && text[digits + 1] == '\0' ? strchr(units, text[digits]) : NULL;
    if (digits == 0 || digits > 6 || !unit) {
        return false;
    }
    *milliseconds = strtol(text, NULL, 10) * unit_ms[unit - units];
    return *milliseconds > 0 && *milliseconds <= LONGEST_MS;
}

/* "log" with the change; false: it does not fit. */
static bool compose_change(const struct log_query *log, int64_t milliseconds, char *line, size_t size)
{
    struct json_object *change = json_object_new_object();
    json_add(change, "level", json_object_new_int(log->query.operand[0] - '0'));
    json_add(change, "milliseconds", json_object_new_int64(milliseconds));
    if (log->pod) {
        json_add(change, "pod", json_object_new_string(log->pod));
    }
    if (log->runtime) {
        json_add(change, "runtime", json_object_new_string(log->runtime));
    }
    size_t length;
    const char *text = json_print(change, JSON_C_TO_STRING_PLAIN, &length);
    bool fits = text && snprintf(line, size, CONTROL_LOG " %s", text) < (int)size - 1;
    json_object_put(change);
    return fits;
}

/* The line to send, without its end. -1, or the exit status. */
static int compose(const struct log_query *log, char *line, size_t size)
{
    const char *level = log->query.operand;
    int64_t milliseconds = DEFAULT_MS;
    if (log->duration && !parse_duration(log->duration, &milliseconds)) {
        return command_usage_error("log", "the duration must be a number with s, m or h, and at most 24h: %s", log->duration);
    }
    bool number = level && level[0] >= '0' + LOG_SILENT && level[0] <= '0' + LOG_LISTS && level[1] == '\0';
    if (level && !number && strcmp(level, CONTROL_LOG_DEFAULT) != 0) {
        return command_usage_error("log", "the level must be a number from 0 to 5, or default: %s", level);
    }
    if (!number && (log->duration || log->pod || log->runtime)) {
        return command_usage_error("log", "--for, --pod and --runtime need a LEVEL");
    }
    if (log->pod && log->runtime) {
        return command_usage_error("log", "use --pod or --runtime, not both");
    }
    if (!number) {
        snprintf(line, size, level ? CONTROL_LOG " " CONTROL_LOG_DEFAULT : CONTROL_LOG);
        return -1;
    }
    return compose_change(log, milliseconds, line, size) ? -1 : command_usage_error("log", "the name is too long");
}

static void print_answer(struct json_object *answer)
{
    struct json_object *level = json_member(answer, "level"), *change = json_member(answer, CONTROL_LOG_CHANGE);
    if (!change) {
        printf("level %d\n", json_object_get_int(level));
        return;
    }
    const char *pod = command_text_member(change, "pod");
    const char *runtime = command_text_member(change, "runtime");
    int64_t seconds = (json_object_get_int64(json_member(change, "milliseconds")) + 999) / 1000;
    printf("level %d for ", json_object_get_int(json_member(change, "level")));
    if (*pod || *runtime) {
        printf("%s ", *pod ? "the pod" : "the runtime");
        command_print_text(*pod ? pod : runtime, stdout);
        printf(" for ");
    }
    printf("%" PRId64 " s, then %d\n", seconds, json_object_get_int(level));
}

int log_command(int argc, char **argv)
{
    struct log_query log = {.query.line = &log_command_line};
    char line[CONTROL_LINE_SIZE];
    int status = control_query_read(&log.query, argc, argv);
    status = status < 0 ? compose(&log, line, sizeof line) : status;
    if (status >= 0) {
        return status;
    }
    struct error error;
    struct json_object *answer = control_query_ask(&log.query, line, &error);
    if (!answer) {
        return control_query_status(&error, EXIT_FAILURE);
    }
    bool printed = true;
    if (log.query.output == COMMAND_OUTPUT_JSON) {
        printed = command_print_json(answer, false);
    } else {
        print_answer(answer);
    }
    json_object_put(answer);
    return printed ? EXIT_SUCCESS : EXIT_FAILURE;
}
