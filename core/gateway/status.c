#include "status.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json/build.h"
#include "base/log/audit.h"
#include "base/system/clock.h"
#include "core/calls/describe.h"
#include "core/calls/in_flight.h"
#include "core/calls/memory_limit.h"
#include "core/control/protocol.h"
#include "core/gateway/callers.h"
#include "core/gateway/hooks.h"
#include "core/gateway/reload.h"
#include "core/hooks/describe.h"
#include "core/knowledge/held.h"
#include "core/knowledge/save.h"
#include "core/map/owner.h"
#include "translate/walk/text_table.h"

static int64_t milliseconds_since(int64_t moment)
{
    return (clock_ns() - moment) / NANOSECONDS_A_MILLISECOND;
}

static void add_string(struct json_object *object, const char *key, const char *text)
{
    json_add(object, key, json_object_new_string(text));
}

static void add_number(struct json_object *object, const char *key, int64_t number)
{
    json_add(object, key, json_object_new_int64(number));
}

static const char *role_of(const struct runtime_map *map, size_t position)
{
    if (position == map->primary) {
        return position == map->default_runtime ? "primary" : "primary, not default";
    }
    return !map->runtimes[position].new_pods ? "draining" : position == map->default_runtime ? "default" : "";
}

/* `first`: comes before the fields; NULL: nothing does. */
static struct json_object *describe_fields(const char *first, const bool fields[TRANSLATION_RULE_COUNT])
{
    struct json_object *names = json_object_new_array();
    if (first) {
        json_append(names, json_object_new_string(first));
    }
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        if (fields[i]) {
            json_append(names, json_object_new_string(translation_rules[i].field));
        }
    }
    return names;
}

/* "strict", "lenient", the list of what is let through, or {"lenient": [...], "strict": [...]} if something is made strict. */
static struct json_object *describe_translation(const struct leniency *leniency)
{
    struct json_object *lenient = describe_fields(NULL, leniency->rules);
    struct json_object *strict = describe_fields(leniency->strict_unknown ? LENIENCY_UNKNOWN : NULL, leniency->strict);
    if (!leniency->all && json_count(strict) > 0) {
        struct json_object *both = json_object_new_object();
        json_add(both, "lenient", lenient);
        json_add(both, "strict", strict);
        return both;
    }
    json_object_put(strict);
    if (!leniency->all && json_count(lenient) > 0) {
        return lenient;
    }
    json_object_put(lenient);
    return json_object_new_string(leniency->all ? "lenient" : "strict");
}

/* The URL that completes its bare paths, if it was needed or is set; or NULL. */
static const char *stream_url_of(const struct runtime_entry *entry, const struct runtime *runtime)
{
    return entry->stream_url || runtime->stream_address.url[0] == '\0' ? entry->stream_url : runtime->stream_address.url;
}

/* What it says of a runtime whose name is given beside it: "has been unavailable for 3 s: ..." */
static const char *without_name(const char *message, const char *name)
{
    static const char word[] = "runtime ";
    size_t lead = sizeof word - 1, length = strlen(name);
    bool named = strncmp(message, word, lead) == 0 && strncmp(message + lead, name, length) == 0 && message[lead + length] == ' ';
    return named ? message + lead + length + 1 : message;
}

/* The list of pods or containers that failed for the whole node, the last time, because of one of several runtimes; NULL: none
   did. */
static const char *failing_list(const struct runtime *runtime)
{
    for (size_t i = 0; i < method_count && !runtime->alone; i++) {
        bool lists = methods[i].remember == REMEMBER_POD_LIST || methods[i].remember == REMEMBER_CONTAINER_LIST;
        if (lists && (runtime->missing.fails_now & method_bit(&methods[i])) != 0) {
            return methods[i].name;
        }
    }
    return NULL;
}

/* "ready", "away" and so on; "degraded": it is ready, but its image service is not. */
static const char *state_of(const struct runtime *runtime)
{
    bool degraded = runtime->state == RUNTIME_READY && runtime->images && runtime->images->state != RUNTIME_READY;
    return degraded ? "degraded" : runtime_state_name(runtime->state);
}

/* Why it is not ready. */
static void add_note(struct json_object *object, const struct runtime *runtime)
{
    struct error error = {0};
    char text[ERROR_MESSAGE_SIZE + sizeof "its image service "];
    if (!runtime_ready(runtime, &error)) {
        add_string(object, "note", without_name(error.message, runtime->entry->name));
    } else if (runtime->images && !runtime_ready(runtime->images, &error)) {
        snprintf(text, sizeof text, "its image service %s", without_name(error.message, runtime->images->entry->name));
        add_string(object, "note", text);
    }
}

/* What there is to tell of a runtime and of an image service. */
static struct json_object *describe_peer(const struct gateway *gateway, const struct runtime *runtime, const char *role)
{
    struct json_object *object = json_object_new_object();
    int64_t oldest_call = in_flight_oldest(&gateway->server, runtime);
    add_string(object, "name", runtime->entry->name);
    add_string(object, "role", role);
    add_string(object, "endpoint", runtime->entry->endpoint);
    if (runtime->connection.docker) {
        add_string(object, "resolvedEndpoint", runtime_endpoint(runtime));
    }
    add_string(object, "state", state_of(runtime));
    add_number(object, "sinceMilliseconds", milliseconds_since(runtime->since));
    if (runtime->met) {
        add_string(object, "dialect", dialects[runtime->dialect].name);
        add_string(object, "runtimeName", runtime->version_name);
        add_string(object, "runtimeVersion", runtime->version);
    }
    add_number(object, "calls", runtime->calls);
    add_number(object, "answered", (int64_t)runtime->answered);
    add_number(object, "answeredMicroseconds", runtime->answer_time / (NANOSECONDS_A_MILLISECOND / 1000));
    add_number(object, "oldestCallMilliseconds", oldest_call > 0 ? milliseconds_since(oldest_call) : 0);
    add_note(object, runtime);
    if (runtime_unanswered(runtime)) {
        add_string(object, "unanswered", runtime_unanswered(runtime));
        json_add(object, "answersLate", json_object_new_boolean(runtime_answers_late(runtime)));
    }
    loss_counters_describe(&runtime->losses, object);
    return object;
}

static struct json_object *describe_runtime(const struct gateway *gateway, size_t position)
{
    const struct runtime_map *map = gateway->generation->map;
    struct runtime *runtime = gateway->generation->runtimes[position];
    struct json_object *object = describe_peer(gateway, runtime, role_of(map, position));
    int64_t taken_at;
    json_add(object, "default", json_object_new_boolean(position == map->default_runtime));
    add_number(object, "pods", (int64_t)gateway_pods_of(gateway, runtime));
    if (last_known_taken_at(runtime->known.last_known, ID_POD, &taken_at)) {
        add_number(object, "lastKnownAgeMilliseconds", clock_ms() - taken_at);
    }
    const char *stream_url = stream_url_of(&map->runtimes[position], runtime);
    if (stream_url) {
        add_string(object, "streamUrl", stream_url);
        add_string(object, "streamUrlFrom", map->runtimes[position].stream_url ? "runtime map" : "default route");
    }
    bool doubtful = runtime->known.in_doubt[ID_POD] != 0 || runtime->known.in_doubt[ID_CONTAINER] != 0;
    if (failing_list(runtime)) {
        add_string(object, "failingList", failing_list(runtime));
    }
    json_add(object, "inDoubt", json_object_new_boolean(doubtful));
    json_add(object, "translation", describe_translation(&map->runtimes[position].translation));
    if (runtime->images) {
        json_add(object, "images", describe_peer(gateway, runtime->images, "images"));
    }
    return object;
}

static bool describe_status(void *state, const char *argument, struct json_object *object, struct error *error)
{
    (void)argument;
    (void)error;
    struct gateway *gateway = state;
    struct json_object *runtimes = json_object_new_array();
    for (size_t i = 0; i < gateway->generation->map->runtime_count; i++) {
        json_append(runtimes, describe_runtime(gateway, i));
    }
    add_string(object, "version", CRIGATE_VERSION);
    add_string(object, "listen", gateway->generation->map->listen.address);
    json_add(object, "sockets", gateway_sockets(gateway));
    add_number(object, "calls", gateway->server.calls);
    add_number(object, "callsArrived", (int64_t)gateway->server.arrived);
    json_add(object, "runtimes", runtimes);
    json_add(object, "callers", gateway_callers(&gateway->server.callers));
    const char *refusal = memory_limit_refuses_next(&gateway->server);
    if (refusal) {
        add_string(object, "refusesCalls", refusal);
    }
    struct json_object *audit = audit_describe();
    if (audit) {
        json_add(object, "audit", audit);
    }
    if (gateway->generation->map->hooks.on) {
        json_add(object, "hooks", hooks_summary(&gateway->hooks));
    }
    add_number(object, CONTROL_PID, getpid());
    return true;
}

static bool describe_calls(void *state, const char *runtime, struct json_object *object, struct error *error)
{
    (void)error;
    size_t position;
    const struct gateway *gateway = state;
    if (*runtime && !owner_by_name(gateway->generation->map, bytes_of_string(runtime), &position)) {
        json_add(object, CONTROL_NO_RUNTIME, json_object_new_boolean(true));
    } else {
        in_flight_describe_all(&gateway->server, *runtime ? runtime : NULL, object);
    }
    add_number(object, CONTROL_PID, getpid());
    return true;
}

void gateway_summary(const struct gateway *gateway, char *text, size_t size)
{
    const struct generation *generation = gateway->generation;
    size_t count = generation->map->runtime_count, ready = 0;
    bool serves = runtime_passes_calls(generation_primary(generation));
    bool refuses = generation->map->hooks.on && hooks_refuse(&gateway->hooks);
    for (size_t i = 0; i < count; i++) {
        ready += strcmp(state_of(generation->runtimes[i]), "ready") == 0 ? 1 : 0;
    }
    size_t used = (size_t)snprintf(text, size, "%s:", !serves ? "down" : ready == count && !refuses ? "well" : "degraded");
    for (size_t i = 0; i < count; i++) {
        const struct runtime *runtime = generation->runtimes[i];
        char part[256];
        size_t more = (size_t)snprintf(part, sizeof part, "%s %.200s %s%s", i > 0 ? "," : "", runtime->entry->name,
                                       state_of(runtime), i == generation->map->primary ? " (primary)" : "");
        if (used + more + sizeof ", and 100 more" >= size) {
            snprintf(text + used, size - used, ", and %zu more", count - i);
            return;
        }
        memcpy(text + used, part, more + 1);
        used += more;
    }
}

/* The only one of which all plain ids are. */
static size_t only_plain(const struct runtime_map *map)
{
    size_t i = 0;
    while (i + 1 < map->runtime_count && !map->runtimes[i].plain_ids) {
        i++;
    }
    return i;
}

/* The runtime that the index knows to hold a plain id, or NULL. */
static const struct runtime *holder_of(const struct gateway *gateway, struct bytes id, enum id_kind *kind)
{
    const struct generation *generation = gateway->generation;
    for (*kind = ID_POD; *kind <= ID_CONTAINER; (*kind)++) {
        unsigned slot = 0;
        bool indexed = id_index_find(gateway->knowledge.index, *kind, id, &slot) == ID_HELD;
        for (size_t i = 0; i < generation->map->runtime_count; i++) {
            const struct runtime *runtime = generation->runtimes[i];
            if (indexed ? runtime->slot == slot : held_has(generation->runtimes[i], *kind, id)) {
                return runtime;
            }
        }
    }
    return NULL;
}

static bool is_disputed(const struct gateway *gateway, struct bytes id)
{
    unsigned slot;
    return id_index_find(gateway->knowledge.index, ID_POD, id, &slot) == ID_DISPUTED ||
           id_index_find(gateway->knowledge.index, ID_CONTAINER, id, &slot) == ID_DISPUTED;
}

/* How it is told may prove nothing: an id of that form may never have been given to anything. Lists that are not kept say nothing
   of that. */
static void add_held(struct json_object *object, struct runtime *runtime, struct bytes id)
{
    if (knowledge_keeps_lists(runtime)) {
        bool held = held_has(runtime, ID_POD, id) || held_has(runtime, ID_CONTAINER, id);
        json_add(object, "held", json_object_new_boolean(held));
    }
}

static bool describe_owner(void *state, const char *argument, struct json_object *object, struct error *error)
{
    if (!*argument) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "the id is missing");
    }
    size_t owner;
    struct bytes id = bytes_of_string(argument);
    const struct gateway *gateway = state;
    struct bytes local;
    enum id_kind kind = ID_POD;
    const struct generation *generation = gateway->generation;
    if (owner_by_prefix(generation->map, id, &owner, &local)) {
        add_string(object, "runtime", generation->map->runtimes[owner].name);
        add_string(object, "told", "by the prefix of the id");
        add_held(object, generation->runtimes[owner], local);
    } else if (generation->plain_count == 1) {
        owner = only_plain(generation->map);
        add_string(object, "runtime", generation->map->runtimes[owner].name);
        add_string(object, "told", "by the runtime map: one runtime has plain ids");
        add_held(object, generation->runtimes[owner], id);
    } else if (is_disputed(gateway, id)) {
        add_string(object, "disputed", "two runtimes claim it; calls for it are refused");
    } else {
        const struct runtime *runtime = holder_of(gateway, id, &kind);
        if (runtime) {
            add_string(object, "runtime", runtime->entry->name);
            add_string(object, "told", kind == ID_POD ? "it holds a pod with that id" : "it holds a container with that id");
        }
    }
    return true;
}

const struct control_report gateway_reports[] = {
    {CONTROL_STATUS, describe_status},
    {CONTROL_OWNER, describe_owner},
    {CONTROL_HOOKS, gateway_describe_hooks},
    {CONTROL_CALLS, describe_calls},
    {0},
};
