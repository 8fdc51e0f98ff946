#include "core/calls/describe.h"

#include "base/bytes/url_secret.h"
#include "base/json/build.h"
#include "base/system/clock.h"
#include "core/transport/c_core.h"
#include "core/upstream/hook_run.h"
#include "translate/schema/peek.h"

/* ---- text of requests ---- */

#define SHOWN_SIZE 129 /* with the NUL */

/* So far the end of a URL's secret is looked for: tokens of registries have some thousand bytes. */
#define SEARCHED_SIZE ((size_t)16 * 1024)

/* Hides what URLs in the text keep secret. The end of a secret may be behind what is shown; where it is too far behind, all from
   the URL on is hidden. */
static void hide_secrets(struct bytes whole, char *text, size_t shown)
{
    struct url_secret search = {.text = bytes_of(whole.data, whole.len < SEARCHED_SIZE ? whole.len : SEARCHED_SIZE)};
    size_t begin, end;
    while (url_secret_next(&search, &begin, &end) && begin < shown) {
        memset(text + begin, '?', (end < shown ? end : shown) - begin);
    }
    char *mark = whole.len > SEARCHED_SIZE ? memchr(text, ':', shown) : NULL;
    if (mark) {
        memset(mark, '?', shown - (size_t)(mark - text));
    }
}

/* The beginning of bytes from outside, fit for a terminal and for JSON. */
static void show(struct bytes bytes, char *text, size_t size)
{
    size_t shown = bytes.len < size - 1 ? bytes.len : size - 1;
    for (size_t i = 0; i < shown; i++) {
        text[i] = (char)(bytes.data[i] > ' ' && bytes.data[i] <= '~' ? bytes.data[i] : '?');
    }
    hide_secrets(bytes, text, shown);
    text[shown] = '\0';
}

static void add_text(struct json_object *object, const char *key, struct bytes bytes)
{
    char text[SHOWN_SIZE];
    if (bytes.len > 0) {
        show(bytes, text, sizeof text);
        json_add(object, key, json_object_new_string(text));
    }
}

void in_flight_method(const struct call *call, char *name, size_t size)
{
    const struct method *method = call->request.stream ? call->request.stream : call->request.method;
    show(method ? bytes_of_string(method->name) : transport_slice_bytes(&call->details.method), name, size);
}

/* ---- what it waits for ---- */

/* Calls wait for the primary, or else for a first look at all runtimes. */
static bool waits_for_primary(const struct call *call)
{
    const struct generation *generation = call->request.generation;
    return call->server->primary_may_come && call->route.count > 0 && call->route.targets[0] == generation->map->primary &&
           generation_peer(generation, generation->map->primary, call->request.method)->state != RUNTIME_READY;
}

static const char *state_of_asking(const struct call *call)
{
    for (size_t i = 0; call->upstream_calls && i < call->route.count; i++) {
        if (call->upstream_calls[i].state == UPSTREAM_IN_HOOKS) {
            return "in hooks";
        }
    }
    return "asking";
}

const char *in_flight_state(const struct call *call)
{
    switch (call->state) {
    case CALL_PARKED:
        return waits_for_primary(call) ? "waiting for the primary" : "waiting for runtimes to connect";
    case CALL_WAITING_TO_PULL:
        return "waiting for other pulls";
    case CALL_FINDING_OWNER:
        return "finding the owner";
    case CALL_ASKING:
        return state_of_asking(call);
    case CALL_STREAMING:
        return "streaming";
    case CALL_REPLYING:
        return call->downstream ? "streaming" : "replying";
    case CALL_ARRIVING:
    case CALL_RECEIVING:
    default:
        return "receiving the request";
    }
}

/* ---- runtimes ---- */

/* A runtime, or its image service. */
static const struct runtime *target(const struct call *call, size_t i)
{
    return generation_peer(call->request.generation, call->route.targets[i], call->request.method);
}

static void add_runtimes(struct json_object *object, const struct call *call)
{
    bool asks = call->state == CALL_ASKING || call->state == CALL_STREAMING;
    struct json_object *all = json_object_new_array();
    struct json_object *awaited = json_object_new_array();
    for (size_t i = 0; i < call->route.count; i++) {
        const char *name = target(call, i)->entry->name;
        bool is_awaited = asks && (!call->upstream_calls || call->upstream_calls[i].state != UPSTREAM_IDLE);
        json_append(all, json_object_new_string(name));
        if (is_awaited) {
            json_append(awaited, json_object_new_string(name));
        }
    }
    for (size_t i = 0; call->upstream_calls && i < call->route.count; i++) {
        const char *plugin = hook_run_asks(&call->upstream_calls[i]);
        if (plugin) {
            json_add(object, "plugin", json_object_new_string(plugin));
        }
    }
    json_add(object, "runtimes", all);
    json_add(object, "waitsFor", awaited);
}

static bool concerns(const struct call *call, const char *runtime)
{
    size_t i = 0;
    while (i < call->route.count && strcmp(call->request.generation->map->runtimes[call->route.targets[i]].name, runtime) != 0) {
        i++;
    }
    return i < call->route.count;
}

/* ---- a call ---- */

static void add_names(struct json_object *object, const struct request *request)
{
    static const struct {
        enum peek place;
        const char *key;
    } names[] = {{PEEK_POD, "pod"}, {PEEK_SANDBOX_UID, "podUid"}, {PEEK_CONTAINER, "container"}, {PEEK_IMAGE, "image"}};
    for (size_t i = 0; request->method && i < sizeof names / sizeof names[0]; i++) {
        add_text(object, names[i].key, peek_bytes(request->method, request->caller, names[i].place, request->bytes));
    }
}

static void add_caller(struct json_object *object, struct call *call)
{
    const struct peer *caller = call_caller(call);
    if (call->request.cancelled) {
        json_add(object, "callerGone", json_object_new_boolean(true));
    } else if (caller) {
        json_add(object, "pid", json_object_new_int64(caller->pid));
        json_add(object, "uid", json_object_new_int64(caller->uid));
    }
}

struct json_object *in_flight_describe(struct call *call, int64_t now)
{
    char method[SHOWN_SIZE];
    struct json_object *object = json_object_new_object();
    in_flight_method(call, method, sizeof method);
    json_add(object, "id", json_object_new_int64((int64_t)call->id));
    json_add(object, "method", json_object_new_string(method));
    json_add(object, "state", json_object_new_string(in_flight_state(call)));
    json_add(object, "ageMilliseconds", json_object_new_int64((now - call->started) / NANOSECONDS_A_MILLISECOND));
    add_names(object, &call->request);
    if (call->route.count > 0) {
        add_runtimes(object, call);
    }
    add_caller(object, call);
    return object;
}

/* Newest first, as they are in the server's list. The first ones that are too many are left out. */
void in_flight_describe_all(const struct call_server *server, const char *runtime, struct json_object *object)
{
    int64_t total = 0, now = clock_ns();
    for (const struct call *call = LIST_FIRST(&server->in_flight); call; call = LIST_NEXT(call, flight)) {
        total += !runtime || concerns(call, runtime);
    }
    struct json_object *array = json_object_new_array();
    int64_t left = total;
    for (struct call *call = LIST_FIRST(&server->in_flight); call; call = LIST_NEXT(call, flight)) {
        bool wanted = !runtime || concerns(call, runtime);
        left -= wanted;
        if (array && wanted && left < IN_FLIGHT_DESCRIBED) {
            json_object_array_put_idx(array, (size_t)left, in_flight_describe(call, now));
        }
    }
    json_add(object, "calls", array);
    json_add(object, "total", json_object_new_int64(total));
}
