#include "translate/compose/status.h"

/* Reads a runtime's verbose status, and composes RuntimeConfig for runtimes that lack it. */
#include <json-c/json.h>
#include <stdio.h>

#include "base/json/read.h"
#include "generated/functions.h"
#include "model/api.pb-c.h"
#include "translate/json/json.h"

/* A runtime's sandbox image may be changed while it runs. */
#define STATUS_LIFETIME_MS 300000

/* Several times the largest configuration of a real node. Decoded JSON takes hundreds of times its length, outside of the call's
   arena. */
#define MOST_CONFIGURATION ((size_t)256 * 1024)

/* containerd 1.x: the option of the runtime that pods without a handler get. The key of almost the same name at the top level is
   for old shims, and is false whatever is in force; a runtime without the option reports nothing. */
static enum cgroup_driver read_cgroup_driver(struct json_object *config)
{
    struct json_object *containerd = json_member_of(config, "containerd", json_type_object);
    struct json_object *name = json_member_of(containerd, "defaultRuntimeName", json_type_string);
    struct json_object *runtimes = json_member_of(containerd, "runtimes", json_type_object);
    struct json_object *runtime = name ? json_member_of(runtimes, json_object_get_string(name), json_type_object) : NULL;
    struct json_object *systemd =
        json_member_of(json_member_of(runtime, "options", json_type_object), "SystemdCgroup", json_type_boolean);
    if (!systemd) {
        return CGROUP_DRIVER_NOT_SAID;
    }
    return json_object_get_boolean(systemd) ? CGROUP_DRIVER_SYSTEMD : CGROUP_DRIVER_CGROUPFS;
}

/* containerd 1.x and CRI-O, under the same key. */
static void read_sandbox_image(struct json_object *config, char name[COMPOSE_IMAGE_NAME_SIZE])
{
    struct json_object *image = json_member_of(config, "sandboxImage", json_type_string);
    size_t len = image ? (size_t)json_object_get_string_len(image) : 0;
    const char *text = image ? json_object_get_string(image) : "";
    bool fits = len < COMPOSE_IMAGE_NAME_SIZE && strlen(text) == len;
    snprintf(name, COMPOSE_IMAGE_NAME_SIZE, "%s", fits ? text : "");
}

/* NULL for anything else, and for JSON that is too long. */
static struct json_object *parse(struct bytes config)
{
    struct error ignored;
    return config.len <= MOST_CONFIGURATION ? json_from_text(config, &ignored) : NULL;
}

enum cgroup_driver status_cgroup_driver(struct bytes config)
{
    struct json_object *json = parse(config);
    enum cgroup_driver driver = read_cgroup_driver(json);
    json_object_put(json);
    return driver;
}

static void learn(struct compose_memory *memory, const char *text, int64_t now)
{
    struct json_object *config = parse(bytes_of_string(text));
    memory->status_known = true;
    memory->status_read_at = now;
    memory->cgroup_driver = read_cgroup_driver(config);
    read_sandbox_image(config, memory->sandbox_image);
    json_object_put(config);
}

static bool read_status(struct composing *composing, struct error *error)
{
    const Model__StatusResponse *response =
        composing_decode(composing, &model__status_response__descriptor, composing->answers[composing->asked - 1], error);
    if (!response) {
        return false;
    }
    const char *config = "";
    for (size_t i = 0; i < response->n_info; i++) {
        config = strcmp(response->info[i]->key, "config") == 0 ? response->info[i]->value : config;
    }
    learn(composing->memory, config, composing->now);
    return true;
}

bool composing_status(struct composing *composing, bool *known, struct error *error)
{
    const struct compose_memory *memory = composing->memory;
    *known = memory->status_known && composing->now - memory->status_read_at < STATUS_LIFETIME_MS;
    if (*known) {
        return true;
    }
    if (composing->asked > 0) {
        *known = true;
        return read_status(composing, error);
    }
    Model__StatusRequest request = MODEL__STATUS_REQUEST__INIT;
    request.verbose = true;
    return composing_ask(composing, "Status", &request.base, error);
}

static bool answer_driver(struct composing *composing, enum cgroup_driver driver, struct error *error)
{
    Model__LinuxRuntimeConfiguration linux_configuration = MODEL__LINUX_RUNTIME_CONFIGURATION__INIT;
    linux_configuration.cgroup_driver =
        driver == CGROUP_DRIVER_SYSTEMD ? MODEL__CGROUP_DRIVER__SYSTEMD : MODEL__CGROUP_DRIVER__CGROUPFS;
    Model__RuntimeConfigResponse response = MODEL__RUNTIME_CONFIG_RESPONSE__INIT;
    response.linux = &linux_configuration;
    return composing_answer(composing, &response.base, error);
}

/* The operator's value, else the runtime's; never a guess, because kubelets treat an empty answer as systemd. */
bool compose_runtime_config(struct composing *composing, struct error *error)
{
    enum cgroup_driver driver = composing->settings->cgroup_driver;
    bool known = driver != CGROUP_DRIVER_NOT_SAID;
    if (!known) {
        if (!composing_status(composing, &known, error)) {
            return false;
        }
        if (!known) {
            return true;
        }
        driver = composing->memory->cgroup_driver;
    }
    if (driver == CGROUP_DRIVER_NOT_SAID) {
        return error_set(error, STATUS_UNIMPLEMENTED,
                         "runtime %s does not report its cgroup driver; set cgroup_driver in the runtime map",
                         composing->runtime_name);
    }
    return answer_driver(composing, driver, error);
}
