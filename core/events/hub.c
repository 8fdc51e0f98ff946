#include "hub.h"

#include <stdlib.h>
#include <sys/queue.h>

#include "base/log/log.h"
#include "base/system/clock.h"
#include "core/calls/downstream_stream.h"
#include "core/calls/reply.h"
#include "core/events/source.h"
#include "core/runtimes/name_map.h"

/* What may wait for a caller. All callers of one dialect share the bytes. */
#define MOST_MESSAGES 1024
#define MOST_BYTES ((size_t)4 * 1024 * 1024)

/* Subscriptions outlive the last listener by this: who comes again at once finds them. */
#define LINGER_MS 5000

/* A caller, in the arena of its call. */
struct listener {
    LIST_ENTRY(listener) link; /* in hub->listeners */
    struct event_hub *hub;
    struct call *call;
    struct downstream_stream downstream;
    bool listed;
    bool gone;
    bool full;             /* all wait for it */
    int64_t pressed_since; /* clock_ns(): it was full then, and still has much to take; 0: it has not */
};

struct event_hub {
    struct call_server *server;
    LIST_HEAD(, listener) listeners;
    size_t count;
    size_t full;
    struct event_source_listener source_listener;
    struct event_source **sources;
    size_t source_count;
    bool stopped;
    uint64_t passed; /* events, to listeners */
    struct timer linger;
    struct timer patience; /* armed while somebody is pressed */
};

/* ---- listeners ---- */

static void enlist(struct event_hub *hub, struct listener *listener)
{
    listener->listed = true;
    LIST_INSERT_HEAD(&hub->listeners, listener, link);
    hub->count++;
    worker_disarm(hub->server->worker, &hub->linger);
}

static void go_on(struct event_hub *hub)
{
    for (size_t i = 0; i < hub->source_count && hub->full == 0; i++) {
        event_source_go_on(hub->sources[i]);
    }
}

static void set_full(struct listener *listener, bool full)
{
    struct event_hub *hub = listener->hub;
    if (listener->full != full) {
        listener->full = full;
        hub->full = full ? hub->full + 1 : hub->full - 1;
    }
}

/* It gets no more events. */
static void delist(struct listener *listener)
{
    struct event_hub *hub = listener->hub;
    listener->listed = false;
    LIST_REMOVE(listener, link);
    set_full(listener, false);
    if (--hub->count == 0 && !hub->stopped) {
        worker_arm(hub->server->worker, &hub->linger, LINGER_MS);
    }
}

/* The call may be freed when it returns. */
static void end(struct listener *listener, enum status_code code, const char *text)
{
    struct error error = {0};
    delist(listener);
    error_set(&error, code, "%s", text);
    downstream_fail(&listener->downstream, &error);
}

static void on_room(void *state)
{
    struct listener *listener = state;
    set_full(listener, false);
    go_on(listener->hub);
}

static void on_gone(void *state)
{
    struct listener *listener = state;
    struct event_hub *hub = listener->hub;
    listener->gone = true;
    if (listener->listed) {
        end(listener, STATUS_CANCELLED, "the caller is gone");
        go_on(hub);
    }
}

static void on_stopping(void *state)
{
    end(state, STATUS_UNAVAILABLE, "the gateway is stopping; retry");
}

static const struct downstream_callbacks caller_listener = {.room = on_room, .gone = on_gone, .stopping = on_stopping};

/* ---- callers that are too slow ---- */

/* Reading one event from time to time is not enough: half of the waiting ones must be read. */
static bool has_recovered(const struct listener *listener)
{
    return listener->downstream.messages <= MOST_MESSAGES / 2 && listener->downstream.bytes <= MOST_BYTES / 2;
}

static void press(struct listener *listener)
{
    struct event_hub *hub = listener->hub;
    if (listener->pressed_since == 0) {
        listener->pressed_since = clock_ns();
    }
    if (!hub->patience.armed) {
        worker_arm(hub->server->worker, &hub->patience, EVENT_HUB_PATIENCE_MS);
    }
}

static void on_patience(struct completion *completion, bool ok)
{
    (void)ok;
    struct event_hub *hub = completion_owner(completion, struct event_hub, patience);
    int64_t now = clock_ns();
    int64_t left = INT64_MAX;
    struct listener *next;
    for (struct listener *listener = LIST_FIRST(&hub->listeners); listener; listener = next) {
        next = LIST_NEXT(listener, link);
        int64_t rest =
            listener->pressed_since / NANOSECONDS_A_MILLISECOND + EVENT_HUB_PATIENCE_MS - now / NANOSECONDS_A_MILLISECOND;
        if (listener->pressed_since == 0 || has_recovered(listener)) {
            listener->pressed_since = 0;
        } else if (rest > 0) {
            left = rest < left ? rest : left;
        } else {
            log_line(LOG_SERIOUS, "a caller reads its events too slowly; ending its stream");
            end(listener, STATUS_RESOURCE_EXHAUSTED, "the caller reads its events too slowly");
        }
    }
    if (left != INT64_MAX) {
        worker_arm(hub->server->worker, &hub->patience, left);
    }
    go_on(hub);
}

/* ---- events ---- */

static bool has_room(void *state)
{
    const struct event_hub *hub = state;
    return hub->full == 0;
}

static const char *const without_stream[COMPOSE_COUNT] = {
    [COMPOSE_WITH_OTHERS] = ("while another runtime streams, crigate composes them from its lists; if none does, callers get "
                             "UNIMPLEMENTED and look at lists themselves (events.compose)"),
    [COMPOSE_ALWAYS] = "crigate composes them from its lists",
    [COMPOSE_NEVER] = "callers do not see them (events.compose)",
};

static struct event_source_settings settings(void *state)
{
    const struct event_hub *hub = state;
    const struct runtime_map *map = hub->server->generation->map;
    return (struct event_source_settings){
        .node = hub->server->node,
        .message_size = map->limits.message_size,
        .compose = map->events.compose != COMPOSE_NEVER,
        .without_stream = without_stream[map->events.compose],
        .interval = map->events.interval,
    };
}

/* Converts the event to that caller's dialect. */
static bool convert(struct event_hub *hub, struct runtime *runtime, enum dialect from, enum dialect to, struct bytes event,
                    struct arena *arena, struct bytes *out, struct error *error)
{
    const struct generation *generation = hub->server->generation;
    size_t position = 0;
    while (generation->runtimes[position] != runtime) {
        position++;
    }
    struct name_map names;
    name_map_for_response(&names, generation->map, position, NULL, runtime->slot, 0);
    struct conversion conversion = {
        .method = method_by_name("GetContainerEvents"),
        .from = from,
        .to = to,
        .arena = arena,
        .names = &names.names,
        .node = hub->server->node,
        .merged = true,
    };
    return convert_response(&conversion, event, out, error);
}

/* The listener may be freed when it returns. */
static void give(struct listener *listener, grpc_slice event)
{
    struct call *call = listener->call;
    call_hold(call);
    listener->hub->passed++;
    downstream_put(&listener->downstream, grpc_slice_ref(event));
    if (listener->listed) {
        set_full(listener, !downstream_has_room(&listener->downstream));
        if (listener->full) {
            press(listener);
        } else if (listener->pressed_since != 0 && has_recovered(listener)) {
            listener->pressed_since = 0;
        }
    }
    call_drop(call);
}

/* Events that no retry could map: with a name of another runtime, or a string that is not UTF-8. */
static bool is_left_out(struct runtime *runtime, struct error *error)
{
    struct report report = {0};
    if (error->code != STATUS_ABORTED) {
        return false;
    }
    report_item(&report, error->message);
    runtime_note_losses(runtime, &report, false);
    *error = (struct error){0};
    return true;
}

static bool tell(void *state, struct runtime *runtime, enum dialect dialect, struct bytes event, struct arena *arena,
                 struct error *error)
{
    struct event_hub *hub = state;
    for (enum dialect to = 0; to < DIALECT_COUNT; to++) {
        grpc_slice slice = grpc_empty_slice();
        bool converted = false;
        struct listener *next;
        for (struct listener *listener = LIST_FIRST(&hub->listeners); listener; listener = next) {
            struct bytes out;
            next = LIST_NEXT(listener, link);
            if (listener->call->request.caller != to) {
                continue;
            }
            if (!converted && !convert(hub, runtime, dialect, to, event, arena, &out, error)) {
                return is_left_out(runtime, error);
            }
            if (!converted) {
                converted = true;
                /* A copy, so that waiting events take no more memory than their bytes; an arena takes many times as much. */
                slice = grpc_slice_from_copied_buffer((const char *)out.data, out.len);
            }
            give(listener, slice);
        }
        grpc_slice_unref(slice);
    }
    return true;
}

/* ---- subscriptions ---- */

static void close_sources(struct event_hub *hub)
{
    size_t count = hub->source_count;
    hub->source_count = 0;
    for (size_t i = 0; i < count; i++) {
        event_source_free(hub->sources[i]);
    }
    free(hub->sources);
    hub->sources = NULL;
}

static void on_linger_over(struct completion *completion, bool ok)
{
    (void)ok;
    close_sources(completion_owner(completion, struct event_hub, linger));
}

static struct event_source *source_of(const struct event_hub *hub, const struct runtime *runtime)
{
    for (size_t i = 0; i < hub->source_count; i++) {
        if (event_source_runtime(hub->sources[i]) == runtime) {
            return hub->sources[i];
        }
    }
    return NULL;
}

/* A source for each runtime of the generation in force; those that are there already stay. */
static void open_sources(struct event_hub *hub)
{
    const struct generation *generation = hub->server->generation;
    size_t room = hub->source_count + generation->map->runtime_count;
    struct event_source **sources = realloc(hub->sources, room * sizeof(struct event_source *));
    if (!sources) {
        return;
    }
    hub->sources = sources;
    for (size_t i = 0; i < generation->map->runtime_count; i++) {
        struct runtime *runtime = generation->runtimes[i];
        struct event_source *source = source_of(hub, runtime) ? NULL : event_source_new(runtime, &hub->source_listener);
        if (source) {
            sources[hub->source_count++] = source;
        }
    }
}

/* UNIMPLEMENTED makes a kubelet compare lists itself, which gives the same result as events composed by the gateway. */
static bool has_events(const struct event_hub *hub)
{
    bool may = hub->server->generation->map->events.compose == COMPOSE_ALWAYS;
    for (size_t i = 0; !may && i < hub->source_count; i++) {
        may = event_source_may_stream(hub->sources[i]);
    }
    return may;
}

#define NO_EVENTS "no runtime of this node streams events, and events.compose is not \"always\" in the runtime map"

static void on_source_changed(void *state)
{
    struct event_hub *hub = state;
    struct listener *next;
    if (hub->count == 0 || has_events(hub)) {
        return;
    }
    for (struct listener *listener = LIST_FIRST(&hub->listeners); listener; listener = next) {
        next = LIST_NEXT(listener, link);
        end(listener, STATUS_UNIMPLEMENTED, NO_EVENTS);
    }
}

void event_hub_runtime_changed(struct event_hub *hub, struct runtime *runtime)
{
    struct event_source *source = source_of(hub, runtime);
    if (source) {
        event_source_runtime_changed(source);
    }
}

static bool has_runtime(const struct generation *generation, const struct runtime *runtime)
{
    bool has = false;
    for (size_t i = 0; i < generation->map->runtime_count; i++) {
        has = has || generation->runtimes[i] == runtime;
    }
    return has;
}

void event_hub_part(struct event_hub *hub, const struct generation *next)
{
    for (size_t i = 0; i < hub->source_count; i++) {
        if (!has_runtime(next, event_source_runtime(hub->sources[i]))) {
            event_source_last_look(hub->sources[i]);
        }
    }
}

static void close_removed(struct event_hub *hub)
{
    size_t kept = 0;
    for (size_t i = 0; i < hub->source_count; i++) {
        struct event_source *source = hub->sources[i];
        if (has_runtime(hub->server->generation, event_source_runtime(source))) {
            hub->sources[kept++] = source;
        } else {
            event_source_free(source);
        }
    }
    hub->source_count = kept;
}

/* A stream that is open for days must not keep the runtimes of an old map. */
void event_hub_reload(struct event_hub *hub)
{
    struct generation *generation = hub->server->generation;
    for (struct listener *listener = LIST_FIRST(&hub->listeners); listener; listener = LIST_NEXT(listener, link)) {
        call_move_on(listener->call, generation);
    }
    if (hub->source_count == 0) {
        return;
    }
    close_removed(hub);
    open_sources(hub);
    for (size_t i = 0; i < hub->source_count; i++) {
        event_source_reconsider(hub->sources[i]);
    }
    on_source_changed(hub);
}

void event_hub_stop(struct event_hub *hub)
{
    struct worker *worker = hub->server->worker;
    hub->stopped = true;
    worker_disarm(worker, &hub->linger);
    worker_disarm(worker, &hub->patience);
    close_sources(hub);
}

/* ---- a call ---- */

/* The request has no filter, but must be well-formed. */
static bool check_request(struct call *call, struct error *error)
{
    struct bytes ignored;
    struct conversion conversion = {
        .method = call->request.method, .from = call->request.caller, .to = call->request.caller, .arena = call->request.arena};
    return convert_request(&conversion, call->request.bytes, &ignored, error);
}

static bool start(struct event_hub *hub, struct listener *listener, struct error *error)
{
    static const struct downstream_bounds bounds = {.messages = MOST_MESSAGES, .bytes = MOST_BYTES};
    struct call *call = listener->call;
    if (!check_request(call, error)) {
        return false;
    }
    if (!hub->server->stopping) {
        open_sources(hub);
        if (hub->count == 0) {
            worker_arm(hub->server->worker, &hub->linger, LINGER_MS);
        }
        if (!has_events(hub)) {
            return error_set(error, STATUS_UNIMPLEMENTED, NO_EVENTS);
        }
    }
    return downstream_start(&listener->downstream, call, &bounds, &caller_listener, listener, error);
}

void event_hub_listen(struct event_hub *hub, struct call *call)
{
    struct error error = {0};
    struct listener *listener = arena_zalloc(call->request.arena, sizeof *listener);
    if (!listener) {
        call_refuse(call, STATUS_RESOURCE_EXHAUSTED, "not enough memory for this call");
        return;
    }
    *listener = (struct listener){.hub = hub, .call = call};
    if (!start(hub, listener, &error)) {
        call_fail(call, &error);
        return;
    }
    enlist(hub, listener);
    if (listener->gone) {
        end(listener, STATUS_CANCELLED, "the caller is gone");
        return;
    }
    downstream_open(&listener->downstream);
}

/* ---- start and end ---- */

struct event_hub *event_hub_new(struct call_server *server)
{
    struct event_hub *hub = calloc(1, sizeof *hub);
    if (!hub) {
        return NULL;
    }
    *hub = (struct event_hub){
        .server = server,
        .source_listener = {.state = hub, .settings = settings, .has_room = has_room, .tell = tell, .changed = on_source_changed},
        .linger.completion.run = on_linger_over,
        .patience.completion.run = on_patience,
    };
    return hub;
}

void event_hub_free(struct event_hub *hub)
{
    free(hub);
}

uint64_t event_hub_passed(const struct event_hub *hub)
{
    return hub->passed;
}
