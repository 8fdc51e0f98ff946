#include "node/preflight/preflight.h"

#include <stdio.h>
#include <sysexits.h>

#include "base/options/output.h"
#include "node/preflight/report.h"

/* Lists are read in memory of their own. */
#define MEMORY ((size_t)64 << 20)

enum { KUBELET = 256, RUNTIME };

struct arguments {
    enum command_output output;
    struct survey_options survey;
    const char *named[RUNTIMES_FOUND_MOST];
};

static const struct option_row rows[] = {
    {OPTION_ROW_OUTPUT(struct arguments, output)},
    {KUBELET, "kubelet", "PID", "the process that is the node's kubelet", COMPLETE_NOTHING, NULL,
     OPTION_PID(struct arguments, survey.kubelet)},
    {RUNTIME, "runtime", "NAME=SOCKET", "also look at the runtime on this socket; may be repeated", COMPLETE_FILE, NULL,
     OPTION_OWN},
    {OPTION_ROW_HELP},
};

const struct command_line preflight_command_line = {
    .command = "preflight",
    .synopsis = "crigate preflight [-o text|json] [--kubelet PID] [--runtime NAME=SOCKET]...",
    .about = "Shows whether crigate can be installed on this node: the kubelet and where its settings come from, the container "
             "runtimes,\n"
             "what translation between them loses, and what crigate install would change. Writes nothing.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = "Exit status: 0 fit, 1 fit, with warnings, 2 not possible, 64 wrong arguments.",
};

/* -1 to continue, else the exit status. */
static int read_arguments(struct arguments *arguments, int argc, char **argv)
{
    struct options_reader reader;
    const char *value;
    int key;
    options_begin(&reader, &preflight_command_line, arguments, argc, argv);
    while ((key = options_next(&reader, &value)) != OPTIONS_END) {
        if (key != RUNTIME) {
            continue;
        }
        if (arguments->survey.named_count == RUNTIMES_FOUND_MOST) {
            return command_usage_error("preflight", "too many runtimes: %s", value);
        }
        arguments->named[arguments->survey.named_count++] = value;
    }
    arguments->survey.named = arguments->named;
    return reader.status < 0 ? options_check_operands(&preflight_command_line, argc, argv, 0) : reader.status;
}

static int print(const struct arguments *arguments, const struct survey *survey, struct arena *arena)
{
    struct judgement judgement;
    judge(survey, arena, &judgement);
    struct json_object *report = report_json(survey, &judgement, arena);
    bool printed;
    if (arguments->output == COMMAND_OUTPUT_JSON) {
        printed = report && command_print_json(report, false);
    } else {
        report_print(report, stdout);
        printed = command_is_printed();
    }
    json_object_put(report);
    return printed ? (int)judgement_fitness(&judgement) : EX_IOERR;
}

int preflight_command(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct error error = {0};
    int status = read_arguments(&arguments, argc, argv);
    if (status >= 0) {
        return status;
    }
    struct arena *arena = arena_new(MEMORY);
    struct survey *survey = arena ? arena_zalloc(arena, sizeof *survey) : NULL;
    status = EX_OSERR;
    if (!survey) {
        fputs("crigate preflight: out of memory\n", stderr);
    } else if (!survey_take(&arguments.survey, arena, survey, &error)) {
        status = command_usage_error("preflight", "%s", error.message);
    } else {
        status = print(&arguments, survey, arena);
    }
    arena_unref(arena);
    return status;
}
