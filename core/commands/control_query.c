#include "core/commands/control_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

#include "core/commands/output.h"
#include "core/map/load.h"
#include "core/sockets/control_client.h"

#define PATH_SIZE 4096

static const char *const health_names[] = {"well", "degraded", "down"};

const char *health_name(enum health health)
{
    return health_names[health];
}

enum { CONTROL = 256 };

const struct option_row control_query_rows[CONTROL_QUERY_ROWS] = {
    {'o', "output", "FORMAT", "text (default) or json", COMPLETE_WORDS, "text json"},
    {'c', "config", "FILE", "the runtime map of the running crigate (default " RUNTIME_MAP_DEFAULT_PATH ")", COMPLETE_FILE, NULL},
    {CONTROL, "control", "PATH", "its control socket, instead of the one in the state folder of the map", COMPLETE_FILE, NULL},
    {'h', "help", NULL, "print this and exit", COMPLETE_NOTHING, NULL},
};

int control_query_read(struct control_query *query, int argc, char **argv)
{
    struct options_reader reader;
    const char *value;
    int key;
    query->command = argv[0];
    query->config = RUNTIME_MAP_DEFAULT_PATH;
    options_begin(&reader, query->line, argc, argv);
    while ((key = options_next(&reader, &value)) != OPTIONS_END) {
        if (key == OPTIONS_WRONG) {
            return EX_USAGE;
        }
        if (key == 'h') {
            options_print_help(query->line, stdout);
            return EXIT_SUCCESS;
        }
        if (key == 'c') {
            query->config = value;
        } else if (key == CONTROL) {
            query->control = value;
        } else if (!command_output_is_json(value, &query->json)) {
            return command_usage_error(query->command, "the output is text or json: %s", value);
        }
    }
    int most = query->line->operand == COMPLETE_NOTHING ? 0 : 1;
    query->operand = argv[optind];
    return argc - optind > most ? command_usage_error(query->command, "unexpected argument: %s", argv[optind + most]) : -1;
}

/* Prints why the control socket cannot be found by the map. */
static void print_map_problem(const struct control_query *query, const struct runtime_map_problems *problems)
{
    const struct runtime_map_problem *first = problems->count > 0 ? problems->items : NULL;
    if (first && first->line == 0) {
        fprintf(stderr, "crigate %s: %s: %s (use --config FILE or --control PATH); trying the default state folder\n",
                query->command, first->file ? first->file : query->config, first->message);
    } else {
        fprintf(stderr, "crigate %s: %s has mistakes (run crigate --check-config); trying the default state folder\n",
                query->command, query->config);
    }
}

/* Without a good map, perhaps the very one that was refused, the default state folder is tried. */
static void find_control(const struct control_query *query, char *path)
{
    if (query->control) {
        snprintf(path, PATH_SIZE, "%s", query->control);
        return;
    }
    struct runtime_map_problems problems = {0};
    struct runtime_map *map = runtime_map_load(query->config, &problems);
    if (!map) {
        print_map_problem(query, &problems);
    }
    snprintf(path, PATH_SIZE, "%s/" CONTROL_SOCKET_NAME, map ? map->state : RUNTIME_MAP_DEFAULT_STATE);
    runtime_map_problems_clear(&problems);
    runtime_map_free(map);
}

struct json_object *control_query_ask(struct control_query *query, const char *line, struct error *error)
{
    char path[PATH_SIZE];
    find_control(query, path);
    struct json_object *answer = control_ask_peer(path, line, &query->peer, error);
    if (!answer) {
        fprintf(stderr, "crigate %s: %s\n", query->command, error->message);
    }
    return answer;
}
