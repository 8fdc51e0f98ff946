#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/log/journald.h"
#include "base/log/log.h"
#include "base/options/command.h"
#include "base/options/output.h"
#include "cli/commands/call.h"
#include "cli/commands/call_options.h"
#include "cli/commands/calls.h"
#include "cli/commands/command.h"
#include "cli/commands/hooks.h"
#include "cli/commands/status.h"
#include "cli/commands/top.h"
#include "cli/commands/version.h"
#include "cli/explain/command.h"
#include "cli/help/completion.h"
#include "cli/help/help.h"
#include "cli/help/live.h"
#include "cli/replaced/program.h"
#include "cli/replaced/replaced.h"
#include "core/daemon/serve.h"
#include "core/daemon/unit_advice.h"
#include "core/map/load.h"
#include "core/map/print.h"
#include "core/plugins/registry.h"
#include "core/service/process_limits.h"
#include "core/transport/mutex_checks.h"
#include "docker/proxy/command.h"
#include "node/bypass/command.h"
#include "node/install/install.h"
#include "node/install/uninstall.h"
#include "node/preflight/compare.h"
#include "node/preflight/preflight.h"
#include "node/verify/verify.h"
#include "node/verify/watch.h"

/* ---- the options of crigate itself ---- */

enum action {
    ACTION_SERVE,
    ACTION_CHECK, /* the runtime map */
    ACTION_PRINT, /* likewise */
    ACTION_TAKE_OVER,
    ACTION_HELP,
};

struct options {
    enum action action;
    struct runtime_map_source source;
    struct log_settings log;
};

enum { CHECK = 256, PRINT, TAKE_OVER, FORMAT, ENVIRONMENT };

static const struct option_row rows[] = {
    {'c', "config", "FILE", "the runtime map (default " RUNTIME_MAP_DEFAULT_PATH ")", COMPLETE_FILE, NULL,
     OPTION_TEXT(struct options, source.path)},
    {CHECK, "check-config", "FILE",
     "check a runtime map and the files of its plugins, report errors and the drop-ins that the unit needs, and exit",
     COMPLETE_FILE, NULL, OPTION_TEXT(struct options, source.path)},
    {PRINT, "print-config", NULL, "print the map in FILE, with drop-ins and defaults, and exit", COMPLETE_NOTHING, NULL,
     OPTION_OWN},
    {TAKE_OVER, "takeover", NULL, "take over the socket of the running crigate without a failed call, and replace it",
     COMPLETE_NOTHING, NULL, OPTION_OWN},
    {'v', "verbosity", "LEVEL",
     "0 silent, 1 start-up and serious errors (default), 2 failed calls,\n3 calls that change state, 4 status calls, 5 list "
     "calls",
     COMPLETE_WORDS, "0 1 2 3 4 5", OPTION_OWN},
    {FORMAT, "log-format", "FORMAT", "text (default) or json", COMPLETE_WORDS, "text json",
     OPTION_WORD(struct options, log.format, "the log format must be text or json")},
    {ENVIRONMENT, "log-environment", NULL, "show the values of container environments in the log", COMPLETE_NOTHING, NULL,
     OPTION_FLAG(struct options, log.environment_values)},
    {'h', "help", NULL, "print this and exit", COMPLETE_NOTHING, NULL, OPTION_OWN},
    {'V', "version", NULL, "print the version and exit; see also crigate version -v", COMPLETE_NOTHING, NULL, OPTION_OWN},
};

static const struct command_line own_line = {
    .synopsis = "crigate [--config FILE] [--takeover] [-v LEVEL] [--log-format text|json]\n"
                "crigate --check-config FILE\n"
                "crigate [--config FILE] --print-config\n"
                "crigate COMMAND [ARGUMENT]...",
    .about = "A gateway for the Kubernetes Container Runtime Interface: listens on one socket between a kubelet and\nits "
             "container runtimes, routes each call to the right one and translates between CRI versions.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = "Signals: SIGTERM and SIGINT stop it after running calls have ended; SIGHUP reloads the runtime map.\n"
             "Exit status: 0 success, 1 could not start, 64 wrong arguments, 78 errors in the runtime map, or, for\n"
             "--check-config, in a file that names a plugin.",
};

static bool parse_level(const char *text, int *level)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    *level = (int)value;
    return errno == 0 && end != text && *end == '\0' && value >= LOG_SILENT && value <= LOG_LISTS;
}

static int read_option(struct options *options, int key, const char *value)
{
    switch (key) {
    case CHECK:
        options->action = ACTION_CHECK;
        return -1;
    case PRINT:
        options->action = ACTION_PRINT;
        return -1;
    case TAKE_OVER:
        options->action = ACTION_TAKE_OVER;
        return -1;
    case 'h':
        options->action = ACTION_HELP;
        return -1;
    case 'V':
        puts("crigate " CRIGATE_VERSION);
        return EXIT_SUCCESS;
    case 'v':
        return parse_level(value, &options->log.level)
                   ? -1
                   : command_usage_error(NULL, "the verbosity must be a number from 0 to 5: %s", value);
    default:
        return -1;
    }
}

/* Fills the options; -1 to continue, else the exit status. */
static int read_options(struct options *options, int argc, char **argv)
{
    struct options_reader reader;
    const char *value;
    int key;
    options_begin(&reader, &own_line, options, argc, argv);
    while ((key = options_next(&reader, &value)) != OPTIONS_END) {
        int status = read_option(options, key, value);
        if (status >= 0 || options->action == ACTION_HELP) {
            return status;
        }
    }
    return reader.status < 0 ? options_check_operands(&own_line, argc, argv, 0) : reader.status;
}

/* Reads the options of a program that crigate replaces. -1 to continue, else the exit status: also that of another subcommand, if
   they ask for one. The caller frees the text of the source. */
static int take_options_of(const struct replaced_program *program, int argc, char **argv, struct options *options, char **text)
{
    struct replaced_start start;
    int status = replaced_program_read(program, argc, argv, &start);
    options->action = start.print_config ? ACTION_PRINT : ACTION_SERVE;
    *text = start.map;
    options->source = (struct runtime_map_source){.path = start.source, .text = start.map};
    options->log.level = start.verbosity;
    if (status < 0 && start.command.count > 0) {
        status = docker_proxy_command(start.command.count, start.command.words);
        replaced_command_clear(&start.command);
    }
    return status;
}

/* ---- serving ---- */

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

static struct runtime_map *load_map(struct options *options)
{
    struct runtime_map_problems problems = {0};
    struct runtime_map *map = runtime_map_load_from(&options->source, &problems);
    bool serves = options->action == ACTION_SERVE || options->action == ACTION_TAKE_OVER;
    bool machine_reads = options->log.format == LOG_JSON && log_enabled(LOG_SERIOUS);
    /* The reason why the process does not serve is printed even at level 0. */
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
    printf("%s: good, %zu runtime%s, primary %s\n", options->source.path, map->runtime_count, map->runtime_count == 1 ? "" : "s",
           map->runtimes[map->primary].name);
    if (map->hooks.on) {
        plugins = plugin_registry_check(map->hooks.folder, map->hooks.timeout, stderr, stdout, &mistakes);
    }
    unit_advice_print(map, plugins, stdout);
    plugin_list_free(plugins);
    return mistakes > 0 ? EX_CONFIG : EXIT_SUCCESS;
}

static int run(struct options *options)
{
    bool take_over = options->action == ACTION_TAKE_OVER;
    log_configure(&options->log);
    mutex_checks_end();
    if (options->action == ACTION_SERVE || take_over) {
        serve_block_signals();
        journald_begin();
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

/* ---- commands ---- */

static const struct command_table subcommands;

static int run_help(int argc, char **argv)
{
    return help_command(&subcommands, argc, argv);
}

static int run_completion(int argc, char **argv)
{
    return completion_command(&subcommands, argc, argv);
}

/* In the order in which `crigate help` lists them. Add a command here: nothing else has to know of it. */
static const struct command commands[] = {
    {"install", "install crigate between this node's kubelet and its runtime", &install_command_line, install_command},
    {"uninstall", "uninstall crigate, and restore every file byte for byte", &uninstall_command_line, uninstall_command},
    {"verify", "check crigate on this node", &verify_command_line, verify_command},
    {"watch", "print what verify reports on this node, from a container", &watch_command_line, watch_command},
    {"bypass", "connect the kubelet's socket directly to the runtime, or undo that", &bypass_command_line, bypass_command},
    {"status", "print the state of the running crigate and its runtimes", &status_command_line, status_command},
    {"calls", "print the calls in progress in the running crigate", &calls_command_line, calls_command},
    {"top", "show runtimes and calls in progress, once a second", &top_command_line, top_command},
    {"owner", "print the runtime that holds a pod or a container", &owner_command_line, owner_command},
    {"hooks", "print the plugins of the running crigate", &hooks_command_line, hooks_command},
    {"log", "temporarily change how much the running crigate logs", &log_command_line, log_command},
    {"reload", "make the running crigate read its runtime map again", &reload_command_line, reload_command},
    {"call", "make one call to a CRI server", &call_command_line, call_command},
    {"explain", "show how calls are translated between two CRI versions", &explain_command_line, explain_command},
    {"preflight", "show whether crigate can be installed on this node, and what that would change", &preflight_command_line,
     preflight_command},
    {"docker-proxy", "call plugins for the requests to Docker of a kubelet that has Docker built in", &docker_proxy_command_line,
     docker_proxy_command},
    {"compare", "print which images only one of two runtimes has, and how much disk space both use", &compare_command_line,
     compare_command},
    {"criproxy", "serve in place of criproxy, with its options", &replaced_criproxy_line, NULL},
    {"koord-runtime-proxy", "serve in place of koord-runtime-proxy, with its options", &replaced_koord_runtime_proxy_line, NULL},
    {"completion", "print the completion of a shell, bash or zsh", &completion_command_line, run_completion},
    {"help", "print the options of a command", &help_command_line, run_help},
    {"version", "print the version, and with -v those of the libraries", &version_command_line, version_command},
    {"complete", NULL, NULL, live_command},
};

static const struct command_table subcommands = {
    .itself = &own_line,
    .commands = commands,
    .count = sizeof commands / sizeof commands[0],
};

/* Runs what the options ask for. Returns the exit status. */
static int run_gateway(const struct replaced_program *replaced, int argc, char **argv)
{
    struct options options = {.source.path = RUNTIME_MAP_DEFAULT_PATH, .log = {.level = LOG_SERIOUS}};
    char *text = NULL;
    int status = replaced ? take_options_of(replaced, argc, argv, &options, &text) : read_options(&options, argc, argv);
    if (status < 0 && options.action == ACTION_HELP) {
        help_print(&subcommands, stdout);
        status = command_is_printed() ? EXIT_SUCCESS : EXIT_FAILURE;
    } else if (status < 0) {
        status = run(&options);
    }
    free(text);
    return status;
}

int main(int argc, char **argv)
{
    const struct replaced_program *replaced = replaced_program_find(argc, argv);
    struct error error;
    if (!process_limits_check(&error)) {
        fprintf(stderr, "crigate: %s\n", error.message);
        return EX_OSERR;
    }
    if (replaced || argc < 2 || argv[1][0] == '-') {
        return run_gateway(replaced, argc, argv);
    }
    const struct command *command = command_find(&subcommands, argv[1]);
    return command ? command->run(argc - 1, argv + 1) : help_no_command(&subcommands, argv[1]);
}
