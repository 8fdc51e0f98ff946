#include "runtime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log/log.h"
#include "base/system/clock.h"
#include "core/runtimes/probe.h"

/* While connected but not answering the probe, the runtime is asked again this often. */
#define PROBE_AGAIN_MS 1000
/* And this often when it speaks no dialect that we know. */
#define UNSUITABLE_AGAIN_MS 10000
/* And after this long when its connection had to be closed. */
#define CUT_OFF_AGAIN_MS 5000

/* Version may take this long, or the budget if that is longer. */
#define PROBE_MS 5000
/* If there is no other runtime, nobody but its own callers waits for it: as long as a kubelet waits for an answer. */
#define PROBE_ALONE_MS 120000
/* An answer this long ago still shows that calls pass. */
#define RECENT_ANSWER_MS 30000

/* What was let through is logged no more often than this. */
#define LOSSES_MS 60000

/* A runtime, and what no other file needs of it. */
struct runtime_private {
    struct runtime runtime;
    unsigned references;
    struct arena *entry_memory; /* holds the entry, which must last when its generation has gone */
    const struct runtime_callbacks *callbacks;
    const char *unanswered; /* HANGING: what it did not answer in time, since runtime.since; NULL: it was cut off */
    bool cut_off;           /* HANGING because its connection had to be closed; last_error has the reason */
    bool hung_up_on;   /* HANGING, and the connection was ended because it read nothing and nobody waited: until it is back */
    bool lost;         /* it was connected before */
    bool closing;      /* the last reference has gone */
    uint64_t unserved; /* RPCs that it was found not to have although its dialect does, by method_bit, since it became ready */
    uint64_t told;     /* of them those that runtime_lacks has called news, */
    uint64_t told_on;  /* on that connection (runtime.connections) */
    struct timer probe_again;    /* while a probe runs: when it has taken so long that people are told */
    struct probe *probe;         /* while one runs */
    bool probe_failed;           /* PROBING: one has, since the state began */
    struct runtime_task *relist; /* while one runs */
    bool relist_again;           /* as soon as that one has ended: it was asked for too early */
    struct timer losses_logged;  /* armed for a minute after a line of log about them */
    bool items_logged;           /* that items of its answers are left out, since it became ready */
    bool lack_logged;            /* that this version of it has no streams of lists */
};

const char *runtime_state_name(enum runtime_state state)
{
    static const char *const names[] = {
        [RUNTIME_AWAY] = "away",       [RUNTIME_PROBING] = "probing",       [RUNTIME_READY] = "ready",
        [RUNTIME_HANGING] = "hanging", [RUNTIME_UNSUITABLE] = "unsuitable",
    };
    return names[state];
}

static void set_state(struct runtime *runtime, enum runtime_state state)
{
    bool was_ready = runtime->state == RUNTIME_READY, was_probing = runtime->state == RUNTIME_PROBING;
    if (runtime->state != state) {
        runtime->state = state;
        runtime->since = clock_ns();
        runtime->private->probe_failed = false;
    }
    if (was_ready && state != RUNTIME_READY) {
        patience_forget(&runtime->patience);
    }
    if (was_ready != (state == RUNTIME_READY) || (was_probing && state != RUNTIME_PROBING)) {
        runtime->private->callbacks->changed(runtime->private->callbacks->state, runtime);
    }
}

static void stop_relist(struct runtime *runtime)
{
    if (runtime->private->relist) {
        runtime->private->relist->cancel(runtime->private->relist);
        runtime->private->relist = NULL;
    }
}

static void stop_queries(struct runtime *runtime)
{
    if (runtime->private->probe) {
        probe_cancel(runtime->private->probe);
        runtime->private->probe = NULL;
        worker_disarm(runtime->worker, &runtime->private->probe_again);
    }
    abilities_stop(&runtime->abilities);
    stop_relist(runtime);
    runtime->private->relist_again = false;
}

static void on_listed(struct runtime *runtime, bool silent);

static struct runtime_task *list_all(struct runtime *runtime)
{
    return runtime->private->callbacks->list_all(runtime->private->callbacks->state, runtime, on_listed);
}

void runtime_relist(struct runtime *runtime)
{
    runtime->private->relist_again = runtime->private->relist != NULL;
    if (runtime->state == RUNTIME_READY && !runtime->private->relist && !runtime->entry->only_images) {
        runtime->private->relist = list_all(runtime);
    }
}

/* ---- probing ---- */

static void become_ready(struct runtime *runtime)
{
    runtime->last_error = (struct error){0};
    runtime->private->cut_off = false;
    runtime->private->hung_up_on = false; /* a connection that could not be ended got on after all */
    runtime->private->items_logged = false;
    runtime->missing = (struct missing_logged){0};
    runtime->private->unserved = 0;
    runtime->met = true;
    log_notice("runtime %s: ready, %s%s%s%sspeaks %s", runtime->entry->name, runtime->version_name, *runtime->version ? " " : "",
               runtime->version, *runtime->version_name ? ", " : "", dialects[runtime->dialect].name);
    set_state(runtime, RUNTIME_READY);
}

/* What answers were composed with may come from either of the two. */
static void forget_composed(struct runtime *runtime)
{
    compose_memory_clear(&runtime->composed);
    if (runtime->images_of) {
        compose_memory_clear(&runtime->images_of->composed);
    }
}

static void take_answer(struct runtime *runtime, const struct probe_result *result)
{
    bool same =
        runtime->met && strcmp(runtime->version_name, result->name) == 0 && strcmp(runtime->version, result->version) == 0;
    runtime->dialect = result->dialect;
    runtime->private->lack_logged = runtime->private->lack_logged && same;
    forget_composed(runtime);
    snprintf(runtime->version_name, sizeof runtime->version_name, "%s", result->name);
    snprintf(runtime->version, sizeof runtime->version, "%s", result->version);
    abilities_find(&runtime->abilities, runtime->entry->name, result, !same);
    if (runtime->state == RUNTIME_HANGING && !runtime->entry->only_images) {
        /* It may answer this, and still no lists. */
        runtime->private->relist = list_all(runtime);
        if (!runtime->private->relist) {
            worker_arm(runtime->worker, &runtime->private->probe_again, PROBE_AGAIN_MS);
        }
        return;
    }
    become_ready(runtime);
    runtime_relist(runtime);
}

static void on_listed(struct runtime *runtime, bool silent)
{
    runtime->private->relist = NULL;
    if (!connection_is_up(&runtime->connection)) {
        return; /* the lists failed with the connection, which the next event reports */
    }
    if (runtime->state == RUNTIME_HANGING && silent) {
        worker_arm(runtime->worker, &runtime->private->probe_again, PROBE_AGAIN_MS);
    } else if (runtime->state == RUNTIME_HANGING) {
        become_ready(runtime);
    } else if (runtime->private->relist_again) {
        runtime_relist(runtime);
    }
}

/* It is not asked again until the connection ends or the map is read again: where two gateways lead to each other, they would
 * find each other by turns. What was seen of it is this node's own. */
void runtime_leads_back(struct runtime *runtime)
{
    if (runtime->leads_back) {
        return;
    }
    runtime->leads_back = true;
    stop_queries(runtime);
    last_known_forget(runtime->known.last_known);
    memset(runtime->known.in_doubt, 0, sizeof runtime->known.in_doubt);
    runtime->known.pods = 0;
    error_set(&runtime->last_error, STATUS_FAILED_PRECONDITION,
              "its endpoint leads back to this crigate, by a link or through another crigate; remove it from the runtime map");
    log_line(LOG_SERIOUS, "runtime %s: unsuitable, %s: %s", runtime->entry->name, runtime_endpoint(runtime),
             runtime->last_error.message);
    set_state(runtime, RUNTIME_UNSUITABLE);
}

/* It is connected, and cannot be used yet. Logged when the reason differs from the last one. */
static void note_probe(struct runtime *runtime, const char *what, const struct error *why)
{
    if (strcmp(runtime->last_error.message, why->message) != 0 && runtime->state != RUNTIME_HANGING) {
        log_line(LOG_SERIOUS, "runtime %s: %s at %s: %s", runtime->entry->name, what, runtime_endpoint(runtime), why->message);
    }
    if (!runtime->private->cut_off) {
        runtime->last_error = *why;
    }
}

static void on_probed(void *state, const struct probe_result *result)
{
    struct runtime *runtime = state;
    runtime->private->probe = NULL;
    worker_disarm(runtime->worker, &runtime->private->probe_again);
    if (result->leads_back) {
        runtime_leads_back(runtime);
        return;
    }
    if (result->found) {
        take_answer(runtime, result);
        return;
    }
    note_probe(runtime, result->unsuitable ? "speaks no CRI version that crigate knows" : "does not answer", &result->error);
    if (result->unsuitable) {
        set_state(runtime, RUNTIME_UNSUITABLE);
    } else if (!runtime->private->probe_failed) {
        runtime->private->probe_failed = true;
        runtime->private->callbacks->changed(runtime->private->callbacks->state, runtime);
    }
    worker_arm(runtime->worker, &runtime->private->probe_again, result->unsuitable ? UNSUITABLE_AGAIN_MS : PROBE_AGAIN_MS);
}

/* Requests that were not sent and that nobody waits for any more cost memory: the transport frees them only with the connection.
 * The only runtime of a map keeps its connection, because calls that come now may wait for it. */
static void shed_unsent(struct runtime *runtime)
{
    if (runtime->calls == 0 && runtime->connection.channel.state == CHANNEL_UP && !runtime->alone) {
        runtime->private->hung_up_on = true;
        channel_hang_up(&runtime->connection.channel);
    }
}

static int64_t probe_time(const struct runtime *runtime)
{
    return runtime->entry->budget > PROBE_MS ? runtime->entry->budget : PROBE_MS;
}

static void start_probe(struct runtime *runtime)
{
    if (runtime->private->probe || runtime->private->relist || runtime->private->closing || runtime->leads_back) {
        return;
    }
    /* A runtime that does not read what it was sent answers no probe, and each would wait with the rest. */
    bool reads = runtime->state != RUNTIME_HANGING || runtime->connection.channel.unsent == 0;
    if (!reads) {
        shed_unsent(runtime);
    }
    int64_t most = runtime->alone && PROBE_ALONE_MS > probe_time(runtime) ? PROBE_ALONE_MS : probe_time(runtime);
    runtime->private->probe = reads ? probe_start(runtime->entry, &runtime->connection.channel, most, on_probed, runtime) : NULL;
    worker_disarm(runtime->worker, &runtime->private->probe_again);
    if (!runtime->private->probe) {
        worker_arm(runtime->worker, &runtime->private->probe_again, PROBE_AGAIN_MS);
    } else if (most > probe_time(runtime)) {
        worker_arm(runtime->worker, &runtime->private->probe_again, probe_time(runtime));
    }
}

/* The probe continues. */
static void note_slow_probe(struct runtime *runtime)
{
    struct error error = {0};
    if (strstr(runtime->last_error.message, PROBE_TOO_LATE)) {
        return; /* the last one was too slow already */
    }
    error_set(&error, STATUS_UNAVAILABLE, "%s" PROBE_TOO_LATE " %g s; crigate waits for the answer",
              probe_question(runtime->entry), (double)probe_time(runtime) / 1000);
    note_probe(runtime, "does not answer", &error);
}

static void on_probe_again(struct completion *completion, bool ok)
{
    (void)ok;
    struct runtime *runtime = &completion_owner(completion, struct runtime_private, probe_again)->runtime;
    if (runtime->private->probe) {
        note_slow_probe(runtime);
    } else if (runtime->connection.channel.state == CHANNEL_UP && runtime->state != RUNTIME_READY) {
        start_probe(runtime);
    }
}

static void renew(struct runtime *runtime, const struct runtime_map *map, const struct runtime_entry *entry)
{
    struct arena *before = runtime->private->entry_memory;
    runtime->entry = entry;
    runtime->private->entry_memory = arena_ref(map->memory);
    runtime->patience.budget = runtime->entry->budget;
    runtime->alone = map->runtime_count == 1;
    runtime->list_items = map->limits.list_items;
    arena_unref(before);
    if (runtime->leads_back) {
        runtime->leads_back = false;
        start_probe(runtime);
    }
}

void runtime_renew(struct runtime *runtime, const struct runtime_map *map, size_t position)
{
    const struct runtime_entry *entry = &map->runtimes[position];
    renew(runtime, map, entry);
    if (runtime->images) {
        renew(runtime->images, map, entry->images);
    }
}

void runtime_is_another(struct runtime *runtime)
{
    runtime->met = false;
    runtime->version_name[0] = '\0';
    runtime->version[0] = '\0';
}

/* ---- losses ---- */

static void log_losses(struct runtime *runtime)
{
    char text[512];
    if (loss_counters_log(&runtime->losses, text, sizeof text)) {
        log_line(LOG_SERIOUS, "runtime %s: requests were sent to it without what its dialect %s cannot express, %s",
                 runtime->entry->name, dialects[runtime->dialect].name, text);
        worker_arm(runtime->worker, &runtime->private->losses_logged, LOSSES_MS);
    }
}

static void on_losses_timer(struct completion *completion, bool ok)
{
    (void)ok;
    log_losses(&completion_owner(completion, struct runtime_private, losses_logged)->runtime);
}

void runtime_note_refusal(struct runtime *runtime, const struct report *report)
{
    if (report->refused > 0) {
        runtime->losses.rules[report->refused - 1].refused++;
    }
}

void runtime_note_losses(struct runtime *runtime, const struct report *report, bool request)
{
    loss_counters_add(&runtime->losses, report, request);
    if (report->items > 0 && !runtime->private->items_logged) {
        runtime->private->items_logged = true;
        log_line(LOG_SERIOUS,
                 "runtime %s: items were left out of its answers (%u in this one; crigate status counts them all); the first: %s",
                 runtime->entry->name, report->items, report->first_item);
    }
    if (report->ignored > 0 || report->unsure != 0) {
        abilities_log(&runtime->abilities, runtime->entry->name, report);
    }
    bool matters = report->let_through > 0 || (request && report->unknown_fields > 0);
    if (matters && !runtime->private->losses_logged.armed) {
        log_losses(runtime);
    }
}

/* ---- the connection ---- */

/* Its connection had to be closed: it is tried again after a while, and until then counts as a runtime that does not answer. */
static void cut_off(struct runtime *runtime, const char *why)
{
    if (!runtime->private->cut_off) {
        log_line(LOG_SERIOUS,
                 "runtime %s: closed the connection to %s: it %s; its calls fail until it has answered a probe and lists",
                 runtime->entry->name, runtime_endpoint(runtime), why);
    }
    error_set(&runtime->last_error, STATUS_UNAVAILABLE, "the connection to %s was closed: it %s", runtime_endpoint(runtime), why);
    runtime->private->cut_off = true;
    runtime->private->unanswered = NULL;
    set_state(runtime, RUNTIME_HANGING);
}

/* Nobody is there who could be waited for. */
static bool is_gone(const struct channel *channel)
{
    return channel->state == CHANNEL_FAILED && channel->error != ETIMEDOUT && channel->error != EAGAIN;
}

/* What is wrong now, when that has changed. */
static void note_failure(struct runtime *runtime)
{
    struct error now = {0};
    bool lost = runtime->private->lost;
    const char *reason = connection_failure(&runtime->connection);
    if (lost) {
        error_set(&now, STATUS_UNAVAILABLE, "connection to %s lost; now%s", runtime_endpoint(runtime),
                  *reason ? reason : ": nothing answers there");
    } else {
        error_set(&now, STATUS_UNAVAILABLE, "nothing answers at %s%s", runtime->entry->endpoint, reason);
    }
    if (strcmp(now.message, runtime->last_error.message) != 0) {
        log_line(LOG_SERIOUS, "runtime %s: nothing answers at %s %s%s; crigate keeps trying", runtime->entry->name,
                 runtime->entry->endpoint, lost && !runtime->connection.to_docker ? "any more" : "yet", reason);
        runtime->last_error = now;
    }
}

static void lose(struct runtime *runtime)
{
    char why[128];
    stop_queries(runtime);
    forget_composed(runtime);
    if (channel_ended_here(&runtime->connection.channel, why, sizeof why)) {
        cut_off(runtime, why);
        return;
    }
    if (runtime->private->hung_up_on) {
        runtime->private->callbacks->let_go(runtime->private->callbacks->state);
    }
    if (runtime->private->hung_up_on && !is_gone(&runtime->connection.channel)) {
        return; /* it still hangs, until it can be asked again */
    }
    if (runtime->private->cut_off && runtime->connection.channel.state != CHANNEL_FAILED) {
        return; /* it is connecting again */
    }
    runtime->private->cut_off = false;
    runtime->private->hung_up_on = false;
    runtime->leads_back = false;
    if (runtime->state != RUNTIME_AWAY) {
        log_line(LOG_SERIOUS, "runtime %s: connection to %s lost", runtime->entry->name, runtime_endpoint(runtime));
        error_set(&runtime->last_error, STATUS_UNAVAILABLE, "connection to %s lost", runtime_endpoint(runtime));
        runtime->private->lost = true;
    }
    if (runtime->connection.channel.state == CHANNEL_FAILED) {
        note_failure(runtime);
    }
    set_state(runtime, RUNTIME_AWAY);
}

static void on_closed(struct connection *connection)
{
    struct runtime *runtime = completion_owner(connection, struct runtime, connection);
    last_known_free(runtime->known.last_known);
    rpc_counters_free(&runtime->ended);
    for (size_t kind = 0; kind < ID_KIND_COUNT; kind++) {
        converted_list_clear(&runtime->converted_lists[kind]);
    }
    compose_memory_clear(&runtime->composed);
    arena_unref(runtime->private->entry_memory);
    free(runtime->private);
}

/* Why there was no connection is no longer the reason. */
static void note_connected(struct runtime *runtime)
{
    if (runtime->last_error.code != STATUS_OK) {
        error_set(&runtime->last_error, STATUS_UNAVAILABLE, "it is connected again, but has not answered %s yet",
                  probe_question(runtime->entry));
    }
}

static void on_connectivity(struct connection *connection)
{
    struct runtime *runtime = completion_owner(connection, struct runtime, connection);
    if (connection->channel.state == CHANNEL_UP && runtime->private->cut_off) {
        worker_arm(runtime->worker, &runtime->private->probe_again, CUT_OFF_AGAIN_MS);
    } else if (connection->channel.state == CHANNEL_UP) {
        runtime->private->hung_up_on = false;
        runtime->connections++;
        note_connected(runtime);
        set_state(runtime, RUNTIME_PROBING);
        start_probe(runtime);
    } else {
        lose(runtime);
    }
}

static bool on_may_move(struct connection *connection, const struct docker_candidate *to, struct error *error)
{
    struct runtime *runtime = completion_owner(connection, struct runtime, connection);
    const struct runtime_callbacks *callbacks = runtime->private->callbacks;
    if (callbacks->may_move && !callbacks->may_move(callbacks->state, runtime, to, error)) {
        return false;
    }
    runtime_is_another(runtime);
    return true;
}

static void on_over_budget(struct patience *patience, int64_t began)
{
    runtime_hangs(completion_owner(patience, struct runtime, patience), began, patience->method);
}

static struct runtime *make(const struct runtime_entry *entry, unsigned slot, struct worker *worker, size_t message_size,
                            const struct runtime_callbacks *callbacks)
{
    static const struct connection_callbacks own = {.may_move = on_may_move, .changed = on_connectivity, .closed = on_closed};
    struct runtime_private *private = calloc(1, sizeof *private);
    struct last_known *last_known = last_known_new(LAST_KNOWN_DEFAULT_LIMIT);
    if (!private || !last_known) {
        free(private);
        last_known_free(last_known);
        return NULL;
    }
    *private = (struct runtime_private){
        .runtime = {.private = private,
                    .entry = entry,
                    .slot = slot,
                    .worker = worker,
                    .known.last_known = last_known,
                    .since = clock_ns()},
        .references = 1,
        .callbacks = callbacks,
        .probe_again.completion.run = on_probe_again,
        .losses_logged.completion.run = on_losses_timer,
    };
    struct runtime *runtime = &private->runtime;
    abilities_init(&runtime->abilities, worker, &runtime->connection.channel);
    patience_init(&runtime->patience, worker, entry->budget, on_over_budget);
    connection_open(&runtime->connection, entry, message_size, worker, &own);
    return runtime;
}

struct runtime *runtime_new(const struct runtime_entry *entry, unsigned slot, struct worker *worker, size_t message_size,
                            const struct runtime_callbacks *callbacks)
{
    struct runtime *runtime = make(entry, slot, worker, message_size, callbacks);
    if (runtime && entry->images) {
        runtime->images = make(entry->images, slot, worker, message_size, callbacks);
        if (!runtime->images) {
            runtime_unref(runtime);
            return NULL;
        }
        runtime->images->images_of = runtime;
    }
    return runtime;
}

struct runtime *runtime_ref(struct runtime *runtime)
{
    runtime->private->references++;
    return runtime;
}

void runtime_unref(struct runtime *runtime)
{
    if (--runtime->private->references > 0) {
        return;
    }
    runtime->private->closing = true;
    if (runtime->images) {
        runtime->images->images_of = NULL;
        runtime_unref(runtime->images);
    }
    stop_queries(runtime);
    worker_disarm(runtime->worker, &runtime->private->probe_again);
    log_losses(runtime);
    worker_disarm(runtime->worker, &runtime->private->losses_logged);
    patience_forget(&runtime->patience);
    connection_close(&runtime->connection);
}

/* ---- for calls ---- */

static long seconds_since(int64_t moment)
{
    return (long)((clock_ns() - moment) / NANOSECONDS_A_SECOND);
}

bool runtime_ready(const struct runtime *runtime, struct error *error)
{
    if (runtime->state == RUNTIME_READY) {
        return true;
    }
    if (runtime->state == RUNTIME_HANGING && !runtime->private->cut_off) {
        const char *slow = runtime_answers_late(runtime) ? "; it answers other calls, or answers late" : "";
        return error_set(error, STATUS_UNAVAILABLE, "runtime %s has not answered for %ld s (%s)%s", runtime->entry->name,
                         seconds_since(runtime->since), runtime->private->unanswered, slow);
    }
    char probing[64];
    snprintf(probing, sizeof probing, "it is connected, but has not answered %s yet", probe_question(runtime->entry));
    const char *reason = runtime->last_error.code != STATUS_OK ? runtime->last_error.message
                         : runtime->state == RUNTIME_PROBING   ? probing
                                                               : "not connected yet";
    return error_set(error, STATUS_UNAVAILABLE, "runtime %s has been %s for %ld s: %s", runtime->entry->name,
                     runtime->state == RUNTIME_AWAY ? "unavailable" : runtime_state_name(runtime->state),
                     seconds_since(runtime->since), reason);
}

bool runtime_answers_late(const struct runtime *runtime)
{
    return runtime->state == RUNTIME_HANGING && runtime->alone && runtime->answered_at > runtime->since &&
           clock_ns() - runtime->answered_at < RECENT_ANSWER_MS * NANOSECONDS_A_MILLISECOND;
}

bool runtime_is_awaited(const struct runtime *runtime)
{
    return runtime->alone && runtime->state == RUNTIME_PROBING && !runtime->private->probe_failed;
}

bool runtime_passes_calls(const struct runtime *runtime)
{
    return runtime->state == RUNTIME_READY || runtime_answers_late(runtime);
}

const char *runtime_unanswered(const struct runtime *runtime)
{
    return runtime->state == RUNTIME_HANGING ? runtime->private->unanswered : NULL;
}

bool runtime_takes_calls(const struct runtime *runtime, struct error *error)
{
    return (runtime->state == RUNTIME_HANGING && runtime->alone) || runtime_ready(runtime, error);
}

void runtime_suspect(struct runtime *runtime)
{
    if (runtime->state == RUNTIME_READY) {
        log_line(LOG_SERIOUS, "runtime %s: no longer speaks %s; probing again", runtime->entry->name,
                 dialects[runtime->dialect].name);
        set_state(runtime, RUNTIME_PROBING);
        stop_relist(runtime); /* while one runs, there is no probe */
        start_probe(runtime);
    }
}

void runtime_hangs(struct runtime *runtime, int64_t began, const char *method)
{
    /* A call that began before it was ready proves nothing: it has answered since. */
    if (runtime->state != RUNTIME_READY || began < runtime->since) {
        return;
    }
    runtime->private->unanswered = method;
    log_line(LOG_SERIOUS, "runtime %s: has not answered for %ld s; %s until it answers again; unanswered: %s",
             runtime->entry->name, seconds_since(began),
             runtime->alone ? "its calls wait, as long as their callers do," : "its calls fail", method);
    set_state(runtime, RUNTIME_HANGING);
    runtime->since = began;
    stop_relist(runtime); /* the lists must be answered in time, too */
    start_probe(runtime);
}

void runtime_watch(struct runtime *runtime, struct waiting *waiting, const struct method *method)
{
    if (runtime->state == RUNTIME_READY) {
        waiting->method = method->name;
        patience_begin(&runtime->patience, waiting);
    }
}

const char *runtime_reported_name(const struct runtime *runtime)
{
    return *runtime->version_name || !runtime->images_of ? runtime->version_name : runtime->images_of->version_name;
}

static bool is_cri_o(const struct runtime *runtime)
{
    return strcmp(runtime_reported_name(runtime), "cri-o") == 0;
}

bool runtime_knows_bare_image_ids(const struct runtime *runtime)
{
    return is_cri_o(runtime);
}

bool runtime_wants_requested_image(const struct runtime *runtime)
{
    return runtime->dialect == DIALECT_MODEL && is_cri_o(runtime);
}

bool runtime_serves(const struct runtime *runtime, const struct method *method)
{
    return method->in[runtime->dialect].path && (runtime->private->unserved & method_bit(method)) == 0;
}

bool runtime_lacks(struct runtime *runtime, const struct method *method)
{
    struct runtime_private *private = runtime->private;
    private->unserved |= method_bit(method);
    if (private->told_on != runtime->connections) {
        private->told_on = runtime->connections;
        private->told = 0;
    }
    bool news = (private->told & method_bit(method)) == 0;
    private->told |= method_bit(method);
    return news;
}

void runtime_lacks_stream(struct runtime *runtime, const struct method *method)
{
    runtime_lacks(runtime, method);
    if (!runtime->private->lack_logged) {
        runtime->private->lack_logged = true;
        log_notice("runtime %s: does not stream its lists (it does not support %s); callers get streams made from whole lists",
                   runtime->entry->name, method->name);
    }
}
