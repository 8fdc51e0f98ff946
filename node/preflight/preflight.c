#include "node/preflight/preflight.h"

#include <stdio.h>
#include <sysexits.h>

#include "base/options/output.h"
#include "base/options/values.h"
#include "node/preflight/report.h"

/* Lists are read in memory of their own. */
#define MEMORY ((size_t)64 << 20)

enum { KUBELET = 256, RUNTIME };

static const struct option_row rows[] = {
    {'o', "output", "FORMAT", "text (default) or json", COMPLETE_WORDS, "text json"},
    {KUBELET, "kubelet", "PID", "take this process for the node's kubelet", COMPLETE_NOTHING, NULL},
    {RUNTIME, "runtime", "NAME=SOCKET", "look at the runtime on this socket, too; may be repeated", COMPLETE_FILE, NULL},
    {'h', "help", NULL, "print this and exit", COMPLETE_NOTHING, NULL},
};

const struct command_line preflight_command_line = {
    .command = "preflight",
    .synopsis = "crigate preflight [-o text|json] [--kubelet PID] [--runtime NAME=SOCKET]...",
    .about =
        "Looks whether crigate can be put onto this node: the kubelet and where its settings come from, the container runtimes,\n"
        "what translation between them loses, and what crigate install would change. Writes nothing.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = "Exit status: 0 fit, 1 fit, with warnings, 2 not possible, 64 wrong arguments.",
};

struct arguments {
    bool help;
    bool json;
    struct survey_options survey;
    const char *named[RUNTIMES_FOUND_MOST];
};

static bool take_option(struct arguments *arguments, int option, const char *value)
{
    switch (option) {
    case 'o':
        return command_output_is_json(value, &arguments->json) ||
               command_usage_error("preflight", "the output is text or json: %s", value) == 0;
    case KUBELET:
        return option_pid(value, &arguments->survey.kubelet) ||
               command_usage_error("preflight", "the kubelet is given as the number of its process: %s", value) == 0;
    case RUNTIME:
        if (arguments->survey.named_count == RUNTIMES_FOUND_MOST) {
            return command_usage_error("preflight", "too many runtimes: %s", value) == 0;
        }
        arguments->named[arguments->survey.named_count++] = value;
        return true;
    case 'h':
        arguments->help = true;
        return true;
    default:
        return false;
    }
}

static bool read_arguments(struct arguments *arguments, int argc, char **argv)
{
    struct options_reader reader;
    const char *value;
    int option;
    options_begin(&reader, &preflight_command_line, argc, argv);
    while (!arguments->help && (option = options_next(&reader, &value)) != OPTIONS_END) {
        if (!take_option(arguments, option, value)) {
            return false;
        }
    }
    arguments->survey.named = arguments->named;
    return arguments->help || optind >= argc || command_usage_error("preflight", "unexpected argument: %s", argv[optind]) == 0;
}

static int print(const struct arguments *arguments, const struct survey *survey, struct arena *arena)
{
    struct judgement judgement;
    judge(survey, arena, &judgement);
    struct json_object *report = report_json(survey, &judgement, arena);
    bool printed;
    if (arguments->json) {
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
    if (!read_arguments(&arguments, argc, argv)) {
        return EX_USAGE;
    }
    if (arguments.help) {
        options_print_help(&preflight_command_line, stdout);
        return EX_OK;
    }
    struct arena *arena = arena_new(MEMORY);
    struct survey *survey = arena ? arena_zalloc(arena, sizeof *survey) : NULL;
    int status = EX_OSERR;
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
