#include "cli/commands/hooks.h"

#include <stdio.h>

#include "base/json/build.h"
#include "base/options/output.h"
#include "cli/commands/control_query.h"
#include "cli/commands/hooks_report.h"
#include "core/control/protocol.h"

const struct command_line hooks_command_line = {
    .command = "hooks",
    .synopsis = "crigate hooks [-o text|json] [--config FILE | --control PATH]",
    .about = "Prints the plugins of the running crigate, in the order in which they are called. One line for each: its state, "
             "what happens\n"
             "to a call if it fails (Fail or Ignore), how often it was called and failed, how long it took, and the hooks that "
             "it wants.\n"
             "Below, the last error of each, and errors in the files that name plugins. With -o json, also what is waiting, "
             "what was dropped,\nand what is known about pods and containers.",
    .rows = control_query_rows,
    .row_count = CONTROL_QUERY_ROWS,
    .after = "Exit status: 0 well, or hooks are off; 1 degraded (a plugin is not ready or failed its last hook, or a file has\n"
             "errors); 2 crigate does not answer; 64 wrong arguments; 77 only root and crigate's user may query it.",
};

int hooks_command(int argc, char **argv)
{
    struct control_query query = {.line = &hooks_command_line};
    int status = control_query_read(&query, argc, argv);
    if (status >= 0) {
        return status;
    }
    struct error error;
    struct json_object *answer = control_query_ask(&query, CONTROL_HOOKS, &error);
    if (!answer) {
        return control_query_status(&error, HEALTH_DOWN);
    }
    enum health health = hooks_report_health(answer);
    if (query.output == COMMAND_OUTPUT_JSON) {
        json_add(answer, "health", json_object_new_string(health_name(health)));
        health = command_print_json(answer, false) ? health : HEALTH_DOWN;
    } else {
        hooks_report_print(answer, stdout);
    }
    json_object_put(answer);
    return (int)health;
}
