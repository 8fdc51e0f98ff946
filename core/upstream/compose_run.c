#include "compose_run.h"

#include <grpc/support/time.h>

#include "base/system/clock.h"
#include "core/runtimes/failure.h"
#include "core/runtimes/name_map.h"
#include "core/transport/c_core.h"
#include "core/transport/query.h"
#include "translate/compose/compose.h"

/* Lives in the call's arena. */
struct run {
    struct upstream_call *upstream;
    enum compose_occasion occasion;
    composition *function;
    compose_done *done;
    struct name_map names;
    struct compose_settings settings;
    struct composing composing;
    /* The question that is being asked. */
    const struct method *question;
    struct runtime *asked; /* the runtime, or its image service */
    enum dialect dialect;  /* in which it was asked */
    int64_t began;
    int64_t patience;   /* milliseconds that it may take */
    bool within_budget; /* the limit is the runtime's budget, not the rest of the caller's deadline */
    struct waiting waiting;
};

static void end(struct run *run, enum compose_outcome outcome, const struct error *error)
{
    const struct compose_result composed = {
        .occasion = run->occasion,
        .outcome = outcome,
        .error = *error,
        .answer = run->composing.composed,
    };
    run->done(run->upstream, &composed);
}

/* A question that failed: of what a runtime lacks, too, nothing can be composed; a confirmation that does not come confirms
   nothing, and an answer that cannot be completed is still an answer. */
static void end_with_failed_question(struct run *run, const struct error *error)
{
    static const struct error none = {0};
    struct error why = *error;
    if (run->occasion != COMPOSE_LACKING || runtime_status_means_lacking(error->code, bytes_of_string(error->message))) {
        end(run, COMPOSED_NOTHING, &none);
        return;
    }
    error_wrap(&why, "runtime %s has no %s, and crigate cannot compose it: %s", run->upstream->seen.runtime->entry->name,
               run->upstream->seen.request->method->name, run->question->name);
    end(run, COMPOSED_NOTHING, &why);
}

static void step(struct run *run);

static bool take(struct run *run, struct bytes answer, struct error *error)
{
    struct composing *composing = &run->composing;
    struct conversion conversion = {
        .method = run->question,
        .from = dialects[run->dialect].caller,
        .to = DIALECT_MODEL,
        .arena = composing->arena,
        .node = composing->node,
    };
    struct bytes copy = arena_copy(composing->arena, answer);
    if (answer.len > 0 && !copy.data) {
        return error_no_memory(error);
    }
    return convert_response(&conversion, copy, &composing->answers[composing->asked++], error);
}

static void on_answer(void *state, const struct error *error, struct bytes answer)
{
    struct run *run = state;
    struct runtime *runtime = run->asked;
    struct error failure = *error;
    run->upstream->state = UPSTREAM_IDLE;
    patience_end(&runtime->patience, &run->waiting);
    bool over_budget = run->within_budget && clock_ns() - run->began >= run->patience * NANOSECONDS_A_MILLISECOND;
    if (error->code == STATUS_DEADLINE_EXCEEDED && over_budget) {
        runtime_hangs(runtime, run->began, run->question->name);
        error_set(&failure, STATUS_UNAVAILABLE, "not answered within the budget of %u ms", runtime->entry->budget);
    }
    if (failure.code != STATUS_OK || !take(run, answer, &failure)) {
        end_with_failed_question(run, &failure);
    } else {
        step(run);
    }
}

/* What is left of the caller's deadline, but not more than the runtime's budget. Where there is an answer already, it must still
   reach the caller when the question is in vain: half of what is left. Where there is none, the call would fail, and the only
   runtime is waited for instead. */
static void grant_patience(struct run *run)
{
    gpr_timespec deadline = run->upstream->seen.request->deadline;
    int64_t budget = run->asked->entry->budget;
    bool endless = gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0;
    int64_t left = endless ? INT64_MAX : gpr_time_to_millis(gpr_time_sub(deadline, gpr_now(deadline.clock_type)));
    left = run->occasion == COMPOSE_LACKING ? left : left / 2;
    run->within_budget = budget < left && !(run->occasion == COMPOSE_LACKING && run->asked->alone);
    run->patience = run->within_budget ? budget : left > 0 ? left : 0;
}

static bool ask(struct run *run, struct error *error)
{
    const struct composing *composing = &run->composing;
    struct upstream_call *upstream = run->upstream;
    struct bytes request;
    run->question = method_by_name(composing->question);
    struct runtime *runtime = generation_peer(upstream->seen.request->generation, upstream->seen.position, run->question);
    run->asked = runtime;
    run->dialect = runtime->dialect;
    run->began = clock_ns();
    grant_patience(run);
    struct conversion conversion = {
        .method = run->question, .from = DIALECT_MODEL, .to = run->dialect, .arena = composing->arena, .node = composing->node};
    if (upstream->seen.request->cancelled) {
        return error_set(error, STATUS_CANCELLED, "the caller is gone");
    }
    if (!runtime_takes_calls(runtime, error) || !convert_request(&conversion, composing->asking, &request, error)) {
        return false;
    }
    const char *path = run->question->in[run->dialect].path;
    upstream->question = query_start(&runtime->connection.channel, path, request, run->patience, on_answer, run);
    if (!upstream->question) {
        return error_no_memory(error);
    }
    upstream->state = UPSTREAM_COMPOSING;
    if (!run->within_budget) {
        runtime_watch(runtime, &run->waiting, run->question);
    }
    return true;
}

/* Runs the function with the answers that are there by now. */
static void step(struct run *run)
{
    struct composing *composing = &run->composing;
    struct error error = {0};
    composing->outcome = COMPOSED_NOTHING;
    if (!run->function(composing, &error)) {
        end(run, COMPOSED_NOTHING, &error);
    } else if (composing->outcome != COMPOSED_QUESTION) {
        end(run, composing->outcome, &error);
    } else if (!ask(run, &error)) {
        end_with_failed_question(run, &error);
    }
}

static bool receive(struct composing *composing, struct error *error)
{
    struct upstream_call *upstream = composing->state;
    bool received = upstream_receive(upstream, error);
    composing->received = upstream->seen.received;
    return received;
}

static void fill(struct run *run)
{
    struct upstream_call *upstream = run->upstream;
    struct runtime *runtime = upstream->seen.runtime;
    const struct request *request = upstream->seen.request;
    const struct runtime_entry *entry = &request->generation->map->runtimes[upstream->seen.position];
    name_map_for_request(&run->names, request->generation->map, upstream->seen.position);
    run->settings = (struct compose_settings){.cgroup_driver = entry->cgroup_driver, .storage = entry->storage};
    run->composing = (struct composing){
        .method = request->method,
        .caller = request->caller,
        .runtime = runtime_answer_dialect(runtime),
        .request = request->bytes,
        .sent = upstream->seen.sent,
        .names = &run->names.names,
        .elapsed = (clock_ns() - upstream->began) / NANOSECONDS_A_MILLISECOND,
        .now = clock_ms(),
        .runtime_name = entry->name,
        .reported_name = runtime_reported_name(runtime),
        .failure = upstream_details(upstream),
        .settings = &run->settings,
        .memory = &runtime->composed,
        .node = request->node,
        .arena = upstream->arena,
        .receive = receive,
        .state = upstream,
    };
}

bool compose_start(struct upstream_call *upstream, enum compose_occasion occasion, compose_done *done)
{
    const struct request *request = upstream->seen.request;
    composition *function = composition_for(request->method, occasion, runtime_reported_name(upstream->seen.runtime));
    if (!function) {
        return false;
    }
    struct run *run = arena_zalloc(request->arena, sizeof *run);
    if (!run) {
        struct compose_result nothing = {.occasion = occasion, .outcome = COMPOSED_NOTHING};
        error_no_memory(&nothing.error);
        done(upstream, &nothing);
        return true;
    }
    run->upstream = upstream;
    run->occasion = occasion;
    run->function = function;
    run->done = done;
    fill(run);
    step(run);
    return true;
}
