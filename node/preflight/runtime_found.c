#include "node/preflight/runtime_found.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes/shown.h"
#include "base/system/unix_socket.h"
#include "core/map/map.h"
#include "core/map/names.h"
#include "core/map/shim.h"
#include "core/map/socket.h"
#include "node/preflight/socket.h"

/* Where runtimes listen by default. */
static const struct {
    const char *name, *path;
} usual[] = {
    {"containerd", "/run/containerd/containerd.sock"},
    {"cri-o", "/run/crio/crio.sock"},
    {"cri-dockerd", "/run/cri-dockerd.sock"},
    {"dockershim", "/var/run/dockershim.sock"},
    {DOCKER_SHIM_RUNTIME, DOCKER_SHIM_SOCKET},
    {"k3s-containerd", "/run/k3s/containerd/containerd.sock"},
    {"microk8s-containerd", "/var/snap/microk8s/common/run/containerd.sock"},
};

struct search {
    const char *ours;
    struct arena *arena;
    struct runtimes_found *found;
};

struct runtime_found *runtimes_at(struct runtimes_found *found, const char *endpoint)
{
    const char *path = socket_path(endpoint);
    for (size_t i = 0; path && i < found->count; i++) {
        if (socket_is_same(path, socket_path(found->items[i].endpoint))) {
            return &found->items[i];
        }
    }
    return NULL;
}

const char *runtimes_usual_path(const char *name)
{
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (strcmp(usual[i].name, name) == 0 && !docker_is_meant(name)) {
            return usual[i].path;
        }
    }
    return NULL;
}

static const struct runtime_found *find_name(const struct runtimes_found *found, const char *name)
{
    for (size_t i = 0; i < found->count; i++) {
        if (found->items[i].name && strcmp(found->items[i].name, name) == 0) {
            return &found->items[i];
        }
    }
    return NULL;
}

/* /var/run is /run, also for a socket that is not there. */
static const char *without_var(const char *path)
{
    static const char var[] = "/var";
    static const char var_run[] = "/var/run/";
    return strncmp(path, var_run, strlen(var_run)) == 0 ? path + strlen(var) : path;
}

/* The name of the usual socket of that path, unless it is taken; else NULL. */
static const char *usual_name(const struct runtimes_found *found, const char *path)
{
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (strcmp(without_var(usual[i].path), without_var(path)) == 0 && !find_name(found, usual[i].name)) {
            return usual[i].name;
        }
    }
    return NULL;
}

/* While crigate is bypassed, its path is a link to the runtime's socket, which is not a reason to leave the runtime out. */
static bool is_ours(const char *path, const char *ours)
{
    struct stat file;
    return ours && lstat(ours, &file) == 0 && S_ISSOCK(file.st_mode) && socket_is_same(path, ours);
}

/* `name` is NULL for one that gets its name by its path, or by what it says. */
static bool add(struct search *search, const char *name, const char *path, bool named, struct error *error)
{
    struct runtimes_found *found = search->found;
    char endpoint[sizeof SOCKET_SCHEME + SHOWN_MOST];
    if (runtimes_at(found, path) || is_ours(path, search->ours)) {
        return true;
    }
    if (found->count == RUNTIMES_FOUND_MOST) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "more than %d runtimes", RUNTIMES_FOUND_MOST);
    }
    if (name && find_name(found, name)) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "two runtimes have the name %s", name);
    }
    name = name ? name : usual_name(found, path);
    snprintf(endpoint, sizeof endpoint, "%s%s", SOCKET_SCHEME, path);
    struct runtime_found *item = &found->items[found->count++];
    *item = (struct runtime_found){.name = name, .named = named};
    runtime_ask(endpoint, RUNTIMES_FIND_TIMEOUT, search->arena, item);
    return true;
}

/* ---- what the operator names ---- */

static bool is_printable(const char *text)
{
    while (*text >= ' ' && *text <= '~') {
        text++;
    }
    return *text == '\0';
}

/* Checks one half of NAME=SOCKET as the runtime map would. */
static bool parse(const char *text, bool (*check)(const struct yaml_scalar *in), struct arena *arena, const char **value,
                  struct error *error)
{
    if (!is_printable(text)) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "%s has characters that are not allowed in a runtime map",
                         shown_text(bytes_of_string(text), arena));
    }
    const struct yaml_scalar scalar = {.text = text, .value = value, .memory = arena, .error = error};
    return check(&scalar);
}

/* `docker` is what it leads to now. */
static bool add_named(struct search *search, const char *text, struct error *error)
{
    const char *equals = text[0] == '/' || unix_socket_path(text) != text ? NULL : strchr(text, '=');
    const char *name = NULL;
    const char *endpoint = equals ? equals + 1 : text;
    if (equals) {
        const char *before = arena_string(search->arena, bytes_of(text, (size_t)(equals - text)));
        if (!before) {
            return error_out_of_memory(error);
        }
        if (!parse(before, value_runtime_name, search->arena, &name, error)) {
            return false;
        }
    }
    endpoint = docker_endpoint_to_ask(endpoint);
    return parse(endpoint, value_socket, search->arena, &endpoint, error) &&
           add(search, name, socket_path(endpoint), true, error);
}

/* Names by what they say those that have none: "containerd", "containerd-2". */
static void name_the_rest(struct search *search)
{
    enum { LONGEST = 32 };
    for (size_t i = 0; i < search->found->count; i++) {
        struct runtime_found *item = &search->found->items[i];
        char text[LONGEST + 8];
        char said[LONGEST] = "";
        struct error ignored;
        const char *name;
        for (size_t at = 0; item->runtime_name[at] && at + 1 < sizeof said; at++) {
            said[at] = (char)tolower((unsigned char)item->runtime_name[at]);
        }
        if (item->name) {
            continue;
        }
        bool usable = parse(said, value_runtime_name, search->arena, &name, &ignored);
        snprintf(text, sizeof text, "%s", usable ? said : "runtime");
        for (unsigned number = 2; find_name(search->found, text); number++) {
            snprintf(text, sizeof text, "%s-%u", usable ? said : "runtime", number);
        }
        item->name = shown_text(bytes_of_string(text), search->arena);
    }
}

/* ---- all ---- */

/* A socket that may not be looked at is worth a line. */
static bool is_there(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? S_ISSOCK(file.st_mode) : errno == EACCES;
}

bool runtimes_find(const char *const *named, size_t named_count, const char *ours, struct arena *arena,
                   struct runtimes_found *found, struct error *error)
{
    struct search search = {.ours = ours, .arena = arena, .found = found};
    found->count = 0;
    for (size_t i = 0; i < named_count; i++) {
        if (!add_named(&search, named[i], error)) {
            return error_wrap(error, "runtime %s", shown_text(bytes_of_string(named[i]), arena));
        }
    }
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (is_there(usual[i].path) && !add(&search, NULL, usual[i].path, false, error)) {
            return false;
        }
    }
    name_the_rest(&search);
    return true;
}

bool runtimes_add(struct runtimes_found *found, const char *endpoint, struct arena *arena, struct error *error)
{
    struct search search = {.arena = arena, .found = found};
    const char *path = socket_path(endpoint);
    if (!path) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "%s is not a Unix socket", shown_text(bytes_of_string(endpoint), arena));
    }
    bool good = add(&search, NULL, path, false, error);
    name_the_rest(&search);
    return good;
}
