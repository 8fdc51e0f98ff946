#include "cli/commands/control_query.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/system/process_name.h"
#include "core/control/client.h"
#include "core/map/load.h"

static const char *const health_names[] = {"well", "degraded", "down"};

const char *health_name(enum health health)
{
    return health_names[health];
}

const struct option_row control_query_rows[CONTROL_QUERY_ROWS] = {
    {OPTION_ROW_OUTPUT(struct control_query, output)}, {CONTROL_QUERY_CONFIG}, {CONTROL_QUERY_CONTROL}, {OPTION_ROW_HELP}};

int control_query_read(struct control_query *query, int argc, char **argv)
{
    query->command = argv[0];
    query->config = RUNTIME_MAP_DEFAULT_PATH;
    int status = options_read(query->line, query, argc, argv, query->line->operand == COMPLETE_NOTHING ? 0 : 1);
    query->operand = argv[optind];
    return status;
}

/* Prints why the control socket cannot be found by the map. */
static void print_map_problem(const struct control_query *query, const struct runtime_map_problems *problems)
{
    const struct runtime_map_problem *first = problems->count > 0 ? problems->items : NULL;
    const char *where = problems->state ? "its state folder" : "the default state folder";
    if (first && first->line == 0) {
        fprintf(stderr, "crigate %s: %s: %s (use --config FILE or --control PATH); trying %s\n", query->command,
                first->file ? first->file : query->config, first->message, where);
    } else {
        fprintf(stderr, "crigate %s: %s has errors (run crigate --check-config); trying %s\n", query->command, query->config,
                where);
    }
}

/* Without a valid map, which may be the one that was refused, its state folder is tried anyway. */
static void find_control(const struct control_query *query, char *path)
{
    if (query->control) {
        snprintf(path, CONTROL_QUERY_PATH, "%s", query->control);
        return;
    }
    struct runtime_map_problems problems = {0};
    struct runtime_map *map = runtime_map_load(query->config, &problems);
    if (!map) {
        print_map_problem(query, &problems);
    }
    snprintf(path, CONTROL_QUERY_PATH, "%s/" CONTROL_SOCKET_NAME, runtime_map_state(map, &problems));
    runtime_map_problems_clear(&problems);
    runtime_map_free(map);
}

/* Then the socket may have been looked for in a wrong place. */
static bool may_not_read_map(const struct control_query *query)
{
    return !query->control && access(query->config, R_OK) != 0 && errno == EACCES;
}

struct json_object *control_query_try(struct control_query *query, const char *line, struct error *error)
{
    if (!query->path[0]) {
        find_control(query, query->path);
    }
    struct json_object *answer = control_ask_peer(query->path, line, &query->peer, error);
    if (!answer && error->code == STATUS_UNAVAILABLE && may_not_read_map(query)) {
        error_set(error, STATUS_PERMISSION_DENIED, "only root and crigate's user may query crigate; this user may not read %s",
                  query->config);
    }
    return answer;
}

struct json_object *control_query_ask(struct control_query *query, const char *line, struct error *error)
{
    struct json_object *answer = control_query_try(query, line, error);
    if (!answer) {
        control_query_print_problem(query, error);
    }
    return answer;
}

void control_query_print_problem(const struct control_query *query, const struct error *error)
{
    bool absent = error->code == STATUS_UNAVAILABLE && access(query->path, F_OK) != 0;
    const char *next = !absent          ? ""
                       : query->control ? "; start that crigate, or correct --control"
                                        : "; systemctl status crigate; if it is not installed yet: crigate install";
    fprintf(stderr, "crigate %s: %s%s\n", query->command, error->message, next);
}

int control_query_status(const struct error *error, int other)
{
    switch (error->code) {
    case STATUS_PERMISSION_DENIED:
        return EX_NOPERM;
    case STATUS_UNAVAILABLE:
    case STATUS_DEADLINE_EXCEEDED:
        return HEALTH_DOWN;
    default:
        return other;
    }
}

void control_query_name_programs(const struct control_query *query, struct json_object *answer, const char *array)
{
    struct json_object *callers = json_member(answer, array), *own = json_member(answer, CONTROL_PID);
    bool same_numbers = own && json_object_get_int64(own) == query->peer;
    size_t count = json_count(callers);
    for (size_t i = 0; i < count; i++) {
        char name[64] = "";
        struct json_object *caller = json_object_array_get_idx(callers, i);
        struct json_object *number = json_member(caller, "pid");
        if (!number) {
            continue;
        }
        int64_t pid = json_object_get_int64(number);
        if (same_numbers && pid > 0 && pid <= INT_MAX) {
            process_name((pid_t)pid, name, sizeof name);
        }
        json_add(caller, "program", json_object_new_string(name));
    }
}
