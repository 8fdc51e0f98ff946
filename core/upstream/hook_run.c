#include "core/upstream/hook_run.h"

#include "core/hooks/call.h"
#include "core/knowledge/learn.h"

/* In the arena of the request. */
struct hook_run {
    struct hook_call *call;
    struct upstream_call *upstream;
    hook_run_convert *convert;
    void (*done)(struct upstream_call *upstream);
};

bool hook_run_concerns(const struct upstream_call *upstream)
{
    struct hooks *hooks = upstream->owner->hooks;
    return hooks && hooks_concern(hooks, upstream->seen.request, upstream->seen.position);
}

static bool on_convert(void *state, const struct hook_adjustment *adjustment, struct error *error)
{
    const struct hook_run *run = state;
    return run->convert(run->upstream, adjustment, NULL, error);
}

static void on_done(void *state, const struct error *error)
{
    const struct hook_run *run = state;
    run->upstream->state = UPSTREAM_IDLE;
    run->upstream->error = *error;
    run->done(run->upstream);
}

void hook_run_start(struct upstream_call *upstream, const struct bytes *configurations, hook_run_convert *convert,
                    void (*done)(struct upstream_call *upstream))
{
    static const struct hook_callbacks callbacks = {.convert = on_convert, .done = on_done};
    const struct request *request = upstream->seen.request;
    struct hook_run *run = arena_zalloc(request->arena, sizeof *run);
    if (!run) {
        error_no_memory(&upstream->error);
        done(upstream);
        return;
    }
    *run = (struct hook_run){.upstream = upstream, .convert = convert, .done = done};
    struct hook_target target = {
        .request = request,
        .runtime = upstream->seen.runtime,
        .sent = upstream->seen.sent,
    };
    for (size_t i = 0; i < MODEL_KIND_COUNT; i++) {
        target.configurations[i] = configurations[i];
    }
    upstream->state = UPSTREAM_IN_HOOKS;
    hook_call_start(upstream->owner->hooks, &target, &callbacks, run, &upstream->hooks);
}

static bool removes(const struct upstream_call *upstream)
{
    enum remember remember = upstream->seen.request->method->remember;
    return remember == REMEMBER_POD_REMOVED || remember == REMEMBER_CONTAINER_REMOVED;
}

const char *hook_run_asks(const struct upstream_call *upstream)
{
    return upstream->hooks ? hook_call_asks(upstream->hooks) : NULL;
}

void hook_run_answered(struct upstream_call *upstream)
{
    const struct observation *seen = &upstream->seen;
    enum remember remember = seen->request->method->remember;
    struct hooks *hooks = upstream->owner->hooks;
    enum id_kind kind = learn_kind(remember);
    if (upstream->hooks) {
        bool made = remember == REMEMBER_POD_CREATED || remember == REMEMBER_CONTAINER_CREATED;
        hook_call_answered(upstream->hooks, made ? learn_created_id(seen, kind) : (struct bytes){0});
    } else if (hooks && removes(upstream)) {
        hooks_removed(hooks, seen->runtime, kind, learn_local_id(seen, kind));
    }
}

void hook_run_end(struct upstream_call *upstream)
{
    if (upstream->hooks) {
        hook_call_end(upstream->hooks);
        upstream->hooks = NULL;
    } else if (upstream->owner->hooks && removes(upstream)) {
        hooks_shorten(upstream->owner->hooks, upstream->seen.runtime);
    }
}
