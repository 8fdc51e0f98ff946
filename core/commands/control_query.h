/* What the subcommands that ask the running process have in common: their options, the control socket, and what their exit status
   means. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>

#include "core/map/map.h"
#include "translate/bytes/error.h"

/* An exit status: also of subcommands that know only some of them. */
enum health {
    HEALTH_WELL = 0,
    HEALTH_DEGRADED = 1,
    HEALTH_DOWN = 2,
};

/* "well", "degraded", "down". */
const char *health_name(enum health health);

/* For --help. */
#define CONTROL_QUERY_OPTIONS                                                                                                    \
    "  -c, --config FILE   the runtime map of the running crigate (default " RUNTIME_MAP_DEFAULT_PATH ")\n"                      \
    "      --control PATH  its control socket, instead of the one in the state folder of the map\n"                              \
    "  -h, --help          print this and exit\n"

/* One command line. The caller sets the first three. */
struct control_query {
    const char *help;
    bool has_output;     /* -o is taken */
    bool has_operand;    /* an argument is taken */
    const char *command; /* the name of the subcommand */
    bool json;
    const char *config;
    const char *control; /* NULL: in the state folder of the runtime map */
    const char *operand; /* NULL: none */
};

/* Fills the rest from the arguments; argv[0] is the name of the subcommand. -1 to go on, else the exit status. */
int control_query_read(struct control_query *query, int argc, char **argv);

/* Sends a request (control_protocol.h) to the running process. The caller owns the answer. NULL after the reason was printed. */
struct json_object *control_query_ask(const struct control_query *query, const char *line, struct error *error);
