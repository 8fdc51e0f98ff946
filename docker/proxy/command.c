#include "docker/proxy/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <sysexits.h>

#include "base/log/journald.h"
#include "base/log/log.h"
#include "base/options/output.h"
#include "base/options/values.h"
#include "base/system/unix_socket.h"
#include "core/transport/mutex_checks.h"
#include "docker/proxy/serve.h"

#define MOST_CONNECTIONS 100000

enum { LISTEN = 256, DOCKER, HOOKS, HOOKS_TIMEOUT, SKIP_LABEL, SKIP_VALUE, GRACE, CONNECTIONS, FORMAT };

static const struct option_row rows[] = {
    {LISTEN, "listen", "SOCKET", "the socket for the kubelet and docker clients (default " SOCKET_SCHEME DOCKER_PROXY_LISTEN ")",
     COMPLETE_FILE, NULL},
    {DOCKER, "docker", "SOCKET", "Docker Engine's socket (default " SOCKET_SCHEME DOCKER_PROXY_DOCKER ")", COMPLETE_FILE, NULL},
    {HOOKS, "hooks", "FOLDER",
     "call the plugins that the files *.json of this folder name (default " DOCKER_PROXY_HOOKS "; \"\": none)", COMPLETE_FOLDER,
     NULL},
    {HOOKS_TIMEOUT, "hooks-timeout", "TIME", "how long a plugin may take whose file gives no time, such as 2s (2s)",
     COMPLETE_NOTHING, NULL},
    {SKIP_LABEL, "skip-label", "NAME", "no hooks for a pod with this label, and its containers (" DOCKER_PROXY_SKIP_LABEL ")",
     COMPLETE_NOTHING, NULL},
    {SKIP_VALUE, "skip-value", "VALUE", "if the label has this value (true)", COMPLETE_NOTHING, NULL},
    {GRACE, "shutdown-grace", "TIME", "how long requests under way may go on after SIGTERM (30s)", COMPLETE_NOTHING, NULL},
    {CONNECTIONS, "connections", "COUNT", "how many callers may be connected at a time (1024)", COMPLETE_NOTHING, NULL},
    {'v', "verbosity", "LEVEL", "0 silent, 1 start-up and serious errors (default), 2 refused requests, 3 what hooks changed",
     COMPLETE_WORDS, "0 1 2 3 4 5"},
    {FORMAT, "log-format", "FORMAT", "text (default) or json", COMPLETE_WORDS, "text json"},
    {'h', "help", NULL, "print this and exit", COMPLETE_NOTHING, NULL},
};

const struct command_line docker_proxy_command_line = {
    .command = "docker-proxy",
    .synopsis = "crigate docker-proxy [--listen SOCKET] [--docker SOCKET] [--hooks FOLDER] [OPTION]...",
    .about =
        "Stands between a kubelet that has Docker built in (up to Kubernetes 1.23), or a docker client, and Docker Engine.\n"
        "All passes byte for byte, but the requests that plugins see and change. Its socket is root on the node, as Docker's.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = "Signals: SIGTERM and SIGINT stop it after requests under way have ended.\n"
             "Exit status: 0 ended by a signal, 1 could not start, 64 wrong arguments.",
};

struct arguments {
    struct docker_proxy_settings settings;
    struct log_settings log;
    bool help;
};

/* ---- values ---- */

static bool read_number(const char *text, long least, long most, long *number)
{
    char *end;
    errno = 0;
    *number = strtol(text, &end, 10);
    return *text >= '0' && *text <= '9' && errno == 0 && *end == '\0' && *number >= least && *number <= most;
}

/* "unix:///path" or "/path", which is kept. */
static bool read_socket(const char *text, const char **path)
{
    *path = unix_socket_path(text);
    size_t len = strlen(*path);
    bool good = **path == '/' && (*path)[len - 1] != '/' && len < sizeof((struct sockaddr_un *)0)->sun_path;
    return good || command_usage_error("docker-proxy", "a socket is given as unix:///PATH, of at most %zu characters: %s",
                                       sizeof((struct sockaddr_un *)0)->sun_path - 1, text) == 0;
}

static bool read_time(const char *text, unsigned *milliseconds)
{
    return (option_time(text, milliseconds) && *milliseconds > 0) ||
           command_usage_error("docker-proxy", "a time is a number above 0 with s or m, up to an hour: %s", text) == 0;
}

static bool read_log(struct log_settings *log, int key, const char *value)
{
    long level = 0;
    bool json = false;
    if (key == 'v' && !read_number(value, LOG_SILENT, LOG_LISTS, &level)) {
        return command_usage_error("docker-proxy", "a verbosity is a number from 0 to 5: %s", value) == 0;
    }
    if (key == FORMAT && !command_output_is_json(value, &json)) {
        return command_usage_error("docker-proxy", "a log format is text or json: %s", value) == 0;
    }
    log->level = key == 'v' ? (int)level : log->level;
    log->format = key == FORMAT ? (json ? LOG_JSON : LOG_TEXT) : log->format;
    return true;
}

static bool read_connections(const char *value, size_t *connections)
{
    long number = 0;
    bool good = read_number(value, 1, MOST_CONNECTIONS, &number);
    *connections = good ? (size_t)number : *connections;
    return good || command_usage_error("docker-proxy", "connections are a number from 1 to %d: %s", MOST_CONNECTIONS, value) == 0;
}

static bool take_option(struct arguments *arguments, int key, const char *value)
{
    struct docker_proxy_settings *settings = &arguments->settings;
    switch (key) {
    case LISTEN:
        return read_socket(value, &settings->listen);
    case DOCKER:
        return read_socket(value, &settings->docker);
    case HOOKS:
        settings->hooks = *value ? value : NULL;
        return true;
    case HOOKS_TIMEOUT:
        return read_time(value, &settings->hooks_timeout);
    case SKIP_LABEL:
        settings->skip_label = value;
        return true;
    case SKIP_VALUE:
        settings->skip_value = value;
        return true;
    case GRACE:
        return read_time(value, &settings->shutdown_grace);
    case CONNECTIONS:
        return read_connections(value, &settings->connections);
    case 'h':
        arguments->help = true;
        return true;
    default:
        return (key == 'v' || key == FORMAT) && read_log(&arguments->log, key, value);
    }
}

/* false: what is wrong was printed. */
static bool read_arguments(struct arguments *arguments, int argc, char **argv)
{
    struct options_reader reader;
    const char *value = NULL;
    int key;
    options_begin(&reader, &docker_proxy_command_line, argc, argv);
    while (!arguments->help && (key = options_next(&reader, &value)) != OPTIONS_END) {
        if (!take_option(arguments, key, value)) {
            return false;
        }
    }
    if (!arguments->help && optind < argc) {
        return command_usage_error("docker-proxy", "unexpected argument: %s", argv[optind]) == 0;
    }
    return arguments->help || strcmp(arguments->settings.listen, arguments->settings.docker) != 0 ||
           command_usage_error("docker-proxy", "--listen and --docker are the same socket") == 0;
}

int docker_proxy_command(int argc, char **argv)
{
    struct arguments arguments = {
        .settings = DOCKER_PROXY_SETTINGS,
        .log = {.level = LOG_SERIOUS},
    };
    if (!read_arguments(&arguments, argc, argv)) {
        return EX_USAGE;
    }
    if (arguments.help) {
        options_print_help(&docker_proxy_command_line, stdout);
        return command_is_printed() ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    log_configure(&arguments.log);
    journald_begin();
    mutex_checks_end();
    return docker_proxy_serve(&arguments.settings);
}
