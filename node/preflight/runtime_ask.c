#include "base/json/read.h"
#include "node/preflight/runtime_found.h"

#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "base/bytes/shown.h"
#include "node/kubelet/process.h"
#include "node/preflight/ask.h"
#include "node/preflight/containerd_config.h"
#include "node/preflight/runtime_info.h"
#include "node/preflight/socket.h"
#include "translate/explain/release.h"
#include "translate/json/json.h"
#include "translate/lists/item.h"

/* Room for an answer and what is made of it. */
#define SCRATCH (ASK_LARGEST_LIST + ((size_t)4 << 20))

/* One runtime that is being asked. */
struct asking {
    const char *endpoint;
    const char *path; /* of its socket */
    unsigned timeout;
    bool over; /* it has taken too long once */
    struct arena *arena;
    struct runtime_found *found;
};

/* Keeps the first reason. */
static void note(struct asking *asking, const char *method, const struct error *error)
{
    char text[ERROR_MESSAGE_SIZE];
    if (error->code == STATUS_DEADLINE_EXCEEDED) {
        asking->over = true;
        snprintf(text, sizeof text, "%s was not answered within %u ms", method, asking->timeout);
    } else {
        snprintf(text, sizeof text, "%s failed with %s: %.200s", method, status_code_name(error->code), error->message);
    }
    if (!asking->found->why_not) {
        asking->found->why_not = shown_text(bytes_of_string(text), asking->arena);
    }
}

static bool call(struct asking *asking, const struct method *method, enum dialect dialect, const char *request,
                 struct arena *scratch, struct bytes *answer, struct error *error)
{
    struct bytes bytes = {0};
    struct json_object *json = json_from_text(bytes_of_string(request), error);
    bool encoded = json && json_to_message(method->in[dialect].request, json, true, scratch, &bytes, error);
    json_object_put(json);
    const struct ask question = {
        .endpoint = asking->endpoint,
        .dialect = dialect,
        .method = method,
        .request = bytes,
        .timeout = asking->timeout,
        .largest = method->merge == MERGE_CONCAT ? ASK_LARGEST_LIST : ASK_LARGEST_STATUS,
    };
    return encoded && ask(&question, scratch, answer, error);
}

/* The answer as JSON, which the caller owns; NULL with an error. */
static struct json_object *call_json(struct asking *asking, const char *name, enum dialect dialect, const char *request,
                                     struct error *error)
{
    const struct method *method = method_by_name(name);
    struct arena *scratch = arena_new(SCRATCH);
    struct json_object *json = NULL;
    struct bytes answer;
    if (!scratch) {
        error_out_of_memory(error);
    } else if (call(asking, method, dialect, request, scratch, &answer, error)) {
        json = json_from_message(method->in[dialect].response, answer, JSON_EXACT, error);
    }
    arena_unref(scratch);
    return json;
}

/* ---- Version ---- */

static const char *text_member(struct json_object *object, const char *key, struct arena *arena)
{
    return shown_text(bytes_of_string(json_object_get_string(json_member(object, key))), arena);
}

/* The newest package is asked first, and its answer is kept. */
static void take_version(struct asking *asking, enum dialect dialect, struct json_object *answer)
{
    struct runtime_found *found = asking->found;
    const char *name = text_member(answer, "runtimeName", asking->arena);
    const char *version = text_member(answer, "runtimeVersion", asking->arena);
    found->speaks[release_dialect_of(dialect, name, version)] = true;
    if (!found->answers) {
        found->answers = true;
        found->runtime_name = name;
        found->runtime_version = version;
    }
}

static bool looks_like_containerd(const char *path)
{
    return strstr(path, "containerd") != NULL;
}

/* What is special about the containerd that listens there. */
struct containerd {
    const char *socket, *file, *unit;
};

static const struct containerd *containerd_at(const char *path)
{
    static const struct containerd usual = {"", "/etc/containerd/config.toml", "containerd"};
    static const struct containerd others[] = {
        {"/run/k3s/containerd/containerd.sock", "/var/lib/rancher/k3s/agent/etc/containerd/config.toml", "k3s"},
        {"/var/snap/microk8s/common/run/containerd.sock", "/var/snap/microk8s/current/args/containerd.toml",
         "snap.microk8s.daemon-containerd"},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(path, others[i].socket) == 0) {
            return &others[i];
        }
    }
    return &usual;
}

/* The file of its option --config or -c, if it has one. */
static const char *configured_file(const struct asking *asking)
{
    static const char option[] = "--config=";
    struct process process;
    pid_t pid = socket_listener(asking->path, asking->timeout);
    if (pid <= 0 || !process_read(pid, asking->arena, &process)) {
        return NULL;
    }
    for (size_t i = 1; i < process.argument_count; i++) {
        const char *word = process.arguments[i];
        bool before = strcmp(word, "--config") == 0 || strcmp(word, "-c") == 0;
        if (before && i + 1 < process.argument_count) {
            return process.arguments[i + 1];
        }
        if (strncmp(word, option, strlen(option)) == 0) {
            return word + strlen(option);
        }
    }
    return NULL;
}

/* It listens, and knows none of the packages. */
static const char *why_no_package(const struct asking *asking, const struct error *answered)
{
    const struct containerd *containerd = containerd_at(asking->path);
    const char *file = looks_like_containerd(asking->path) ? configured_file(asking) : NULL;
    char text[ERROR_MESSAGE_SIZE];
    if (!looks_like_containerd(asking->path)) {
        snprintf(text, sizeof text, "it serves no version of CRI: %.150s", answered->message);
        return shown_text(bytes_of_string(text), asking->arena);
    }
    const char *path = NULL;
    unsigned line = containerd_config_search(file ? file : containerd->file, asking->arena, &path);
    if (line > 0) {
        snprintf(text, sizeof text, "CRI is disabled in %.300s:%u", path, line);
    } else {
        snprintf(
            text, sizeof text,
            "it serves no version of CRI: its plugin is not loaded; journalctl -u %s, and ctr --address %s plugins ls, show why",
            containerd->unit, asking->path);
    }
    return shown_text(bytes_of_string(text), asking->arena);
}

static void ask_version(struct asking *asking)
{
    struct error error = {0};
    for (size_t i = DIALECT_COUNT; i > 0 && !asking->over; i--) {
        enum dialect dialect = (enum dialect)(i - 1);
        if (dialects[dialect].caller != dialect) {
            continue; /* another dialect represents the package */
        }
        struct json_object *answer = call_json(asking, "Version", dialect, "{\"version\": \"0.1.0\"}", &error);
        if (answer) {
            take_version(asking, dialect, answer);
        } else if (error.code != STATUS_UNIMPLEMENTED) {
            note(asking, "Version", &error);
        }
        json_object_put(answer);
    }
    if (!asking->found->answers && !asking->found->why_not) {
        asking->found->why_not = why_no_package(asking, &error);
    }
}

/* ---- the rest ---- */

static enum cgroup_driver ask_status(struct asking *asking, enum dialect dialect)
{
    struct error error = {0};
    struct runtime_info info = {0};
    struct json_object *status = asking->over ? NULL : call_json(asking, "Status", dialect, "{\"verbose\": true}", &error);
    if (status) {
        runtime_info_read(status, &info);
        asking->found->nri = info.nri;
    } else if (!asking->over) {
        note(asking, "Status", &error);
    }
    json_object_put(status);
    return info.cgroup_driver;
}

static enum cgroup_driver ask_runtime_config(struct asking *asking, enum dialect dialect)
{
    struct error error = {0};
    enum cgroup_driver driver = CGROUP_DRIVER_NOT_SAID;
    if (asking->over || !method_by_name("RuntimeConfig")->in[dialect].path) {
        return driver;
    }
    struct json_object *answer = call_json(asking, "RuntimeConfig", dialect, "{}", &error);
    if (answer) {
        asking->found->has_runtime_config = true;
        driver = runtime_config_driver(answer);
    } else if (error.code != STATUS_UNIMPLEMENTED) {
        note(asking, "RuntimeConfig", &error);
    }
    json_object_put(answer);
    return driver;
}

/* No runtime shows in its status that NRI is on, but those that have it listen for its plugins. */
static bool listens_for_nri(const struct asking *asking)
{
    return socket_is_held(socket_listener(asking->path, asking->timeout), "/nri/nri.sock");
}

/* CRI-O says it to cAdvisor, by HTTP on the same socket. */
static enum cgroup_driver ask_http(struct asking *asking)
{
    struct arena *scratch = arena_new(ASK_LARGEST_STATUS);
    enum cgroup_driver driver = CGROUP_DRIVER_NOT_SAID;
    if (scratch && !asking->over && strcasecmp(asking->found->runtime_name, "cri-o") == 0) {
        driver = runtime_http_driver(socket_http_get(asking->path, "/info", asking->timeout, scratch));
    }
    arena_unref(scratch);
    return driver;
}

static bool count_list(struct asking *asking, const char *name, enum id_kind kind, enum dialect dialect, size_t *count)
{
    struct arena *scratch = asking->over ? NULL : arena_new(SCRATCH);
    const struct method *method = method_by_name(name);
    struct error error = {0};
    struct bytes list;
    bool good = scratch && call(asking, method, dialect, "{}", scratch, &list, &error);
    if (good) {
        struct list_items items = list_items_of(kind, dialect, list);
        struct list_item item;
        while (list_items_next(&items, &item)) {
            ++*count;
        }
        good = !items.malformed || error_set(&error, STATUS_DATA_LOSS, "it is malformed");
    }
    if (!good && scratch) {
        note(asking, name, &error);
    }
    arena_unref(scratch);
    return good;
}

static void ask_all(struct asking *asking)
{
    struct runtime_found *found = asking->found;
    enum dialect dialect;
    ask_version(asking);
    if (!runtime_found_dialect(found, &dialect)) {
        return;
    }
    enum cgroup_driver driver = ask_runtime_config(asking, dialect);
    enum cgroup_driver by_status = ask_status(asking, dialect);
    driver = driver != CGROUP_DRIVER_NOT_SAID ? driver : by_status;
    driver = driver != CGROUP_DRIVER_NOT_SAID ? driver : ask_http(asking);
    found->cgroup_driver = runtime_driver_name(driver);
    found->nri = found->nri || (!asking->over && listens_for_nri(asking));
    bool pods = count_list(asking, "ListPodSandbox", ID_POD, dialect, &found->pods);
    found->counted = count_list(asking, "ListContainers", ID_CONTAINER, dialect, &found->containers) && pods;
}

/* Any answer but that there is no such service shows that the package is served. */
static void ask_images(struct asking *asking)
{
    struct error error = {0};
    for (size_t i = 0; i < DIALECT_COUNT && !asking->over; i++) {
        struct arena *scratch = dialects[i].caller == (enum dialect)i ? arena_new(SCRATCH) : NULL;
        struct bytes answer;
        if (!scratch) {
            continue; /* another dialect represents the package */
        }
        bool listed = call(asking, method_by_name("ListImages"), (enum dialect)i, "{}", scratch, &answer, &error);
        bool late = !listed && error.code == STATUS_DEADLINE_EXCEEDED;
        asking->found->speaks[i] = listed || (!late && error.code != STATUS_UNIMPLEMENTED && error.code != STATUS_UNAVAILABLE);
        asking->found->answers = asking->found->answers || asking->found->speaks[i];
        if (late) {
            note(asking, "ListImages", &error);
        }
        arena_unref(scratch);
    }
    if (!asking->found->answers && !asking->found->why_not) {
        asking->found->why_not = "it serves no images in any version of CRI";
    }
}

bool runtime_found_dialect(const struct runtime_found *found, enum dialect *dialect)
{
    for (size_t i = DIALECT_COUNT; i > 0; i--) {
        if (found->speaks[i - 1]) {
            *dialect = (enum dialect)(i - 1);
            return true;
        }
    }
    return false;
}

static void find(const char *endpoint, unsigned timeout, struct arena *arena, struct runtime_found *found,
                 void (*ask_it)(struct asking *asking))
{
    struct error error = {0};
    struct asking asking = {
        .endpoint = endpoint, .path = socket_path(endpoint), .timeout = timeout, .arena = arena, .found = found};
    *found = (struct runtime_found){
        .name = found->name,
        .named = found->named,
        .endpoint = shown_text(bytes_of_string(endpoint), arena),
        .runtime_name = "",
        .runtime_version = "",
        .cgroup_driver = "",
    };
    if (!asking.path) {
        found->why_not = "it is not a Unix socket";
    } else if (!socket_listens(asking.path, timeout, &error)) {
        found->why_not = shown_text(bytes_of_string(error.message), arena);
    } else {
        ask_it(&asking);
    }
}

void runtime_ask(const char *endpoint, unsigned timeout, struct arena *arena, struct runtime_found *found)
{
    find(endpoint, timeout, arena, found, ask_all);
}

void image_service_ask(const char *endpoint, unsigned timeout, struct arena *arena, struct runtime_found *found)
{
    find(endpoint, timeout, arena, found, ask_images);
}
