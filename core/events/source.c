#include "source.h"

#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/events/gaps.h"
#include "core/events/resync.h"
#include "core/events/since.h"
#include "core/events/stream.h"
#include "core/events/table.h"

/* After this time a stream that has not ended is taken to stand, and lists are asked for what came before it. */
#define SETTLE_MS 100
/* What failed is tried again after this time; also how often lists are asked for at most because a message could not be read. */
#define AGAIN_MS 1000
/* Events that lack something wait so long for others of their kind. */
#define GATHER_MS 20
/* Until a stream sends anything, its lists are compared at this multiple of the interval. */
#define QUIET_INTERVALS 10

enum watch_step {
    WATCH_WAITING,   /* the runtime is not ready */
    WATCH_LEARNING,  /* what exists when the first listener comes, and is not reported */
    WATCH_STREAMING, /* or about to, again */
    WATCH_COMPARING, /* or nothing, where the runtime map wants that */
};

struct event_source {
    struct runtime *runtime;
    const struct event_source_listener *listener;
    struct event_table *table;
    enum watch_step step;
    bool learned;
    struct event_since since; /* what is older is no news */
    int64_t looked_at;        /* wall clock: when lists were asked for last */
    bool lacks;               /* the runtime has reported that it does not stream; since it became ready */
    bool complained;          /* of its messages; since it became ready */
    bool untold_logged;       /* logged that the content of its lists could not be reported; since it became ready */
    bool end_told;            /* that its stream ended, in the log; since it became ready */
    bool unsettled;           /* lists have not been looked at since the stream was opened, or a message could not be read */
    bool is_full;             /* the table is full; as logged */
    bool gaps_told;           /* that the stream lacks something, in the log */
    struct event_gaps gaps;
    size_t filling; /* of the waiting events, those that the current resync reports */
    struct event_stream *stream;
    struct event_resync *catch_up;
    struct timer timer;
};

static void again_in(struct event_source *watch, int64_t milliseconds)
{
    worker_arm(watch->runtime->worker, &watch->timer, milliseconds);
}

static void again_by(struct event_source *watch, int64_t milliseconds)
{
    if (!watch->timer.armed || watch->timer.due > clock_ns() + milliseconds * NANOSECONDS_A_MILLISECOND) {
        again_in(watch, milliseconds);
    }
}

static struct event_source_settings settings_of(const struct event_source *watch)
{
    return watch->listener->settings(watch->listener->state);
}

/* ---- reporting ---- */

static void note_told(struct event_source *watch, enum id_kind kind, struct bytes id, struct bytes pod,
                      enum container_stage stage)
{
    bool full = !event_table_told(watch->table, kind, id, pod, stage);
    if (full && !watch->is_full) {
        log_line(LOG_SERIOUS, "runtime %s: reports more than %d pods and containers; some events may be sent twice",
                 watch->runtime->entry->name, EVENT_TABLE_LIMIT);
    }
    watch->is_full = full;
}

/* ---- what lists show ---- */

/* The next lists show it again. */
static void take_untold(struct event_source *watch, const char *reason)
{
    if (!watch->untold_logged) {
        watch->untold_logged = true;
        log_line(LOG_SERIOUS, "runtime %s: cannot report what its lists show, listing again: %s", watch->runtime->entry->name,
                 reason);
    }
    watch->unsettled = true;
}

static bool has_room(void *state)
{
    const struct event_source *watch = state;
    return watch->listener->has_room(watch->listener->state);
}

static void tell_composed(void *state, const struct event_tale *tale, unsigned stages, const struct container_event_parts *parts,
                          struct arena *arena)
{
    struct event_source *watch = state;
    struct container_event_parts whole = *parts;
    /* Statuses may lack what was created since: a kubelet must not take them for newer than its own actions meanwhile. */
    whole.created_at = watch->looked_at;
    for (unsigned stage = 0; stage < STAGE_COUNT; stage++) {
        struct error error = {0};
        struct bytes event;
        whole.stage = (enum container_stage)stage;
        if (!(stages >> stage & 1U)) {
            continue;
        }
        if (!container_event_compose(&whole, arena, &event) ||
            !watch->listener->tell(watch->listener->state, watch->runtime, DIALECT_MODEL, event, arena, &error)) {
            take_untold(watch, error.code != STATUS_OK ? error.message : "no memory");
            return;
        }
        note_told(watch, tale->kind, tale->id, tale->pod, whole.stage);
    }
}

static void on_caught_up(void *state, const struct error *error);

static const struct event_resync_listener catch_up_listener = {.has_room = has_room, .tell = tell_composed, .done = on_caught_up};

static struct event_resync_settings catch_up_settings(const struct event_source *watch)
{
    struct event_source_settings settings = settings_of(watch);
    return (struct event_resync_settings){
        .runtime = watch->runtime,
        .table = watch->table,
        .node = settings.node,
        .message_size = settings.message_size,
        .silent = !watch->learned,
        .heard = watch->gaps.tales,
        .heard_count = watch->gaps.count,
    };
}

static void catch_up(struct event_source *watch)
{
    if (watch->catch_up) {
        watch->unsettled = true; /* its lists may be too old */
        return;
    }
    struct event_resync_settings how = catch_up_settings(watch);
    watch->looked_at = clock_wall_ns();
    if (!watch->learned) {
        watch->since = event_since_now();
    }
    watch->filling = watch->gaps.count;
    watch->catch_up = event_resync_start(&how, &catch_up_listener, watch);
    if (!watch->catch_up) {
        again_in(watch, AGAIN_MS);
    }
}

static void drop_catch_up(struct event_source *watch)
{
    if (watch->catch_up) {
        event_resync_cancel(watch->catch_up);
        watch->catch_up = NULL;
    }
}

static void compare_from_now_on(struct event_source *watch)
{
    struct event_source_settings settings = settings_of(watch);
    watch->step = WATCH_COMPARING;
    if (settings.compose) {
        again_in(watch, settings.interval);
    } else {
        worker_disarm(watch->runtime->worker, &watch->timer); /* the stream's, which was to have lists looked at */
        drop_catch_up(watch);
    }
}

/* ---- the runtime's stream ---- */

/* An unreadable event may have been anything: lists show what happened. */
static void take_bad_message(struct event_source *watch, const char *reason)
{
    if (!watch->complained) {
        watch->complained = true;
        log_line(LOG_SERIOUS, "runtime %s: cannot read one of its events, listing instead: %s", watch->runtime->entry->name,
                 reason);
    }
    watch->unsettled = true;
    if (!watch->catch_up) {
        again_by(watch, AGAIN_MS);
    }
}

/* Runtimes keep events for late listeners: what was over before anybody listened is not reported at all. */
static bool is_stale(const struct event_source *watch, const struct container_event *event)
{
    return event_since_is_after(&watch->since, event->created_at) && !event_table_knows(watch->table, event->id);
}

/* What the stream is found to lack is looked for in lists, if the map wants events composed; with them go the events that wait.
 */
static void look_on(struct event_source *watch)
{
    struct event_source_settings settings = settings_of(watch);
    if (!watch->stream || watch->catch_up) {
        return;
    }
    if (watch->gaps.count > 0) {
        again_by(watch, GATHER_MS);
    } else if (settings.compose && event_gaps_need_lists(&watch->gaps)) {
        again_by(watch, (int64_t)settings.interval * (watch->gaps.heard ? 1 : QUIET_INTERVALS));
    }
}

static void note_gaps(struct event_source *watch)
{
    if (!watch->gaps_told) {
        watch->gaps_told = true;
        log_line(LOG_SERIOUS, "runtime %s: its stream of events leaves out steps%s", watch->runtime->entry->name,
                 settings_of(watch).compose ? "; crigate also lists and asks for statuses" : "");
    }
}

/* Learns what the stream lacks. true: the event waits for its statuses, and is reported with them. */
static bool waits(struct event_source *watch, enum id_kind kind, const struct container_event *event, unsigned stages)
{
    if (event_gaps_learn(&watch->gaps, kind, event, stages, !watch->unsettled)) {
        note_gaps(watch);
    }
    bool kept = stages != 0 && event_gaps_incomplete(&watch->gaps, event) && settings_of(watch).compose &&
                event_gaps_keep(&watch->gaps, kind, event);
    look_on(watch);
    return kept;
}

/* A runtime may have forgotten the pod of its last event. */
static enum id_kind kind_of(const struct event_source *watch, const struct container_event *event)
{
    bool is_pod = bytes_equal(event->id, event->pod) || (event->pod.len == 0 && event_table_is_pod(watch->table, event->id));
    return is_pod ? ID_POD : ID_CONTAINER;
}

static void see_pod(struct event_source *watch, enum dialect dialect, const struct container_event *event)
{
    struct container_event_pod seen;
    if (event->pod.len > 0 && !event_table_seen_pod(watch->table, event->pod, &seen)) {
        seen = (struct container_event_pod){.dialect = dialect, .message = event->pod_status};
        event_table_see_pod(watch->table, event->pod, &seen);
    }
}

static void take_event(void *state, struct bytes message, struct arena *arena)
{
    struct event_source *watch = state;
    struct container_event event;
    struct error error = {0};
    enum dialect dialect = runtime_answer_dialect(watch->runtime);
    if (!container_event_read(dialect, message, &event) || event.id.len > EVENT_TABLE_LONGEST_ID ||
        event.pod.len > EVENT_TABLE_LONGEST_ID) {
        take_bad_message(watch, "malformed");
        return;
    }
    enum id_kind kind = kind_of(watch, &event);
    if (is_stale(watch, &event)) {
        event_table_was_before(watch->table, kind, event.id, event.stage);
        return;
    }
    unsigned stages = event_table_untold(watch->table, kind, event.id, event.stage, event.never_started);
    if (waits(watch, kind, &event, stages)) {
        see_pod(watch, dialect, &event);
        return;
    }
    for (unsigned stage = 0; stage < STAGE_COUNT; stage++) {
        struct bytes told = message;
        if (!(stages >> stage & 1U)) {
            continue;
        }
        bool made = stage == event.stage || container_event_retell(dialect, message, (enum container_stage)stage, arena, &told) ||
                    error_set(&error, STATUS_RESOURCE_EXHAUSTED, "no memory");
        if (!made || !watch->listener->tell(watch->listener->state, watch->runtime, dialect, told, arena, &error)) {
            take_bad_message(watch, error.message);
            return;
        }
        note_told(watch, kind, event.id, event.pod, (enum container_stage)stage);
    }
    see_pod(watch, dialect, &event);
}

static void take_lost(void *state)
{
    take_bad_message(state, "no memory");
}

static void does_not_stream(struct event_source *watch, const char *why)
{
    watch->lacks = true;
    log_line(LOG_SERIOUS, "runtime %s: does not stream events: %s", watch->runtime->entry->name, why);
    watch->listener->changed(watch->listener->state);
    compare_from_now_on(watch);
    if (settings_of(watch).compose) {
        catch_up(watch);
    }
}

/* What the end of a stream means. */
static void take_end(void *state, const struct event_stream_end *end)
{
    struct event_source *watch = state;
    watch->stream = NULL;
    if (end->explained) {
        again_in(watch, AGAIN_MS); /* the runtime's state is reported elsewhere */
    } else if (end->status == STATUS_UNIMPLEMENTED) {
        does_not_stream(watch, "it does not know the call");
    } else if (end->status == STATUS_OK && end->at_once) {
        does_not_stream(watch, "it ended the stream at once");
    } else {
        log_line(watch->end_told ? LOG_CHANGES : LOG_SERIOUS, "runtime %s: its stream of events ended; reopening it: %s: %.*s",
                 watch->runtime->entry->name, status_code_name(end->status), BYTES_SHOWN(end->details, 200));
        watch->end_told = true;
        again_in(watch, AGAIN_MS);
    }
}

static bool may_read(void *state)
{
    const struct event_source *watch = state;
    return has_room(state) && watch->gaps.count < EVENT_GAPS_MOST;
}

static const struct event_stream_listener stream_listener = {
    .may_read = may_read, .message = take_event, .lost = take_lost, .ended = take_end};

static void abandon_stream(struct event_source *watch)
{
    struct event_stream *stream = watch->stream;
    if (stream) {
        watch->stream = NULL;
        event_stream_cancel(stream);
    }
}

static void open_stream(struct event_source *watch)
{
    watch->step = WATCH_STREAMING;
    watch->unsettled = true;
    watch->stream = event_stream_open(watch->runtime, settings_of(watch).message_size, &stream_listener, watch);
    again_in(watch, watch->stream ? SETTLE_MS : AGAIN_MS);
}

/* ---- steps ---- */

bool event_source_may_stream(const struct event_source *watch)
{
    const struct runtime *runtime = watch->runtime;
    bool met = runtime->state == RUNTIME_READY || runtime->version_name[0] != '\0';
    return !watch->lacks && (!met || event_stream_method()->in[runtime->dialect].path != NULL);
}

/* What was there when somebody began to listen is known. */
static void follow(struct event_source *watch)
{
    if (event_source_may_stream(watch)) {
        open_stream(watch);
    } else {
        compare_from_now_on(watch);
    }
}

static void on_caught_up(void *state, const struct error *error)
{
    struct event_source *watch = state;
    bool failed = error->code != STATUS_OK;
    watch->catch_up = NULL;
    if (!failed) {
        event_gaps_drop(&watch->gaps, watch->filling);
    } else {
        log_line(LOG_CHANGES, "runtime %s: its lists do not show what happened: %s: %s", watch->runtime->entry->name,
                 status_code_name(error->code), error->message);
    }
    if (watch->step == WATCH_COMPARING) {
        compare_from_now_on(watch);
    } else if (failed || (watch->unsettled && !watch->timer.armed)) {
        again_in(watch, AGAIN_MS);
    } else if (watch->step == WATCH_LEARNING) {
        watch->learned = true;
        follow(watch);
    } else {
        look_on(watch);
    }
    if (watch->stream) {
        event_stream_go_on(watch->stream);
    }
}

static void on_timer(struct completion *completion, bool ok)
{
    (void)ok;
    struct event_source *watch = completion_owner(completion, struct event_source, timer);
    bool settled = !watch->unsettled;
    bool reopens = watch->step == WATCH_STREAMING && !watch->stream;
    if (reopens) {
        open_stream(watch);
    }
    /* A stream that never stands long enough must not keep lists from being looked at. */
    if (!reopens || !settled) {
        watch->unsettled = reopens;
        catch_up(watch);
    }
}

static void stop(struct event_source *watch)
{
    watch->step = WATCH_WAITING;
    worker_disarm(watch->runtime->worker, &watch->timer);
    abandon_stream(watch);
    drop_catch_up(watch);
}

static void begin(struct event_source *watch)
{
    watch->lacks = watch->complained = watch->untold_logged = watch->end_told = watch->unsettled = false;
    if (watch->learned) {
        follow(watch);
        if (watch->step == WATCH_COMPARING && settings_of(watch).compose) {
            catch_up(watch);
        }
    } else {
        watch->step = WATCH_LEARNING;
        catch_up(watch);
    }
}

void event_source_runtime_changed(struct event_source *watch)
{
    stop(watch);
    if (watch->runtime->state == RUNTIME_READY) {
        begin(watch);
    }
    watch->listener->changed(watch->listener->state);
}

void event_source_reconsider(struct event_source *watch)
{
    if (watch->step == WATCH_COMPARING && !watch->catch_up) {
        worker_disarm(watch->runtime->worker, &watch->timer);
        compare_from_now_on(watch);
    } else if (watch->step == WATCH_STREAMING) {
        look_on(watch);
    }
}

void event_source_go_on(struct event_source *watch)
{
    if (watch->catch_up) {
        event_resync_go_on(watch->catch_up);
    }
    if (watch->stream) {
        event_stream_go_on(watch->stream);
    }
}

struct runtime *event_source_runtime(const struct event_source *watch)
{
    return watch->runtime;
}

void event_source_last_look(struct event_source *watch)
{
    struct event_resync_settings how = catch_up_settings(watch);
    stop(watch);
    watch->looked_at = clock_wall_ns();
    if (watch->learned && (settings_of(watch).compose || event_source_may_stream(watch))) {
        event_resync_last_look(&how, &catch_up_listener, watch);
    }
}

/* What lists show of the runtime meanwhile is where its events go on from. */
static void learn_known(struct event_source *watch)
{
    int64_t taken_at = 0; /* clock_ms() */
    watch->learned =
        event_resync_from_known(watch->table, watch->runtime->known.last_known, settings_of(watch).message_size, &taken_at);
    watch->since = event_since_moment(taken_at * NANOSECONDS_A_MILLISECOND);
}

struct event_source *event_source_new(struct runtime *runtime, const struct event_source_listener *listener)
{
    struct event_source *watch = calloc(1, sizeof *watch);
    struct event_table *table = event_table_new();
    if (!watch || !table) {
        free(watch);
        event_table_free(table);
        return NULL;
    }
    *watch = (struct event_source){
        .runtime = runtime_ref(runtime), .listener = listener, .table = table, .timer.completion.run = on_timer};
    if (runtime->state == RUNTIME_READY) {
        begin(watch);
    } else {
        learn_known(watch);
    }
    return watch;
}

void event_source_free(struct event_source *watch)
{
    stop(watch);
    event_table_free(watch->table);
    event_gaps_clear(&watch->gaps);
    runtime_unref(watch->runtime);
    free(watch);
}
