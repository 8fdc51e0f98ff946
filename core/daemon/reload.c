#include "core/daemon/reload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/build.h"
#include "base/log/audit.h"
#include "base/log/log.h"
#include "core/control/protocol.h"
#include "core/daemon/more_sockets.h"
#include "core/gateway/status.h"
#include "core/service/listener.h"

/* How long until a map that was put off is tried again. */
#define AGAIN_MS 5000

#define REFUSED_MAP "; the newest runtime map was refused"

enum reload {
    RELOAD_DONE,    /* the new map is in force */
    RELOAD_REFUSED, /* the old one is still in force */
    RELOAD_PUT_OFF, /* likewise, for a reason that may pass without a change of the map */
};

/* One that the service manager's full queue does not take is overtaken by the next change. */
void reload_show_state(struct gateway *gateway)
{
    const struct daemon *daemon = gateway->callbacks.state;
    char text[512];
    if (atomic_load(&daemon->is_main)) {
        gateway_summary(gateway, text, sizeof text - sizeof REFUSED_MAP);
        strcat(text, atomic_load(&daemon->map_refused) ? REFUSED_MAP : "");
        service_manager_try_status(text);
    }
}

/* ---- plugins ---- */

static void on_plugins_changed(void *state)
{
    struct daemon *daemon = state;
    if (!daemon->stopping) {
        plugin_supply_look(&daemon->plugins);
    }
}

static bool watch_plugins(struct daemon *daemon, const struct runtime_map *map, struct error *error)
{
    const char *path = map->hooks.on ? map->hooks.folder : NULL;
    if (path && daemon->plugin_folder && strcmp(path, folder_watch_path(daemon->plugin_folder)) == 0) {
        return true;
    }
    folder_watch_close(daemon->plugin_folder);
    daemon->plugin_folder = path ? folder_watch_open(path, daemon->poll_thread, on_plugins_changed, daemon, error) : NULL;
    return !path || daemon->plugin_folder;
}

/* ---- another map ---- */

void reload_use_audit(const struct runtime_map *map)
{
    struct error error;
    if (!audit_use(map->audit.path, &error)) {
        log_line(LOG_SERIOUS, "%s; its lines are lost until SIGUSR1 makes crigate try again", error.message);
    }
}

/* Whether the map can come into force without a restart: FAILED_PRECONDITION if not. */
static bool can_apply(const struct daemon *daemon, const struct runtime_map *map, struct error *error)
{
    const char *path = listener_socket(daemon->listener)->path;
    if (strcmp(path, map->listen.path) != 0) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "listen: cannot change from unix://%s to unix://%s without a restart",
                         path, map->listen.path);
    }
    return strcmp(daemon->state_folder, map->state) == 0 ||
           error_set(error, STATUS_FAILED_PRECONDITION, "state: cannot change from %s to %s without a restart",
                     daemon->state_folder, map->state);
}

/* The map is in force, and lives until the next reload, which runs on this thread too. */
static bool apply(struct daemon *daemon, const struct runtime_map *map, struct error *error)
{
    plugin_supply_apply_map(&daemon->plugins, map);
    exposition_apply_map(&daemon->exposition, map);
    reload_use_audit(map);
    bool watched = watch_plugins(daemon, map, error);
    bool good = listener_apply_map(daemon->listener, &map->listen, error);
    return more_sockets_apply_map(daemon, map, error) && good && watched;
}

static enum reload load_and_apply(struct daemon *daemon, FILE *report)
{
    struct runtime_map_problems problems = {0};
    struct error error = {0};
    struct runtime_map *map = runtime_map_load_from(&daemon->source, &problems);
    runtime_map_problems_print(&problems, daemon->source.path, report);
    runtime_map_problems_clear(&problems);
    if (!map) {
        exposition_map_refused(&daemon->exposition);
        return RELOAD_REFUSED;
    }
    enum reload outcome = RELOAD_DONE;
    size_t sockets = daemon->more_count;
    if (!can_apply(daemon, map, &error) || !more_sockets_open(daemon, map, 0, &error)) {
        runtime_map_free(map);
        outcome = RELOAD_REFUSED;
    } else if (!to_gateway_reload(&daemon->gateway, map, &error)) {
        more_sockets_truncate(daemon, sockets);
        outcome = RELOAD_PUT_OFF;
    } else if (!apply(daemon, map, &error)) {
        outcome = RELOAD_REFUSED;
    }
    if (outcome != RELOAD_DONE) {
        exposition_map_refused(&daemon->exposition);
        fprintf(report, "%s\n", error.message);
    }
    return outcome;
}

/* ---- messages ---- */

/* An array of the lines. */
static struct json_object *lines_of(char *text)
{
    struct json_object *lines = json_object_new_array();
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        if (*line) {
            json_append(lines, json_object_new_string(line));
        }
    }
    return lines;
}

/* The caller owns `messages`, an array with one text for each line of the report. */
static enum reload load_with_messages(struct daemon *daemon, struct json_object **messages)
{
    char *text = NULL;
    size_t size = 0;
    FILE *report = open_memstream(&text, &size);
    enum reload outcome = RELOAD_PUT_OFF;
    if (report) {
        struct error ignored = {0};
        outcome = load_and_apply(daemon, report);
        atomic_store(&daemon->map_refused, outcome != RELOAD_DONE);
        to_gateway(&daemon->gateway, reload_show_state, RELOAD_SHOW_MS, &ignored);
        if (outcome == RELOAD_PUT_OFF) {
            fprintf(report, "crigate tries this map again every %d s until it can be applied\n", AGAIN_MS / 1000);
        }
        fclose(report);
    }
    *messages = text ? lines_of(text) : json_object_new_array();
    free(text);
    return outcome;
}

/* Warnings about a map that was read again without a change were logged before. */
static void log_outcome(struct reloader *reloader, enum reload outcome, struct json_object *messages)
{
    if (outcome == RELOAD_DONE) {
        log_notice("the runtime map was reloaded");
        bool known = reloader->warned && json_object_equal(reloader->warned, messages);
        json_object_put(reloader->warned);
        reloader->warned = json_object_get(messages);
        if (known) {
            return;
        }
    } else {
        log_line(LOG_SERIOUS, "the runtime map was not reloaded; the previous one stays in force");
    }
    for (size_t i = 0; i < json_count(messages); i++) {
        log_line(LOG_SERIOUS, "%s", json_object_get_string(json_object_array_get_idx(messages, i)));
    }
}

/* Logs the outcome, and notifies the service manager. As a `retry`, does neither if the map is put off again. Returns whether the
   new map is in force. */
static bool run(struct daemon *daemon, bool retry, struct json_object **messages)
{
    struct reloader *reloader = &daemon->reloader;
    if (reloader->notify && !retry) {
        service_manager_reloading();
    }
    enum reload outcome = load_with_messages(daemon, messages);
    bool silent = retry && outcome == RELOAD_PUT_OFF;
    if (!silent) {
        log_outcome(reloader, outcome, *messages);
    }
    if (reloader->notify && !silent) {
        service_manager_ready();
    }
    json_object_put(reloader->refusal);
    reloader->refusal = outcome == RELOAD_DONE ? NULL : json_object_get(*messages);
    reloader->retry.due = 0;
    if (outcome == RELOAD_PUT_OFF) {
        watch_arm(&reloader->retry, AGAIN_MS);
    }
    return outcome == RELOAD_DONE;
}

static void run_unasked(struct daemon *daemon, bool retry)
{
    struct json_object *messages;
    run(daemon, retry, &messages);
    json_object_put(messages);
}

/* ---- when ---- */

static bool may_reload(const struct daemon *daemon)
{
    return daemon->listener && !daemon_is_taking_over(daemon) && !daemon_is_handing_over(daemon) &&
           !takeover_server_has_handed_over(&daemon->takeover_server) && !daemon->stopping;
}

void reload_now(struct daemon *daemon)
{
    if (may_reload(daemon)) {
        run_unasked(daemon, false);
    } else {
        daemon->reloader.wanted = daemon_is_taking_over(daemon) || daemon_is_handing_over(daemon);
    }
}

/* Otherwise, the other process reads the map by itself. */
void reload_if_wanted(struct daemon *daemon)
{
    if (daemon->reloader.wanted && may_reload(daemon)) {
        reload_now(daemon);
    }
    daemon->reloader.wanted = false;
}

static void on_files_changed(void *state, bool seen)
{
    struct daemon *daemon = state;
    if (seen || runtime_map_has_changed(&daemon->source)) {
        reload_now(daemon);
    }
}

static void on_retry(struct watch *watch, short happened)
{
    (void)happened;
    struct daemon *daemon = watch_owner(watch, struct daemon, reloader.retry);
    if (daemon_is_handing_over(daemon)) {
        watch_arm(watch, AGAIN_MS);
    } else if (may_reload(daemon)) {
        run_unasked(daemon, true);
    }
}

void reload_answer(struct control_connection *connection, const char *argument, void *state)
{
    (void)argument;
    struct daemon *daemon = state;
    if (!may_reload(daemon)) {
        struct error error;
        error_set(&error, STATUS_UNAVAILABLE, "%s",
                  daemon_is_handing_over(daemon) ? "another process is about to take over; try again in a moment"
                                                 : "crigate is stopping");
        control_refuse(connection, &error);
        return;
    }
    struct json_object *messages;
    struct json_object *answer = json_object_new_object();
    json_add(answer, CONTROL_RELOADED, json_object_new_boolean(run(daemon, false, &messages)));
    json_add(answer, CONTROL_MESSAGES, messages);
    control_answer(connection, answer);
}

bool reload_watch(struct daemon *daemon, struct error *error)
{
    const struct runtime_map *map = daemon->map;
    daemon->reloader.retry = (struct watch){.fd = -1, .run = on_retry};
    if (map->drop_in_folder) { /* else it is in no file */
        daemon->files = file_watch_open(map->file, map->drop_in_folder, daemon->poll_thread, on_files_changed, daemon, error);
    }
    poll_thread_add(daemon->poll_thread, &daemon->reloader.retry);
    return (daemon->files || !map->drop_in_folder) && watch_plugins(daemon, map, error);
}
