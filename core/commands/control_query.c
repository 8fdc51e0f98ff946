#include "core/commands/control_query.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/commands/output.h"
#include "core/map/load.h"
#include "core/sockets/control_client.h"

#define PATH_SIZE 4096

static const char *const health_names[] = {"well", "degraded", "down"};

const char *health_name(enum health health)
{
    return health_names[health];
}

int control_query_read(struct control_query *query, int argc, char **argv)
{
    static const struct option known[] = {
        {"config", required_argument, NULL, 'c'},
        {"control", required_argument, NULL, 'C'},
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    query->command = argv[0];
    query->config = RUNTIME_MAP_DEFAULT_PATH;
    optind = 0; /* main may have used getopt before */
    int option;
    while ((option = getopt_long(argc, argv, "c:o:h", known, NULL)) != -1) {
        if (option == 'h') {
            fputs(query->help, stdout);
            return EXIT_SUCCESS;
        }
        if (option == 'c') {
            query->config = optarg;
        } else if (option == 'C') {
            query->control = optarg;
        } else if (option != 'o' || !query->has_output) {
            return command_usage_error(query->command, "wrong arguments");
        } else if (!command_output_is_json(optarg, &query->json)) {
            return command_usage_error(query->command, "the output is text or json: %s", optarg);
        }
    }
    int most = query->has_operand ? 1 : 0;
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

struct json_object *control_query_ask(const struct control_query *query, const char *line, struct error *error)
{
    char path[PATH_SIZE];
    find_control(query, path);
    struct json_object *answer = control_ask(path, line, error);
    if (!answer) {
        fprintf(stderr, "crigate %s: %s\n", query->command, error->message);
    }
    return answer;
}
