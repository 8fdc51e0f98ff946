#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "core/base/log.h"
#include "core/commands/call.h"
#include "core/commands/hooks.h"
#include "core/commands/output.h"
#include "core/commands/status.h"
#include "core/commands/version.h"
#include "core/explain/command.h"
#include "core/koordinator/registry.h"
#include "core/map/load.h"
#include "core/map/print.h"
#include "core/process/unit_advice.h"
#include "core/replaced/replaced.h"
#include "core/serve.h"
#include "core/transport/mutex_checks.h"

enum action {
    ACTION_SERVE,
    ACTION_CHECK,
    ACTION_PRINT,
    ACTION_TAKE_OVER,
};

/* By the first argument. */
static const struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
} subcommands[] = {
    {"call", call_command},     {"explain", explain_command}, {"hooks", hooks_command},     {"owner", owner_command},
    {"reload", reload_command}, {"status", status_command},   {"version", version_command},
};

struct options {
    enum action action;
    struct runtime_map_source source;
    char *text; /* of the source, if that is in no file */
    struct log_settings log;
};

static const char usage[] =
    "Usage: crigate [--config FILE] [--takeover] [-v LEVEL] [--log-format text|json]\n"
    "       crigate --check-config FILE\n"
    "       crigate [--config FILE] --print-config\n"
    "       crigate call [OPTION]... METHOD [JSON]\n"
    "       crigate explain --from DIALECT --to DIALECT [RPC [REQUEST]]\n"
    "       crigate status | owner ID | hooks | reload\n"
    "       crigate version [-v]\n"
    "       crigate criproxy | koord-runtime-proxy [OPTION]...\n"
    "\n"
    "A gateway for the Kubernetes Container Runtime Interface: stands on one socket between a kubelet and\n"
    "its container runtimes, routes each call to the right one and translates between CRI versions.\n"
    "\n"
    "  -c, --config FILE        the runtime map (default " RUNTIME_MAP_DEFAULT_PATH ")\n"
    "      --check-config FILE  check a runtime map and the files of its plugins, report their mistakes and what they\n"
    "                           need beyond the unit, and exit\n"
    "      --print-config       print the runtime map in force, with defaults filled in, and exit\n"
    "      --takeover           take the socket over from the running crigate, without a caller noticing, and\n"
    "                           serve in its place\n"
    "  -v, --verbosity LEVEL    0 silent, 1 start-up and serious errors (default), 2 failed calls,\n"
    "                           3 calls that change state, 4 status calls, 5 list calls\n"
    "      --log-format FORMAT  text (default) or json\n"
    "      --log-environment    show the values of container environments in the log\n"
    "  -h, --help               print this and exit\n"
    "  -V, --version            print the version and exit; see also crigate version -v\n"
    "\n"
    "call is a client for CRI, explain shows how calls are translated between two CRI versions, status,\n"
    "owner, hooks and reload ask the running crigate. criproxy and koord-runtime-proxy start crigate in place\n"
    "of these programs, with their options. Each has its own --help.\n"
    "Signals: SIGTERM and SIGINT stop it after running calls have ended; SIGHUP reloads the runtime map.\n"
    "Exit status: 0 success, 1 could not start, 64 wrong arguments, 78 mistakes in the runtime map, or, for\n"
    "--check-config, in a file that names a plugin.\n";

static bool parse_level(const char *text, int *level)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    *level = (int)value;
    return errno == 0 && end != text && *end == '\0' && value >= LOG_SILENT && value <= LOG_LISTS;
}

/* Fills the options; -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
    enum { CHECK = 256, PRINT, TAKE_OVER, FORMAT, ENVIRONMENT };
    static const struct option known[] = {
        {"config", required_argument, NULL, 'c'},
        {"check-config", required_argument, NULL, CHECK},
        {"print-config", no_argument, NULL, PRINT},
        {"takeover", no_argument, NULL, TAKE_OVER},
        {"verbosity", required_argument, NULL, 'v'},
        {"log-format", required_argument, NULL, FORMAT},
        {"log-environment", no_argument, NULL, ENVIRONMENT},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {0},
    };
    int option;
    bool json;
    while ((option = getopt_long(argc, argv, "c:v:hV", known, NULL)) != -1) {
        switch (option) {
        case 'c':
            options->source.path = optarg;
            break;
        case CHECK:
            options->action = ACTION_CHECK;
            options->source.path = optarg;
            break;
        case PRINT:
            options->action = ACTION_PRINT;
            break;
        case TAKE_OVER:
            options->action = ACTION_TAKE_OVER;
            break;
        case 'v':
            if (!parse_level(optarg, &options->log.level)) {
                return command_usage_error(NULL, "a verbosity is a number from 0 to 5: %s", optarg);
            }
            break;
        case FORMAT:
            if (!command_output_is_json(optarg, &json)) {
                return command_usage_error(NULL, "a log format is text or json: %s", optarg);
            }
            options->log.format = json ? LOG_JSON : LOG_TEXT;
            break;
        case ENVIRONMENT:
            options->log.environment_values = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return EXIT_SUCCESS;
        case 'V':
            puts("crigate " CRIGATE_VERSION);
            return EXIT_SUCCESS;
        default:
            return EX_USAGE;
        }
    }
    return optind < argc ? command_usage_error(NULL, "unexpected argument: %s", argv[optind]) : -1;
}

/* Likewise. The caller frees the text. */
static int take_options_of(const struct replaced_program *program, int argc, char **argv, struct options *options)
{
    struct replaced_start start;
    int status = replaced_program_read(program, argc, argv, &start);
    options->action = start.print_config ? ACTION_PRINT : ACTION_SERVE;
    options->text = start.map;
    options->source = (struct runtime_map_source){.path = start.source, .text = start.map};
    options->log.level = start.verbosity;
    return status;
}

/* As lines of the log, because standard error of a process that serves is a log. */
static void log_problems(const struct runtime_map_problems *problems, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        runtime_map_problems_print(problems, path, out);
        fclose(out);
    }
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line && *line; line = strsep(&rest, "\n")) {
        log_line(LOG_SERIOUS, "%s", line);
    }
    free(text);
}

static struct runtime_map *load_map(const struct options *options)
{
    struct runtime_map_problems problems = {0};
    struct runtime_map *map = runtime_map_load_from(&options->source, &problems);
    bool serves = options->action == ACTION_SERVE || options->action == ACTION_TAKE_OVER;
    bool machine_reads = options->log.format == LOG_JSON && log_enabled(LOG_SERIOUS);
    /* Whoever started the process must see why it does not serve, even at level 0. */
    if (serves && (map || machine_reads)) {
        log_problems(&problems, options->source.path);
    } else {
        runtime_map_problems_print(&problems, options->source.path, stderr);
    }
    runtime_map_problems_clear(&problems);
    return map;
}

/* Reports on a map without mistakes, and on its plugins. Returns the exit status. */
static int check_config(const struct options *options, const struct runtime_map *map)
{
    struct plugin_list *plugins = NULL;
    size_t mistakes = 0;
    printf("%s: good, %zu runtimes, primary %s\n", options->source.path, map->runtime_count, map->runtimes[map->primary].name);
    if (map->hooks.on) {
        plugins = plugin_registry_check(map->hooks.folder, map->hooks.timeout, stderr, stdout, &mistakes);
    }
    unit_advice_print(map, plugins, stdout);
    plugin_list_free(plugins);
    return mistakes > 0 ? EX_CONFIG : EXIT_SUCCESS;
}

static int run(const struct options *options)
{
    bool take_over = options->action == ACTION_TAKE_OVER;
    log_configure(&options->log);
    mutex_checks_end();
    if (options->action == ACTION_SERVE || take_over) {
        serve_block_signals();
    }
    struct runtime_map *map = load_map(options);
    if (!map) {
        return EX_CONFIG;
    }
    if (options->action == ACTION_SERVE || take_over) {
        return serve(map, &options->source, take_over);
    }
    int status = EXIT_SUCCESS;
    if (options->action == ACTION_PRINT) {
        runtime_map_print(map, stdout);
    } else {
        status = check_config(options, map);
    }
    runtime_map_free(map);
    return status;
}

int main(int argc, char **argv)
{
    const struct replaced_program *replaced = replaced_program_find(argc, argv);
    for (size_t i = 0; !replaced && argc > 1 && i < sizeof subcommands / sizeof subcommands[0]; i++) {
        if (strcmp(argv[1], subcommands[i].name) == 0) {
            return subcommands[i].run(argc - 1, argv + 1);
        }
    }
    struct options options = {.source.path = RUNTIME_MAP_DEFAULT_PATH, .log = {.level = LOG_SERIOUS}};
    int status = replaced ? take_options_of(replaced, argc, argv, &options) : parse_options(argc, argv, &options);
    if (status < 0) {
        status = run(&options);
    }
    free(options.text);
    return status;
}
