#include "node/preflight/runtime_info.h"

#include <string.h>

#include "base/bytes/shown.h"
#include "base/json/read.h"
#include "core/map/map.h"
#include "translate/compose/status.h"
#include "translate/json/json.h"

/* Several times the largest configuration of a real node. Decoded JSON takes hundreds of times its length. */
#define LARGEST_CONFIGURATION ((size_t)256 * 1024)

static bool is_true(struct json_object *object, const char *key)
{
    return json_object_get_boolean(json_member_of(object, key, json_type_boolean));
}

/* Runtimes that show their settings of NRI have an object of that name, in which it is either switched on or not off. */
static bool read_nri(struct bytes config)
{
    struct error ignored;
    struct json_object *json = config.len <= LARGEST_CONFIGURATION ? json_from_text(config, &ignored) : NULL;
    struct json_object *nri = json_member_of(json, "nri", json_type_object);
    struct json_object *disable = json_member_of(nri, "disable", json_type_boolean);
    bool on = is_true(nri, "enable") || is_true(nri, "enabled") || (disable && !json_object_get_boolean(disable));
    json_object_put(json);
    return on;
}

void runtime_info_read(struct json_object *status, struct runtime_info *info)
{
    struct json_object *config = json_member_of(json_member_of(status, "info", json_type_object), "config", json_type_string);
    *info = (struct runtime_info){0};
    if (config) {
        struct bytes text = bytes_of(json_object_get_string(config), (size_t)json_object_get_string_len(config));
        info->cgroup_driver = status_cgroup_driver(text);
        info->nri = read_nri(text);
    }
}

static enum cgroup_driver driver_of(const char *name)
{
    for (size_t i = 0; name && i < CGROUP_DRIVER_COUNT; i++) {
        if (cgroup_driver_names[i] && strcasecmp(name, cgroup_driver_names[i]) == 0) {
            return (enum cgroup_driver)i;
        }
    }
    return CGROUP_DRIVER_NOT_SAID;
}

/* SYSTEMD is the default of that enum, which JSON leaves out. */
enum cgroup_driver runtime_config_driver(struct json_object *response)
{
    struct json_object *on_linux = json_member_of(response, "linux", json_type_object);
    struct json_object *driver = NULL;
    if (!on_linux) {
        return CGROUP_DRIVER_NOT_SAID;
    }
    return json_object_object_get_ex(on_linux, "cgroupDriver", &driver) ? driver_of(json_object_get_string(driver))
                                                                        : CGROUP_DRIVER_SYSTEMD;
}

/* The object in a valid answer; NULL if it is not valid. The caller owns it. */
static struct json_object *http_object(struct bytes answer)
{
    static const char gap[] = "\r\n\r\n";
    bool good =
        bytes_start_with(answer, bytes_of_string("HTTP/1.0 200 ")) || bytes_start_with(answer, bytes_of_string("HTTP/1.1 200 "));
    const uint8_t *body = good ? memmem(answer.data, answer.len, gap, strlen(gap)) : NULL;
    struct error ignored;
    if (!body) {
        return NULL;
    }
    body += strlen(gap);
    return json_from_text(bytes_of(body, (size_t)(answer.data + answer.len - body)), &ignored);
}

enum cgroup_driver runtime_http_driver(struct bytes answer)
{
    struct json_object *json = http_object(answer);
    enum cgroup_driver driver = driver_of(json_object_get_string(json_member_of(json, "cgroup_driver", json_type_string)));
    json_object_put(json);
    return driver;
}

const char *runtime_http_log_driver(struct bytes answer, struct arena *arena)
{
    struct json_object *json = http_object(answer);
    const char *driver =
        shown_text(bytes_of_string(json_object_get_string(json_member_of(json, "LoggingDriver", json_type_string))), arena);
    json_object_put(json);
    return driver;
}

const char *runtime_driver_name(enum cgroup_driver driver)
{
    const char *name = cgroup_driver_names[driver];
    return name ? name : "";
}
