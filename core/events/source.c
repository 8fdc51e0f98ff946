#include "source.h"

#include <stdlib.h>

#include "base/log/log.h"
#include "base/system/clock.h"
#include "core/events/gaps.h"
#include "core/events/resync.h"
#include "core/events/since.h"
#include "core/events/stream.h"
#include "core/events/table.h"

/* After this time a stream that has not ended counts as established, and lists are asked for what came before it. */
#define SETTLE_MS 100
/* What failed is tried again after this time; also how often lists are asked for at most because a message could not be read. */
#define AGAIN_MS 1000
/* Events that lack something wait this long for others of their kind. */
#define GATHER_MS 20
/* Until a stream sends anything, its lists are compared at this multiple of the interval. */
#define QUIET_INTERVALS 10

enum source_step {
    SOURCE_WAITING,   /* the runtime is not ready */
    SOURCE_LEARNING,  /* what exists when the first listener comes, and is not reported */
    SOURCE_STREAMING, /* or about to, again */
    SOURCE_COMPARING, /* or nothing, where the runtime map wants that */
};

struct event_source {
    struct runtime *runtime;
    const struct event_source_listener *listener;
    struct event_table *table;
    enum source_step step;
    bool learned;
    struct event_since since; /* what is older is not new */
    int64_t looked_at;        /* wall clock: when lists were asked for last */
    bool complained;          /* of its messages; since it became ready */
    bool untold_logged;       /* logged that the content of its lists could not be reported; since it became ready */
    bool end_told;            /* that its stream ended, in the log; since it became ready */
    bool unsettled;           /* lists have not been looked at since the stream was opened, or a message could not be read */
    bool is_full;             /* the table is full; as logged */
    bool gaps_told;           /* that the stream lacks something, in the log */
    struct event_gaps gaps;
    size_t filling; /* of the waiting events, those that the current resync reports */
    struct event_stream *stream;
    struct event_resync *resync;
    struct timer timer;
};

static void again_in(struct event_source *source, int64_t milliseconds)
{
    worker_arm(source->runtime->worker, &source->timer, milliseconds);
}

static void again_by(struct event_source *source, int64_t milliseconds)
{
    if (!source->timer.armed || source->timer.due > clock_ns() + milliseconds * NANOSECONDS_A_MILLISECOND) {
        again_in(source, milliseconds);
    }
}

static struct event_source_settings settings_of(const struct event_source *source)
{
    return source->listener->settings(source->listener->state);
}

/* ---- reporting ---- */

static void note_told(struct event_source *source, enum id_kind kind, struct bytes id, struct bytes pod,
                      enum container_stage stage)
{
    bool full = !event_table_told(source->table, kind, id, pod, stage);
    if (full && !source->is_full) {
        log_line(LOG_SERIOUS, "runtime %s: reports more than %d pods and containers; some events may be sent twice",
                 source->runtime->entry->name, EVENT_TABLE_LIMIT);
    }
    source->is_full = full;
}

/* ---- what lists show ---- */

/* The next lists show it again. */
static void take_untold(struct event_source *source, const char *reason)
{
    if (!source->untold_logged) {
        source->untold_logged = true;
        log_line(LOG_SERIOUS, "runtime %s: cannot report what its lists show, listing again: %s", source->runtime->entry->name,
                 reason);
    }
    source->unsettled = true;
}

static bool has_room(void *state)
{
    const struct event_source *source = state;
    return source->listener->has_room(source->listener->state);
}

static void tell_composed(void *state, const struct event_tale *tale, unsigned stages, const struct container_event_parts *parts,
                          struct arena *arena)
{
    struct event_source *source = state;
    struct container_event_parts whole = *parts;
    /* Statuses may lack what was created since: a kubelet must not take them for newer than its own actions meanwhile. */
    whole.created_at = source->looked_at;
    for (unsigned stage = 0; stage < STAGE_COUNT; stage++) {
        struct error error = {0};
        struct bytes event;
        whole.stage = (enum container_stage)stage;
        if (!(stages >> stage & 1U)) {
            continue;
        }
        if (!container_event_compose(&whole, arena, &event) ||
            !source->listener->tell(source->listener->state, source->runtime, DIALECT_MODEL, event, arena, &error)) {
            take_untold(source, error.code != STATUS_OK ? error.message : "out of memory");
            return;
        }
        note_told(source, tale->kind, tale->id, tale->pod, whole.stage);
    }
}

static void on_resynced(void *state, const struct error *error);

static const struct event_resync_listener resync_listener = {.has_room = has_room, .tell = tell_composed, .done = on_resynced};

static struct event_resync_settings resync_settings(const struct event_source *source)
{
    struct event_source_settings settings = settings_of(source);
    return (struct event_resync_settings){
        .runtime = source->runtime,
        .table = source->table,
        .node = settings.node,
        .message_size = settings.message_size,
        .silent = !source->learned,
        .heard = source->gaps.tales,
        .heard_count = source->gaps.count,
    };
}

static void start_resync(struct event_source *source)
{
    if (source->resync) {
        source->unsettled = true; /* its lists may be too old */
        return;
    }
    struct event_resync_settings how = resync_settings(source);
    source->looked_at = clock_wall_ns();
    if (!source->learned) {
        source->since = event_since_now();
    }
    source->filling = source->gaps.count;
    source->resync = event_resync_start(&how, &resync_listener, source);
    if (!source->resync) {
        again_in(source, AGAIN_MS);
    }
}

static void drop_resync(struct event_source *source)
{
    if (source->resync) {
        event_resync_cancel(source->resync);
        source->resync = NULL;
    }
}

static void compare_from_now_on(struct event_source *source)
{
    struct event_source_settings settings = settings_of(source);
    source->step = SOURCE_COMPARING;
    if (settings.compose) {
        again_in(source, settings.interval);
    } else {
        worker_disarm(source->runtime->worker, &source->timer); /* the stream's, which was to have lists looked at */
        drop_resync(source);
    }
}

/* ---- the runtime's stream ---- */

/* An unreadable event may have been anything: lists show what happened. */
static void take_bad_message(struct event_source *source, const char *reason)
{
    if (!source->complained) {
        source->complained = true;
        log_line(LOG_SERIOUS, "runtime %s: cannot read one of its events, listing instead: %s", source->runtime->entry->name,
                 reason);
    }
    source->unsettled = true;
    if (!source->resync) {
        again_by(source, AGAIN_MS);
    }
}

/* Runtimes keep events for late listeners: what was over before anybody listened is not reported at all. */
static bool is_stale(const struct event_source *source, const struct container_event *event)
{
    return event_since_is_after(&source->since, event->created_at) && !event_table_knows(source->table, event->id);
}

/* What the stream is found to lack is looked for in lists, if the map wants events composed; with them go the events that wait.
 */
static void look_on(struct event_source *source)
{
    struct event_source_settings settings = settings_of(source);
    if (!source->stream || source->resync) {
        return;
    }
    if (source->gaps.count > 0) {
        again_by(source, GATHER_MS);
    } else if (settings.compose && event_gaps_need_lists(&source->gaps)) {
        again_by(source, (int64_t)settings.interval * (source->gaps.heard ? 1 : QUIET_INTERVALS));
    }
}

static void note_gaps(struct event_source *source)
{
    if (!source->gaps_told) {
        source->gaps_told = true;
        log_line(LOG_SERIOUS, "runtime %s: its event stream omits steps%s", source->runtime->entry->name,
                 settings_of(source).compose ? "; crigate also lists and asks for statuses" : "");
    }
}

/* Learns what the stream lacks. true: the event waits for its statuses, and is reported with them. */
static bool waits(struct event_source *source, enum id_kind kind, const struct container_event *event, unsigned stages)
{
    if (event_gaps_learn(&source->gaps, kind, event, stages, !source->unsettled)) {
        note_gaps(source);
    }
    bool kept = stages != 0 && event_gaps_incomplete(&source->gaps, event) && settings_of(source).compose &&
                event_gaps_keep(&source->gaps, kind, event);
    look_on(source);
    return kept;
}

/* A runtime may have forgotten the pod of its last event. */
static enum id_kind kind_of(const struct event_source *source, const struct container_event *event)
{
    bool is_pod = bytes_equal(event->id, event->pod) || (event->pod.len == 0 && event_table_is_pod(source->table, event->id));
    return is_pod ? ID_POD : ID_CONTAINER;
}

static void see_pod(struct event_source *source, enum dialect dialect, const struct container_event *event)
{
    struct container_event_pod seen;
    if (event->pod.len > 0 && !event_table_seen_pod(source->table, event->pod, &seen)) {
        seen = (struct container_event_pod){.dialect = dialect, .message = event->pod_status};
        event_table_see_pod(source->table, event->pod, &seen);
    }
}

static void take_event(void *state, struct bytes message, struct arena *arena)
{
    struct event_source *source = state;
    struct container_event event;
    struct error error = {0};
    enum dialect dialect = runtime_answer_dialect(source->runtime);
    if (!container_event_read(dialect, message, &event) || event.id.len > EVENT_TABLE_LONGEST_ID ||
        event.pod.len > EVENT_TABLE_LONGEST_ID) {
        take_bad_message(source, "malformed");
        return;
    }
    enum id_kind kind = kind_of(source, &event);
    if (is_stale(source, &event)) {
        event_table_was_before(source->table, kind, event.id, event.stage);
        return;
    }
    unsigned stages = event_table_untold(source->table, kind, event.id, event.stage, event.never_started);
    if (waits(source, kind, &event, stages)) {
        see_pod(source, dialect, &event);
        return;
    }
    for (unsigned stage = 0; stage < STAGE_COUNT; stage++) {
        struct bytes told = message;
        if (!(stages >> stage & 1U)) {
            continue;
        }
        bool made = stage == event.stage || container_event_retell(dialect, message, (enum container_stage)stage, arena, &told) ||
                    error_set(&error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        if (!made || !source->listener->tell(source->listener->state, source->runtime, dialect, told, arena, &error)) {
            take_bad_message(source, error.message);
            return;
        }
        note_told(source, kind, event.id, event.pod, (enum container_stage)stage);
    }
    see_pod(source, dialect, &event);
}

static void take_lost(void *state)
{
    take_bad_message(state, "out of memory");
}

static void does_not_stream(struct event_source *source, const char *why)
{
    if (runtime_lacks(source->runtime, event_stream_method())) {
        log_line(LOG_SERIOUS, "runtime %s: does not stream events: %s; %s", source->runtime->entry->name, why,
                 settings_of(source).without_stream);
    }
    source->listener->changed(source->listener->state);
    compare_from_now_on(source);
    if (settings_of(source).compose) {
        start_resync(source);
    }
}

/* What the end of a stream means. */
static void take_end(void *state, const struct event_stream_end *end)
{
    struct event_source *source = state;
    source->stream = NULL;
    if (end->explained) {
        again_in(source, AGAIN_MS); /* the runtime's state is reported elsewhere */
    } else if (end->status == STATUS_UNIMPLEMENTED) {
        does_not_stream(source, "it does not support the call");
    } else if (end->status == STATUS_OK && end->at_once) {
        does_not_stream(source, "it ended the stream immediately");
    } else {
        log_line(source->end_told ? LOG_CHANGES : LOG_SERIOUS, "runtime %s: its stream of events ended; reopening it: %s: %.*s",
                 source->runtime->entry->name, status_code_name(end->status), BYTES_SHOWN(end->details, 200));
        source->end_told = true;
        again_in(source, AGAIN_MS);
    }
}

static bool may_read(void *state)
{
    const struct event_source *source = state;
    return has_room(state) && source->gaps.count < EVENT_GAPS_MOST;
}

static const struct event_stream_listener stream_listener = {
    .may_read = may_read, .message = take_event, .lost = take_lost, .ended = take_end};

static void abandon_stream(struct event_source *source)
{
    struct event_stream *stream = source->stream;
    if (stream) {
        source->stream = NULL;
        event_stream_cancel(stream);
    }
}

static void open_stream(struct event_source *source)
{
    source->step = SOURCE_STREAMING;
    source->unsettled = true;
    source->stream = event_stream_open(source->runtime, settings_of(source).message_size, &stream_listener, source);
    again_in(source, source->stream ? SETTLE_MS : AGAIN_MS);
}

/* ---- steps ---- */

bool event_source_may_stream(const struct event_source *source)
{
    const struct runtime *runtime = source->runtime;
    if (runtime->state == RUNTIME_READY) {
        return runtime_serves(runtime, event_stream_method());
    }
    return runtime->version_name[0] == '\0' || event_stream_method()->in[runtime->dialect].path != NULL;
}

/* What was there when somebody began to listen is known. */
static void follow(struct event_source *source)
{
    if (event_source_may_stream(source)) {
        open_stream(source);
    } else {
        compare_from_now_on(source);
    }
}

static void on_resynced(void *state, const struct error *error)
{
    struct event_source *source = state;
    bool failed = error->code != STATUS_OK;
    source->resync = NULL;
    if (!failed) {
        event_gaps_drop(&source->gaps, source->filling);
    } else {
        log_line(LOG_CHANGES, "runtime %s: its lists do not show what happened: %s: %s", source->runtime->entry->name,
                 status_code_name(error->code), error->message);
    }
    if (source->step == SOURCE_COMPARING) {
        compare_from_now_on(source);
    } else if (failed || (source->unsettled && !source->timer.armed)) {
        again_in(source, AGAIN_MS);
    } else if (source->step == SOURCE_LEARNING) {
        source->learned = true;
        follow(source);
    } else {
        look_on(source);
    }
    if (source->stream) {
        event_stream_go_on(source->stream);
    }
}

static void on_timer(struct completion *completion, bool ok)
{
    (void)ok;
    struct event_source *source = completion_owner(completion, struct event_source, timer);
    bool settled = !source->unsettled;
    bool reopens = source->step == SOURCE_STREAMING && !source->stream;
    if (reopens) {
        open_stream(source);
    }
    /* A stream that never lasts long enough must not keep lists from being looked at. */
    if (!reopens || !settled) {
        source->unsettled = reopens;
        start_resync(source);
    }
}

static void stop(struct event_source *source)
{
    source->step = SOURCE_WAITING;
    worker_disarm(source->runtime->worker, &source->timer);
    abandon_stream(source);
    drop_resync(source);
}

static void begin(struct event_source *source)
{
    source->complained = source->untold_logged = source->end_told = source->unsettled = false;
    if (source->learned) {
        follow(source);
        if (source->step == SOURCE_COMPARING && settings_of(source).compose) {
            start_resync(source);
        }
    } else {
        source->step = SOURCE_LEARNING;
        start_resync(source);
    }
}

void event_source_runtime_changed(struct event_source *source)
{
    stop(source);
    if (source->runtime->state == RUNTIME_READY) {
        begin(source);
    }
    source->listener->changed(source->listener->state);
}

void event_source_reconsider(struct event_source *source)
{
    if (source->step == SOURCE_COMPARING && !source->resync) {
        worker_disarm(source->runtime->worker, &source->timer);
        compare_from_now_on(source);
    } else if (source->step == SOURCE_STREAMING) {
        look_on(source);
    }
}

void event_source_go_on(struct event_source *source)
{
    if (source->resync) {
        event_resync_go_on(source->resync);
    }
    if (source->stream) {
        event_stream_go_on(source->stream);
    }
}

struct runtime *event_source_runtime(const struct event_source *source)
{
    return source->runtime;
}

void event_source_last_look(struct event_source *source)
{
    struct event_resync_settings how = resync_settings(source);
    stop(source);
    source->looked_at = clock_wall_ns();
    if (source->learned && (settings_of(source).compose || event_source_may_stream(source))) {
        event_resync_last_look(&how, &resync_listener, source);
    }
}

/* What lists show of the runtime meanwhile is where its events go on from. */
static void learn_known(struct event_source *source)
{
    int64_t taken_at = 0; /* clock_ms() */
    source->learned =
        event_resync_from_known(source->table, source->runtime->known.last_known, settings_of(source).message_size, &taken_at);
    source->since = event_since_moment(taken_at * NANOSECONDS_A_MILLISECOND);
}

struct event_source *event_source_new(struct runtime *runtime, const struct event_source_listener *listener)
{
    struct event_source *source = calloc(1, sizeof *source);
    struct event_table *table = event_table_new();
    if (!source || !table) {
        free(source);
        event_table_free(table);
        return NULL;
    }
    *source = (struct event_source){
        .runtime = runtime_ref(runtime), .listener = listener, .table = table, .timer.completion.run = on_timer};
    if (runtime->state == RUNTIME_READY) {
        begin(source);
    } else {
        learn_known(source);
    }
    return source;
}

void event_source_free(struct event_source *source)
{
    stop(source);
    event_table_free(source->table);
    event_gaps_clear(&source->gaps);
    runtime_unref(source->runtime);
    free(source);
}
