#include "translate/docker/request.h"

#include "translate/bytes/packing.h"
#include "translate/docker/labels.h"
#include "translate/docker/object.h"
#include "translate/docker/parent.h"
#include "translate/docker/write.h"

enum body_key {
    BODY_LABELS,
    BODY_ENVIRONMENT,
    BODY_HOST_CONFIG,
    BODY_MEMORY, /* this one and the following: beside HostConfig */
    BODY_MEMORY_SWAP,
    BODY_CPU_SHARES,
    BODY_CPUSET_CPUS,
    BODY_CPUSET,
    BODY_KEYS,
};

static const char *const body_keys[BODY_KEYS] = {"Labels",     "Env",       "HostConfig", "Memory",
                                                 "MemorySwap", "CpuShares", "CpusetCpus", "Cpuset"};

/* Without white space in front, so that it begins with its bracket. */
static struct bytes trimmed(struct bytes body)
{
    while (body.len > 0 && (*body.data == ' ' || *body.data == '\t' || *body.data == '\n' || *body.data == '\r')) {
        body = bytes_after(body, 1);
    }
    return body;
}

static bool in_body(struct error *error)
{
    return error_wrap(error, "the request's body");
}

/* What counts beside HostConfig for some versions of Docker, must say nothing. */
static bool check_beside(const struct bytes *values, struct error *error)
{
    static const char *const nothing[] = {"0", "\"\"", "null"};
    for (enum body_key i = BODY_MEMORY; i < BODY_KEYS; i++) {
        bool says_nothing = values[i].len == 0;
        for (size_t j = 0; j < sizeof nothing / sizeof nothing[0]; j++) {
            says_nothing = says_nothing || bytes_equal(values[i], bytes_of_string(nothing[j]));
        }
        if (!says_nothing) {
            return error_set(error, STATUS_INVALID_ARGUMENT, "%s appears beside HostConfig", body_keys[i]);
        }
    }
    return true;
}

static bool read_body(struct bytes body, struct arena *arena, struct bytes *values, struct error *error)
{
    return docker_object_read(body, body_keys, BODY_KEYS, arena, values, error) && check_beside(values, error);
}

bool docker_create_read(struct bytes name, struct bytes body, struct arena *arena, struct docker_container *container,
                        struct error *error)
{
    struct docker_sources sources;
    struct bytes values[BODY_KEYS];
    *container = (struct docker_container){0};
    if (!docker_name_read(name, &sources.name)) {
        return true;
    }
    if (!read_body(trimmed(body), arena, values, error)) {
        return in_body(error);
    }
    sources.labels = values[BODY_LABELS];
    sources.environment = values[BODY_ENVIRONMENT];
    sources.settings = values[BODY_HOST_CONFIG];
    return docker_facts_read(&sources, arena, container, error) || in_body(error);
}

/* The cgroup parent in the body becomes that path. */
static bool write_parent(const struct docker_settings *settings, struct bytes now, struct bytes path, struct docker_edits *edits,
                         struct error *error)
{
    struct bytes before, text, json;
    if (!docker_parent_path(now, edits->arena, &before, error)) {
        return false;
    }
    if (path.len == 0 || bytes_equal(before, path)) {
        return true;
    }
    if (!docker_parent_text(path, now, edits->arena, &text, error)) {
        return false;
    }
    return (docker_quote(text, edits->arena, &json) && docker_settings_set(settings, DOCKER_CGROUP_PARENT, json, edits)) ||
           error_no_memory(error);
}

bool docker_create_write(struct bytes body, const struct docker_container *container, const struct hook_facts *before,
                         const struct hook_facts *after, struct arena *arena, struct bytes *changed, struct error *error)
{
    struct docker_edits edits = {.arena = arena};
    struct docker_settings settings;
    Model__LinuxContainerResources ignored;
    struct bytes values[BODY_KEYS];
    if (!read_body(trimmed(body), arena, values, error) ||
        !docker_settings_read(values[BODY_HOST_CONFIG], DOCKER_SETTING_COUNT, arena, &settings, &ignored, error) ||
        !write_parent(&settings, container->parent, hook_facts_cgroup_parent(after->pod), &edits, error)) {
        return false;
    }
    struct docker_body of = {.text = trimmed(body),
                             .labels = values[BODY_LABELS],
                             .environment = values[BODY_ENVIRONMENT],
                             .settings = &settings,
                             .edits = &edits};
    bool written = container->of_pod ? docker_write_pod(&of, before->pod, after->pod, error)
                                     : docker_write_container(&of, before->container, after->container, error);
    return written && docker_edits_run(&edits, body, changed, error);
}

bool docker_update_read(struct bytes body, struct arena *arena, struct bytes *resources, struct error *error)
{
    struct docker_settings settings;
    Model__LinuxContainerResources read;
    if (!docker_settings_read(trimmed(body), DOCKER_UPDATE_SETTINGS, arena, &settings, &read, error)) {
        return in_body(error);
    }
    return arena_pack(arena, &read.base, resources) || error_no_memory(error);
}

bool docker_update_write(struct bytes body, struct bytes before, struct bytes after, struct arena *arena, struct bytes *changed,
                         struct error *error)
{
    struct docker_edits edits = {.arena = arena};
    struct docker_settings settings;
    Model__LinuxContainerResources ignored;
    struct docker_body of = {.settings = &settings, .edits = &edits};
    return docker_settings_read(trimmed(body), DOCKER_UPDATE_SETTINGS, arena, &settings, &ignored, error) &&
           docker_write_resources(&of, before, after, error) && docker_edits_run(&edits, body, changed, error);
}
