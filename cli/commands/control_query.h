/* What the subcommands that ask the running process have in common: their options, the control socket, and what their exit status
   means. */
#pragma once

#include <json-c/json.h>
#include <sys/types.h>

#include "base/bytes/error.h"
#include "base/options/options.h"
#include "base/options/output.h"
#include "core/map/map.h"

/* An exit status: also of subcommands that know only some of them. */
enum health {
    HEALTH_WELL = 0,
    HEALTH_DEGRADED = 1,
    HEALTH_DOWN = 2,
};

/* "well", "degraded", "down". */
const char *health_name(enum health health);

#define CONTROL_QUERY_PATH 4096

/* One command line. The caller sets the first one. */
struct control_query {
    const struct command_line *line; /* with those rows; an argument is taken if it has an `operand` */
    const char *command;             /* the name of the subcommand */
    enum command_output output;
    const char *config;
    const char *control;           /* NULL: in the state folder of the runtime map */
    const char *operand;           /* NULL: none */
    char path[CONTROL_QUERY_PATH]; /* of the control socket, once it was looked for; else "" */
    pid_t peer;                    /* of control_query_ask: see control_ask_peer */
};

/* The options of all of them. The first is -o, which those that only do something leave out. A command with more options has a
   table of its own, with {OPTION_ROW_HELP} and these in it, and a struct for the values, which begins with a control_query. */
#define CONTROL_QUERY_ROWS 4
#define CONTROL_QUERY_CONFIG                                                                                                     \
    'c', "config", "FILE", "the runtime map of the running crigate (default " RUNTIME_MAP_DEFAULT_PATH ")", COMPLETE_FILE, NULL, \
        OPTION_TEXT(struct control_query, config)
#define CONTROL_QUERY_CONTROL                                                                                                    \
    256, "control", "PATH", "its control socket, instead of the one in the state folder of the map", COMPLETE_FILE, NULL,        \
        OPTION_TEXT(struct control_query, control)
extern const struct option_row control_query_rows[CONTROL_QUERY_ROWS];

/* Fills the rest from the arguments; argv[0] is the name of the subcommand. -1 to continue, else the exit status. */
int control_query_read(struct control_query *query, int argc, char **argv);

/* The same without printing: the reason is in the error. Only the first one may print that the runtime map has mistakes. */
struct json_object *control_query_try(struct control_query *query, const char *line, struct error *error);

/* Adds `program`, the name of the program with the number `pid`, to each object in an array of the answer that has one; "" where
   it cannot be known. For answers with CONTROL_PID: crigate itself sees no other processes under its unit. */
void control_query_name_programs(const struct control_query *query, struct json_object *answer, const char *array);

/* Sends a request (control_protocol.h) to the running process. The caller owns the answer. NULL after the reason was printed, and
   what to do. */
struct json_object *control_query_ask(struct control_query *query, const char *line, struct error *error);

/* Prints why there is no answer, and what to do. */
void control_query_print_problem(const struct control_query *query, const struct error *error);

/* The exit status for that: HEALTH_DOWN, no answer arrived; EX_NOPERM, this user may not query it; `other` for an invalid answer.
 */
int control_query_status(const struct error *error, int other);
