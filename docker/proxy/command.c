#include "docker/proxy/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/log/journald.h"
#include "base/log/log.h"
#include "base/options/output.h"
#include "base/system/unix_socket.h"
#include "core/transport/mutex_checks.h"
#include "docker/proxy/serve.h"

enum { LISTEN = 256, DOCKER, HOOKS, HOOKS_TIMEOUT, SKIP_LABEL, SKIP_VALUE, GRACE, CONNECTIONS, FORMAT };

struct arguments {
    struct docker_proxy_settings settings;
    struct log_settings log;
};

static const struct option_row rows[] = {
    {LISTEN, "listen", "SOCKET", "the socket for the kubelet and docker clients (default " SOCKET_SCHEME DOCKER_PROXY_LISTEN ")",
     COMPLETE_FILE, NULL, OPTION_SOCKET(struct arguments, settings.listen)},
    {DOCKER, "docker", "SOCKET", "Docker Engine's socket (default " SOCKET_SCHEME DOCKER_PROXY_DOCKER ")", COMPLETE_FILE, NULL,
     OPTION_SOCKET(struct arguments, settings.docker)},
    {HOOKS, "hooks", "FOLDER",
     "call the plugins named in the *.json files of this folder (default " DOCKER_PROXY_HOOKS "; \"\": none)", COMPLETE_FOLDER,
     NULL, OPTION_TEXT(struct arguments, settings.hooks)},
    {HOOKS_TIMEOUT, "hooks-timeout", "TIME", "the time limit for plugins whose file sets none, such as 2s (2s)", COMPLETE_NOTHING,
     NULL, OPTION_TIME(struct arguments, settings.hooks_timeout)},
    {SKIP_LABEL, "skip-label", "NAME",
     "call no hooks for pods with this label and their containers (" DOCKER_PROXY_SKIP_LABEL ")", COMPLETE_NOTHING, NULL,
     OPTION_TEXT(struct arguments, settings.skip_label)},
    {SKIP_VALUE, "skip-value", "VALUE", "if the label has this value (true)", COMPLETE_NOTHING, NULL,
     OPTION_TEXT(struct arguments, settings.skip_value)},
    {GRACE, "shutdown-grace", "TIME", "how long requests in progress may continue after SIGTERM (30s)", COMPLETE_NOTHING, NULL,
     OPTION_TIME(struct arguments, settings.shutdown_grace)},
    {CONNECTIONS, "connections", "COUNT", "how many callers may be connected at once (1024)", COMPLETE_NOTHING, NULL,
     OPTION_NUMBER(struct arguments, settings.connections, 1, 100000, "connections must be a number from 1 to 100000")},
    {'v', "verbosity", "LEVEL", "0 silent, 1 start-up and serious errors (default), 2 refused requests, 3 what hooks changed",
     COMPLETE_WORDS, "0 1 2 3 4 5",
     OPTION_NUMBER(struct arguments, log.level, LOG_SILENT, LOG_LISTS, "the verbosity must be a number from 0 to 5")},
    {FORMAT, "log-format", "FORMAT", "text (default) or json", COMPLETE_WORDS, "text json",
     OPTION_WORD(struct arguments, log.format, "the log format must be text or json")},
    {OPTION_ROW_HELP},
};

const struct command_line docker_proxy_command_line = {
    .command = "docker-proxy",
    .synopsis = "crigate docker-proxy [--listen SOCKET] [--docker SOCKET] [--hooks FOLDER] [OPTION]...",
    .about =
        "Runs between a kubelet with built-in Docker support (up to Kubernetes 1.23), or a docker client, and Docker Engine.\n"
        "Everything passes byte for byte, except the requests that plugins see and change. Access to its socket is root access, "
        "as with Docker's.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = "Signals: SIGTERM and SIGINT stop it after requests in progress have ended.\n"
             "Exit status: 0 ended by a signal, 1 could not start, 64 wrong arguments.",
};

int docker_proxy_command(int argc, char **argv)
{
    struct arguments arguments = {
        .settings = DOCKER_PROXY_SETTINGS,
        .log = {.level = LOG_SERIOUS},
    };
    int status = options_read(&docker_proxy_command_line, &arguments, argc, argv, 0);
    if (status >= 0) {
        return command_is_printed() ? status : EXIT_FAILURE;
    }
    struct docker_proxy_settings *settings = &arguments.settings;
    if (strcmp(settings->listen, settings->docker) == 0) {
        return command_usage_error("docker-proxy", "--listen and --docker are the same socket");
    }
    settings->hooks = *settings->hooks ? settings->hooks : NULL;
    log_configure(&arguments.log);
    journald_begin();
    mutex_checks_end();
    return docker_proxy_serve(settings);
}
