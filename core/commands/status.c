#include "core/commands/status.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/commands/output.h"
#include "core/commands/status_table.h"
#include "core/map/load.h"
#include "core/sockets/control_client.h"

#define PATH_SIZE 4096

/* The exit statuses of `crigate status`. */
enum health {
    HEALTH_WELL = 0,
    HEALTH_DEGRADED = 1,
    HEALTH_DOWN = 2,
};

static const char *const health_names[] = {"well", "degraded", "down"};

struct options {
    const char *command;
    const char *help;
    bool has_output;  /* -o is taken */
    bool has_operand; /* an argument is taken */
    bool json;
    const char *config;
    const char *control; /* NULL: in the state folder of the runtime map */
    const char *operand; /* NULL: none */
};

#define COMMON_OPTIONS                                                                                                           \
    "  -c, --config FILE   the runtime map of the running crigate (default " RUNTIME_MAP_DEFAULT_PATH ")\n"                      \
    "      --control PATH  its control socket, instead of the one in the state folder of the map\n"                              \
    "  -h, --help          print this and exit\n"

static const char status_help[] =
    "Usage: crigate status [-o text|json] [--config FILE | --control PATH]\n"
    "\n"
    "Prints the state of the running crigate and its runtimes. One line for each runtime: its CRI version, its state and since\n"
    "when, the pods that it is known to hold, calls in flight and the age of the oldest, and the age of the lists that replace\n"
    "its own while it cannot be asked. Below, the fields that were lost because the runtime map allows it (translation), with\n"
    "counts; as json also those whose loss does no harm.\n"
    "\n"
    "  -o, --output FORMAT text (default) or json\n" COMMON_OPTIONS "\n"
    "Exit status: 0 well, 1 degraded (a runtime other than the primary is not ready, or the newest runtime map was\n"
    "refused), 2 down (the primary is not ready, or crigate does not answer), 64 wrong arguments.\n";

static const char owner_help[] = "Usage: crigate owner [-o text|json] [--config FILE | --control PATH] ID\n"
                                 "\n"
                                 "Prints the name of the runtime that holds a pod or a container.\n"
                                 "\n"
                                 "  -o, --output FORMAT text (default) or json\n" COMMON_OPTIONS "\n"
                                 "Exit status: 0 known, 1 not known, 2 crigate does not answer, 64 wrong arguments.\n";

static const char reload_help[] =
    "Usage: crigate reload [--config FILE | --control PATH]\n"
    "\n"
    "Makes the running crigate read its runtime map again, and prints the mistakes in it.\n"
    "\n" COMMON_OPTIONS "\n"
    "Exit status: 0 the new map is in force, 1 it has mistakes and the old one stays, 2 crigate does not answer, 64 wrong\n"
    "arguments.\n";

/* ---- arguments ---- */

/* -1 to go on, else the exit status. */
static int read_options(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"config", required_argument, NULL, 'c'},
        {"control", required_argument, NULL, 'C'},
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    options->command = argv[0];
    options->config = RUNTIME_MAP_DEFAULT_PATH;
    optind = 0; /* main may have used getopt before */
    int option;
    while ((option = getopt_long(argc, argv, "c:o:h", known, NULL)) != -1) {
        if (option == 'h') {
            fputs(options->help, stdout);
            return EXIT_SUCCESS;
        }
        if (option == 'c') {
            options->config = optarg;
        } else if (option == 'C') {
            options->control = optarg;
        } else if (option != 'o' || !options->has_output) {
            return command_usage_error(options->command, "wrong arguments");
        } else if (!command_output_is_json(optarg, &options->json)) {
            return command_usage_error(options->command, "the output is text or json: %s", optarg);
        }
    }
    int most = options->has_operand ? 1 : 0;
    options->operand = argv[optind];
    return argc - optind > most ? command_usage_error(options->command, "unexpected argument: %s", argv[optind + most]) : -1;
}

/* Prints why the control socket cannot be found by the map. */
static void print_map_problem(const struct options *options, const struct runtime_map_problems *problems)
{
    const struct runtime_map_problem *first = problems->count > 0 ? problems->items : NULL;
    if (first && first->line == 0) {
        fprintf(stderr, "crigate %s: %s: %s (use --config FILE or --control PATH); trying the default state folder\n",
                options->command, first->file ? first->file : options->config, first->message);
    } else {
        fprintf(stderr, "crigate %s: %s has mistakes (run crigate --check-config); trying the default state folder\n",
                options->command, options->config);
    }
}

/* Without a good map, perhaps the very one that was refused, the default state folder is tried. */
static void find_control(const struct options *options, char *path)
{
    if (options->control) {
        snprintf(path, PATH_SIZE, "%s", options->control);
        return;
    }
    struct runtime_map_problems problems = {0};
    struct runtime_map *map = runtime_map_load(options->config, &problems);
    if (!map) {
        print_map_problem(options, &problems);
    }
    snprintf(path, PATH_SIZE, "%s/" CONTROL_SOCKET_NAME, map ? map->state : RUNTIME_MAP_DEFAULT_STATE);
    runtime_map_problems_clear(&problems);
    runtime_map_free(map);
}

static struct json_object *ask(const struct options *options, const char *line, struct error *error)
{
    char path[PATH_SIZE];
    find_control(options, path);
    struct json_object *answer = control_ask(path, line, error);
    if (!answer) {
        fprintf(stderr, "crigate %s: %s\n", options->command, error->message);
    }
    return answer;
}

static void print_lines(struct json_object *lines, FILE *out)
{
    size_t count = json_object_is_type(lines, json_type_array) ? json_object_array_length(lines) : 0;
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s\n", json_object_get_string(json_object_array_get_idx(lines, i)));
    }
}

/* ---- status ---- */

static const char *text_member(struct json_object *object, const char *name)
{
    struct json_object *member;
    return json_object_object_get_ex(object, name, &member) ? json_object_get_string(member) : "";
}

/* The role of a primary that is not the default runtime has more behind a comma. */
static bool is_primary(struct json_object *runtime)
{
    const char *role = text_member(runtime, "role");
    return strcspn(role, ",") == strlen("primary") && strncmp(role, "primary", strlen("primary")) == 0;
}

static enum health health_of(struct json_object *status)
{
    struct json_object *runtimes, *refused;
    enum health health = json_object_object_get_ex(status, CONTROL_REFUSED_MAP, &refused) ? HEALTH_DEGRADED : HEALTH_WELL;
    bool primary_ready = false;
    json_object_object_get_ex(status, "runtimes", &runtimes);
    size_t count = json_object_is_type(runtimes, json_type_array) ? json_object_array_length(runtimes) : 0;
    for (size_t i = 0; i < count; i++) {
        struct json_object *runtime = json_object_array_get_idx(runtimes, i);
        bool ready = strcmp(text_member(runtime, "state"), "ready") == 0;
        primary_ready = primary_ready || (ready && is_primary(runtime));
        health = ready ? health : HEALTH_DEGRADED;
    }
    return primary_ready ? health : HEALTH_DOWN;
}

int status_command(int argc, char **argv)
{
    struct options options = {.help = status_help, .has_output = true};
    int status = read_options(&options, argc, argv);
    if (status >= 0) {
        return status;
    }
    struct error error;
    struct json_object *answer = ask(&options, CONTROL_STATUS, &error);
    if (!answer) {
        return HEALTH_DOWN;
    }
    enum health health = health_of(answer);
    struct json_object *refused;
    if (options.json) {
        json_object_object_add(answer, "health", json_object_new_string(health_names[health]));
        command_print_json(answer, false);
    } else {
        status_table_print(answer, stdout);
        if (json_object_object_get_ex(answer, CONTROL_REFUSED_MAP, &refused)) {
            puts("\nThe newest runtime map was refused; the previous one is in force:");
            print_lines(refused, stdout);
        }
    }
    json_object_put(answer);
    return (int)health;
}

/* ---- owner and reload ---- */

/* The exit status when crigate does not answer. */
#define NO_ANSWER 2

int owner_command(int argc, char **argv)
{
    struct options options = {.help = owner_help, .has_output = true, .has_operand = true};
    int status = read_options(&options, argc, argv);
    if (status >= 0) {
        return status;
    }
    char line[CONTROL_LINE_SIZE];
    if (!options.operand) {
        return command_usage_error(options.command, "an ID is missing");
    }
    if (strpbrk(options.operand, "\r\n") ||
        snprintf(line, sizeof line, CONTROL_OWNER " %s", options.operand) >= (int)sizeof line - 1) {
        return command_usage_error(options.command, "this is not an ID");
    }
    struct error error;
    struct json_object *answer = ask(&options, line, &error);
    if (!answer) {
        return error.code == STATUS_UNAVAILABLE || error.code == STATUS_DEADLINE_EXCEEDED ? NO_ANSWER : EXIT_FAILURE;
    }
    const char *runtime = text_member(answer, "runtime");
    bool known = *runtime != '\0';
    if (options.json) {
        command_print_json(answer, false);
    } else if (known) {
        puts(runtime);
    } else {
        const char *disputed = text_member(answer, "disputed");
        fprintf(stderr, "crigate owner: %s%s%s\n", *disputed ? options.operand : "no runtime is known to hold ",
                *disputed ? ": " : "", *disputed ? disputed : options.operand);
    }
    json_object_put(answer);
    return known ? EXIT_SUCCESS : EXIT_FAILURE;
}

int reload_command(int argc, char **argv)
{
    struct options options = {.help = reload_help};
    int status = read_options(&options, argc, argv);
    if (status >= 0) {
        return status;
    }
    struct error error;
    struct json_object *answer = ask(&options, CONTROL_RELOAD, &error), *messages = NULL;
    if (!answer) {
        return NO_ANSWER;
    }
    bool good = control_flag(answer, CONTROL_RELOADED);
    json_object_object_get_ex(answer, CONTROL_MESSAGES, &messages);
    print_lines(messages, good ? stdout : stderr);
    fprintf(good ? stdout : stderr, good ? "reloaded\n" : "crigate reload: the previous runtime map stays in force\n");
    json_object_put(answer);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
