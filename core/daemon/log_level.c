#include "core/daemon/log_level.h"

#include <string.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/log/log.h"
#include "base/system/clock.h"
#include "translate/json/json.h"

static void on_due(struct watch *watch, short happened)
{
    (void)watch;
    (void)happened;
    log_change_set(NULL);
    log_notice("the log level is %d again", log_level());
}

void log_level_init(struct log_level_state *log_level)
{
    log_level->expiry = (struct watch){.fd = -1, .run = on_due};
}

/* NULL in `wanted`: none. */
static bool read_change(const char *argument, struct log_change *change, const struct log_change **wanted, struct error *error)
{
    *wanted = NULL;
    if (*argument == '\0' || strcmp(argument, CONTROL_LOG_DEFAULT) == 0) {
        return true;
    }
    struct json_object *json = json_from_text(bytes_of_string(argument), error);
    bool good = json && log_change_from_json(json, change, error);
    json_object_put(json);
    *wanted = good ? change : NULL;
    return good;
}

void log_level_set(struct log_level_state *log_level, const struct log_change *change)
{
    log_level->expiry.due = 0;
    log_change_set(change);
    if (change) {
        int64_t rest = (change->until - clock_ns()) / NANOSECONDS_A_MILLISECOND;
        watch_arm(&log_level->expiry, rest > 1 ? rest : 1);
    }
}

/* Written whatever the levels are: who turned the log off must be found there. */
static void set_for(struct log_level_state *log_level, const struct log_change *change, const struct peer *peer)
{
    struct json_object *fields = change ? log_change_to_json(change) : json_object_new_object();
    json_add(fields, "pid", json_object_new_int64(peer->pid));
    json_add(fields, "uid", json_object_new_int64(peer->uid));
    log_level_set(log_level, change);
    log_write(LOG_SERIOUS, change ? "the log level was changed temporarily" : "the log level was reset", fields);
}

static struct json_object *describe(void)
{
    struct log_change change;
    struct json_object *json = json_object_new_object();
    json_add(json, "level", json_object_new_int(log_settings()->level));
    if (log_change_get(&change)) {
        json_add(json, CONTROL_LOG_CHANGE, log_change_to_json(&change));
    }
    return json;
}

static bool has_runtime(struct json_object *status, const char *name)
{
    bool found = false;
    struct json_object *runtimes = json_member(status, "runtimes");
    for (size_t i = 0; !found && i < json_count(runtimes); i++) {
        struct json_object *known = json_member(json_object_array_get_idx(runtimes, i), "name");
        found = known && strcmp(json_object_get_string(known), name) == 0;
    }
    return found;
}

static bool check_runtime(const char *name, const struct control_reporter *reporters, struct error *error)
{
    struct json_object *status = control_report_make(reporters, CONTROL_STATUS, "", error);
    bool known = status && has_runtime(status, name);
    bool answered = status != NULL;
    json_object_put(status);
    return known || (answered && error_set(error, STATUS_NOT_FOUND, "the runtime map has no runtime of that name"));
}

void log_level_answer(struct log_level_state *log_level, struct control_connection *connection, const char *argument,
                      const struct control_reporter *reporters)
{
    struct log_change change;
    const struct log_change *wanted;
    struct error error = {0};
    bool good = read_change(argument, &change, &wanted, &error);
    if (good && wanted && wanted->runtime[0] != '\0') {
        good = check_runtime(wanted->runtime, reporters, &error);
    }
    if (!good) {
        control_refuse(connection, &error);
        return;
    }
    if (*argument != '\0') {
        set_for(log_level, wanted, control_peer(connection));
    }
    control_answer(connection, describe());
}
