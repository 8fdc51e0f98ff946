/* What the subcommands that ask the running process have in common: their options, the control socket, and what their exit status
   means. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <sys/types.h>

#include "core/map/map.h"
#include "core/options/options.h"
#include "translate/bytes/error.h"

/* An exit status: also of subcommands that know only some of them. */
enum health {
    HEALTH_WELL = 0,
    HEALTH_DEGRADED = 1,
    HEALTH_DOWN = 2,
};

/* "well", "degraded", "down". */
const char *health_name(enum health health);

/* The options of all of them. The first is -o, which those that only do something leave out. */
#define CONTROL_QUERY_ROWS 4
extern const struct option_row control_query_rows[CONTROL_QUERY_ROWS];

/* One command line. The caller sets the first. */
struct control_query {
    const struct command_line *line; /* with those rows; an argument is taken if it has an `operand` */
    const char *command;             /* the name of the subcommand */
    bool json;
    const char *config;
    const char *control; /* NULL: in the state folder of the runtime map */
    const char *operand; /* NULL: none */
    pid_t peer;          /* of control_query_ask: see control_ask_peer */
};

/* Fills the rest from the arguments; argv[0] is the name of the subcommand. -1 to go on, else the exit status. */
int control_query_read(struct control_query *query, int argc, char **argv);

/* Sends a request (control_protocol.h) to the running process. The caller owns the answer. NULL after the reason was printed. */
struct json_object *control_query_ask(struct control_query *query, const char *line, struct error *error);
