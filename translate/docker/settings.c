#include "translate/docker/settings.h"

#include <stddef.h>

#include "translate/docker/object.h"

enum form {
    FORM_NUMBER,
    FORM_TEXT,
    FORM_NONE, /* no resource */
};

static const char *const keys[DOCKER_SETTING_COUNT] = {
    "CpuPeriod", "CpuQuota", "CpuShares", "Memory", "MemorySwap", "CpusetCpus", "CpusetMems", "OomScoreAdj", "CgroupParent",
};

static const struct {
    enum form form;
    size_t offset; /* in the model's resources */
    const char *name;
} fields[DOCKER_SETTING_COUNT] = {
    {FORM_NUMBER, offsetof(Model__LinuxContainerResources, cpu_period), "cpu_period"},
    {FORM_NUMBER, offsetof(Model__LinuxContainerResources, cpu_quota), "cpu_quota"},
    {FORM_NUMBER, offsetof(Model__LinuxContainerResources, cpu_shares), "cpu_shares"},
    {FORM_NUMBER, offsetof(Model__LinuxContainerResources, memory_limit_in_bytes), "memory_limit_in_bytes"},
    {FORM_NUMBER, offsetof(Model__LinuxContainerResources, memory_swap_limit_in_bytes), "memory_swap_limit_in_bytes"},
    {FORM_TEXT, offsetof(Model__LinuxContainerResources, cpuset_cpus), "cpuset_cpus"},
    {FORM_TEXT, offsetof(Model__LinuxContainerResources, cpuset_mems), "cpuset_mems"},
    {FORM_NUMBER, offsetof(Model__LinuxContainerResources, oom_score_adj), "oom_score_adj"},
    {FORM_NONE, 0, NULL},
};

/* ---- reading ---- */

static bool read_number(enum docker_setting setting, struct bytes value, Model__LinuxContainerResources *resources,
                        struct error *error)
{
    int64_t number;
    if (!docker_read_number(keys[setting], value, &number, error)) {
        return false;
    }
    memcpy((char *)resources + fields[setting].offset, &number, sizeof number);
    return true;
}

static bool read_text(enum docker_setting setting, struct bytes value, struct arena *arena,
                      Model__LinuxContainerResources *resources, struct error *error)
{
    struct bytes text;
    if (!docker_read_text(keys[setting], value, arena, &text, error)) {
        return false;
    }
    char *copy = arena_string(arena, text);
    if (!copy) {
        return error_no_memory(error);
    }
    memcpy((char *)resources + fields[setting].offset, &copy, sizeof copy);
    return true;
}

bool docker_settings_read(struct bytes object, enum docker_setting count, struct arena *arena, struct docker_settings *settings,
                          Model__LinuxContainerResources *resources, struct error *error)
{
    *settings = (struct docker_settings){.object = object, .count = count};
    model__linux_container_resources__init(resources);
    bool good = docker_object_read(object, keys, count, arena, settings->values, error);
    for (enum docker_setting i = 0; good && i < count; i++) {
        if (fields[i].form == FORM_NUMBER) {
            good = read_number(i, settings->values[i], resources, error);
        } else if (fields[i].form == FORM_TEXT) {
            good = read_text(i, settings->values[i], arena, resources, error);
        }
    }
    return good;
}

/* ---- writing ---- */

static int64_t number_of(const Model__LinuxContainerResources *resources, enum docker_setting setting)
{
    int64_t number;
    memcpy(&number, (const char *)resources + fields[setting].offset, sizeof number);
    return number;
}

static const char *text_of(const Model__LinuxContainerResources *resources, enum docker_setting setting)
{
    const char *text;
    memcpy(&text, (const char *)resources + fields[setting].offset, sizeof text);
    return text ? text : "";
}

bool docker_settings_set(const struct docker_settings *settings, enum docker_setting setting, struct bytes text,
                         struct docker_edits *edits)
{
    return docker_edits_set(edits, settings->object, settings->values[setting], bytes_of_string(keys[setting]), text);
}

/* The value as JSON. *differs: whether it has changed. */
static bool compare(enum docker_setting setting, const Model__LinuxContainerResources *before,
                    const Model__LinuxContainerResources *after, struct arena *arena, bool *differs, struct bytes *json)
{
    *differs = false;
    if (fields[setting].form == FORM_NUMBER) {
        *differs = number_of(before, setting) != number_of(after, setting);
        return !*differs || docker_number(number_of(after, setting), arena, json);
    }
    if (fields[setting].form == FORM_TEXT) {
        *differs = strcmp(text_of(before, setting), text_of(after, setting)) != 0;
        return !*differs || docker_quote(bytes_of_string(text_of(after, setting)), arena, json);
    }
    return true;
}

/* The entries of `unified` that differ; they are never removed. */
static bool has_other_unified(const Model__LinuxContainerResources *before, const Model__LinuxContainerResources *after)
{
    bool differs = before->n_unified != after->n_unified;
    for (size_t i = 0; !differs && i < after->n_unified; i++) {
        differs = strcmp(before->unified[i]->key, after->unified[i]->key) != 0 ||
                  strcmp(before->unified[i]->value, after->unified[i]->value) != 0;
    }
    return differs;
}

bool docker_settings_write(const struct docker_settings *settings, const Model__LinuxContainerResources *before,
                           const Model__LinuxContainerResources *after, struct docker_edits *edits, struct error *error)
{
    static const Model__LinuxContainerResources none = MODEL__LINUX_CONTAINER_RESOURCES__INIT;
    before = before ? before : &none;
    after = after ? after : &none;
    if (has_other_unified(before, after)) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "linux.resources.unified: Docker has no such setting");
    }
    for (enum docker_setting i = 0; i < DOCKER_SETTING_COUNT; i++) {
        bool differs;
        struct bytes json;
        if (!compare(i, before, after, edits->arena, &differs, &json)) {
            return error_no_memory(error);
        }
        if (!differs) {
            continue;
        }
        if (i >= settings->count) {
            return error_set(error, STATUS_INVALID_ARGUMENT,
                             "linux.resources.%s: Docker cannot change it in an existing container", fields[i].name);
        }
        if (!docker_settings_set(settings, i, json, edits)) {
            return error_no_memory(error);
        }
    }
    return true;
}
