#include "cli/commands/calls.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/options/output.h"
#include "cli/commands/calls_table.h"
#include "cli/commands/control_query.h"
#include "core/control/client.h"

struct calls_query {
    struct control_query query;
    const char *runtime; /* NULL: all */
};

static const struct option_row rows[] = {
    {OPTION_ROW_OUTPUT(struct control_query, output)},
    {CONTROL_QUERY_CONFIG},
    {CONTROL_QUERY_CONTROL},
    {OPTION_ROW_HELP},
    {'r', "runtime", "NAME", "only calls that go to this runtime", COMPLETE_RUNTIME, NULL,
     OPTION_TEXT(struct calls_query, runtime)},
};

const struct command_line calls_command_line = {
    .command = "calls",
    .synopsis = "crigate calls [--runtime NAME] [-o text|json] [--config FILE | --control PATH]",
    .about = "Prints the calls in progress in the running crigate, oldest first: what each waits for and how long it has\n"
             "lasted, the runtimes that have not answered it yet (or all that it goes to), who made it, and the pod, container\n"
             "or image that it is for. At most 1000 calls.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = "Exit status: 0 printed, 1 the runtime map has no such runtime, 2 crigate does not answer, 64 wrong arguments,\n"
             "77 only root and crigate's user may query it.",
};

static int print(const struct control_query *query, struct json_object *answer)
{
    if (query->output == COMMAND_OUTPUT_JSON) {
        return command_print_json(answer, false) ? EXIT_SUCCESS : HEALTH_DOWN;
    }
    calls_table_print(answer, SIZE_MAX, stdout);
    return command_is_printed() ? EXIT_SUCCESS : HEALTH_DOWN;
}

int calls_command(int argc, char **argv)
{
    struct calls_query calls = {.query.line = &calls_command_line};
    struct control_query *query = &calls.query;
    char line[CONTROL_LINE_SIZE];
    int status = control_query_read(query, argc, argv);
    if (status >= 0) {
        return status;
    }
    const char *runtime = calls.runtime ? calls.runtime : "";
    if (strpbrk(runtime, "\r\n") || (calls.runtime && !*runtime) ||
        snprintf(line, sizeof line, CONTROL_CALLS "%s%s", *runtime ? " " : "", runtime) >= (int)sizeof line - 1) {
        return command_usage_error(query->command, "this is not the name of a runtime");
    }
    struct error error;
    struct json_object *answer = control_query_ask(query, line, &error);
    if (!answer) {
        return control_query_status(&error, HEALTH_DOWN);
    }
    if (control_flag(answer, CONTROL_NO_RUNTIME)) {
        fprintf(stderr, "crigate calls: the runtime map has no runtime %s\n", runtime);
        status = EXIT_FAILURE;
    } else {
        control_query_name_programs(query, answer, "calls");
        status = print(query, answer);
    }
    json_object_put(answer);
    return status;
}
