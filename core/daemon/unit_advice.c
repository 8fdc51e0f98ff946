#include "core/daemon/unit_advice.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/unix_socket.h"
#include "core/map/socket.h"

/* The folder that the unit makes, of ReadWritePaths=. */
#define RUNTIME_DIRECTORY "/run/crigate"

/* What LogsDirectory=crigate makes. */
#define LOGS_DIRECTORY "/var/log/crigate"

static bool is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* Whether the mode permits root without capabilities that right (a bit of others' rights). */
static bool permits_root(const struct stat *status, mode_t right)
{
    mode_t granted = status->st_uid == 0 ? status->st_mode >> 6 : status->st_gid == 0 ? status->st_mode >> 3 : status->st_mode;
    return granted & right;
}

/* The first file on the way to a socket, or itself, that does not let root pass. */
static bool find_obstacle(const char *socket, char *path, struct stat *status)
{
    char whole[PATH_MAX];
    if (!realpath(socket, whole)) {
        return false;
    }
    for (const char *end = whole + strcspn(whole + 1, "/") + 1;; end += strcspn(end + 1, "/") + 1) {
        snprintf(path, PATH_MAX, "%.*s", (int)(end - whole), whole);
        if (stat(path, status) != 0) {
            return false;
        }
        if (!permits_root(status, *end ? S_IXOTH : S_IWOTH)) {
            return true;
        }
        if (!*end) {
            return false;
        }
    }
}

/* Private to the unit: it does not see the node's. */
static bool is_hidden(const char *path)
{
    return is_below(path, "/tmp") || is_below(path, "/var/tmp");
}

/* `owner` is "runtime" or "plugin", with that name. */
static void advise_on_socket(const struct runtime_map *map, const char *owner, const char *name, const char *endpoint, FILE *out)
{
    char obstacle[PATH_MAX];
    struct stat status;
    const char *path = unix_socket_path(endpoint);
    if (path == endpoint) {
        return;
    }
    if (find_obstacle(path, obstacle, &status)) {
        fprintf(out,
                "%s: note: %s belongs to user %u and has mode %04o, which root without capabilities may not use: for %s %s, "
                "crigate.service needs a drop-in with CapabilityBoundingSet=CAP_DAC_OVERRIDE in [Service]\n",
                map->file, obstacle, (unsigned)status.st_uid, (unsigned)status.st_mode & 07777U, owner, name);
    }
    if (is_hidden(path)) {
        fprintf(out,
                "%s: note: crigate.service has a private /tmp: for %s %s, at %s, it needs a drop-in with PrivateTmp=no in "
                "[Service]\n",
                map->file, owner, name, path);
    }
}

/* Where `docker` leads now, or how to get something there. */
static void advise_on_docker(const struct runtime_map *map, const struct runtime_entry *runtime, FILE *out)
{
    char text[DOCKER_TEXT_SIZE];
    const struct docker_candidate *found;
    int connection = docker_connect(&found);
    if (connection < 0) {
        docker_explain(found, errno, text);
        fprintf(out, "%s: note: runtime %s: endpoint docker: %s\n", map->file, runtime->name, text);
    } else {
        close(connection);
        fprintf(out, "%s: note: runtime %s: endpoint docker is %s (%s) now\n", map->file, runtime->name, found->endpoint,
                found->program);
    }
    if (found) {
        advise_on_socket(map, "runtime", runtime->name, found->endpoint, out);
    }
}

static void advise_on_folder(const struct runtime_map *map, const char *key, const char *path, FILE *out)
{
    const char *slash = strrchr(path, '/');
    int len = (int)(slash && slash != path ? slash - path : 1);
    len = strcmp(key, "state") == 0 ? (int)strlen(path) : len;
    /* The unit's ReadOnlyPaths=/run prevails over the same folder in ReadWritePaths=. */
    bool is_run = len == (int)strlen("/run") && strncmp(path, "/run", strlen("/run")) == 0;
    if (!is_below(path, RUNTIME_DIRECTORY)) {
        fprintf(out,
                "%s: note: crigate.service may write to " RUNTIME_DIRECTORY " only: for %s it needs a drop-in with "
                "%sReadWritePaths=%.*s in [Service]\n",
                map->file, key, is_run ? "ReadOnlyPaths= and " : "", len, path);
    }
}

/* crigate makes the folder if it may; the unit may not. */
static void advise_on_plugin_folder(const struct runtime_map *map, FILE *out)
{
    const char *path = map->hooks.folder;
    if (is_hidden(path)) {
        fprintf(out,
                "%s: note: crigate.service has a private /tmp: for hooks.folder, %s, it needs a drop-in with PrivateTmp=no in "
                "[Service]\n",
                map->file, path);
    }
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        fprintf(out, "%s: note: %s does not exist, and crigate.service may not create it: mkdir -p -m 0755 %s\n", map->file, path,
                path);
    }
}

/* Which deploy/drop-ins/metrics.conf is for. */
static bool is_of_this_machine(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strncmp(address, "[::1]", 5) == 0;
}

/* The unit keeps packets out. */
static void advise_on_metrics(const struct runtime_map *map, FILE *out)
{
    static const char commands[] =
        ": printf '[Service]\\nRestrictAddressFamilies=AF_INET AF_INET6\\nIPAddressAllow=localhost\\n' | "
        "install -D -m 0644 /dev/stdin /etc/systemd/system/crigate.service.d/metrics.conf && "
        "systemctl daemon-reload && systemctl restart crigate";
    int family = map->metrics.listen ? map->metrics.address->ss_family : AF_UNSPEC;
    if (family == AF_UNIX) {
        advise_on_folder(map, "metrics.listen", unix_socket_path(map->metrics.listen), out);
    } else if (family != AF_UNSPEC) {
        fprintf(out,
                "%s: note: crigate.service has no network: for metrics.listen, %s, it needs a drop-in with "
                "RestrictAddressFamilies=%s and IPAddressAllow=localhost, or other clients, in [Service]%s\n",
                map->file, map->metrics.listen, family == AF_INET ? "AF_INET" : "AF_INET6",
                is_of_this_machine(map->metrics.listen) ? commands : "");
    }
}

/* systemd makes the folder, for LogsDirectory=. */
static void advise_on_audit(const struct runtime_map *map, FILE *out)
{
    const char *path = map->audit.path;
    if (path && is_hidden(path)) {
        fprintf(out,
                "%s: note: crigate.service has a private /tmp: for audit.path, %s, it needs a drop-in with PrivateTmp=no in "
                "[Service]\n",
                map->file, path);
    } else if (path && is_below(path, LOGS_DIRECTORY)) {
        fprintf(out, "%s: note: for audit.path, crigate.service needs a drop-in with LogsDirectory=crigate in [Service]\n",
                map->file);
    } else if (path) {
        advise_on_folder(map, "audit.path", path, out);
    }
}

void unit_advice_print(const struct runtime_map *map, const struct plugin_list *plugins, FILE *out)
{
    advise_on_folder(map, "listen", map->listen.path, out);
    for (size_t i = 0; i < map->more_socket_count; i++) {
        advise_on_folder(map, "listen", map->more_sockets[i].path, out);
    }
    advise_on_folder(map, "state", map->state, out);
    advise_on_metrics(map, out);
    advise_on_audit(map, out);
    for (size_t i = 0; i < map->runtime_count; i++) {
        const struct runtime_entry *runtime = &map->runtimes[i];
        if (docker_is_meant(runtime->endpoint)) {
            advise_on_docker(map, runtime, out);
        } else {
            advise_on_socket(map, "runtime", runtime->name, runtime->endpoint, out);
        }
        if (strcmp(runtime->endpoint, runtime->image_endpoint) != 0) {
            advise_on_socket(map, "runtime", runtime->name, runtime->image_endpoint, out);
        }
    }
    if (map->hooks.on) {
        advise_on_plugin_folder(map, out);
    }
    for (size_t i = 0; plugins && i < plugins->count; i++) {
        advise_on_socket(map, "plugin", plugins->plugins[i].name, plugins->plugins[i].endpoint, out);
    }
}
