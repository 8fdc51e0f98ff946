#include "core/hooks/after.h"

#include <stdlib.h>

#include "core/base/clock.h"

/* More do not wait; nor do more facts than this. */
#define MOST_JOBS 1024
#define MOST_BYTES ((size_t)16 << 20)
#define REQUEST_MEMORY ((size_t)4 << 20)

struct after_job {
    TAILQ_ENTRY(after_job) link;
    struct hooks *hooks;
    struct arena *arena;
    unsigned slot; /* of the runtime */
    struct hook_stage stage;
    struct hook_facts facts;
    struct plugin **plugins; /* of the stage, referenced */
    size_t count;
    size_t next;
    struct plugin_question *question; /* NULL: it has not begun */
    size_t bytes;
};

static size_t size_of(const struct hook_facts *facts)
{
    return facts->pod_id.len + facts->container_id.len + facts->handler.len + facts->pod.len + facts->container.len;
}

/* ---- the queue ---- */

/* Whether no earlier job is about the same pod. */
static bool is_first_of_its_pod(const struct after_job *job)
{
    const struct after_job *other;
    TAILQ_FOREACH(other, &job->hooks->after.jobs, link)
    {
        if (other == job) {
            return true;
        }
        if (other->slot == job->slot && bytes_equal(other->facts.pod_id, job->facts.pod_id)) {
            return false;
        }
    }
    return true;
}

static void release(struct after_job *job)
{
    struct after_hooks *after = &job->hooks->after;
    TAILQ_REMOVE(&after->jobs, job, link);
    after->count--;
    after->bytes -= job->bytes;
    for (size_t i = 0; i < job->count; i++) {
        plugin_unref(job->plugins[i]);
    }
    arena_unref(job->arena);
    free(job);
}

/* Frees the job. Returns the one of that pod that waited longest, which may begin now. */
static struct after_job *end(struct after_job *job)
{
    struct after_job *next = TAILQ_NEXT(job, link);
    while (next && !(next->slot == job->slot && bytes_equal(next->facts.pod_id, job->facts.pod_id))) {
        next = TAILQ_NEXT(next, link);
    }
    release(job);
    return next;
}

/* ---- one job ---- */

static void run(struct after_job *job);

static void on_answered(void *state, const struct error *error, struct bytes answer)
{
    (void)error; /* counted and logged; nobody waits for it */
    (void)answer;
    struct after_job *job = state;
    job->question = NULL;
    run(job);
}

static bool ask(struct after_job *job, struct plugin *plugin)
{
    struct error error = {0};
    struct bytes request;
    const struct plugin_settings *settings = plugin->settings;
    struct arena *arena = arena_new(REQUEST_MEMORY);
    if (!arena || !settings->protocol->request(job->stage, &job->facts, arena, &request, &error)) {
        error_wrap(&error, "plugin %s: cannot be sent a hook", settings->name);
        plugin_failed(plugin, &error);
    } else {
        job->question = plugin_ask(plugin, job->stage, request, settings->timeout, on_answered, job, &error);
    }
    arena_unref(arena);
    return job->question != NULL;
}

/* false: all of its plugins were asked. */
static bool ask_next(struct after_job *job)
{
    while (job->next < job->count) {
        struct plugin *plugin = job->plugins[job->next++];
        if (!plugin->retired && ask(job, plugin)) {
            return true;
        }
    }
    return false;
}

/* Goes on with a job, and with those of its pod that follow, until a plugin is asked. Reports once that there is nothing left:
   what runs then may free everything. */
static void run(struct after_job *job)
{
    struct hooks *hooks = job->hooks;
    while (job && !ask_next(job)) {
        job = end(job);
    }
    if (hooks->after.count == 0) {
        hooks->idle(hooks->state);
    }
}

static bool copy_facts(struct after_job *job, const struct hook_facts *facts)
{
    const struct bytes from[] = {facts->pod_id, facts->container_id, facts->handler, facts->pod, facts->container};
    struct bytes *const to[] = {&job->facts.pod_id, &job->facts.container_id, &job->facts.handler, &job->facts.pod,
                                &job->facts.container};
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        *to[i] = arena_copy(job->arena, from[i]);
        if (from[i].len > 0 && !to[i]->data) {
            return false;
        }
    }
    return true;
}

static struct after_job *make_job(struct hooks *hooks, const struct hook_facts *facts)
{
    struct after_job *job = calloc(1, sizeof *job);
    size_t bytes = size_of(facts);
    if (!job) {
        return NULL;
    }
    job->hooks = hooks;
    job->bytes = bytes;
    job->arena = arena_new(bytes + hooks->plugin_count * sizeof *job->plugins + 4096);
    job->plugins = job->arena ? arena_alloc(job->arena, hooks->plugin_count * sizeof *job->plugins) : NULL;
    if (!job->plugins || !copy_facts(job, facts)) {
        arena_unref(job->arena);
        free(job);
        return NULL;
    }
    return job;
}

static void drop(struct hooks *hooks)
{
    unsigned left_out;
    hooks->after.dropped++;
    if (log_limit_allows(&hooks->after.dropped_logged, &left_out)) {
        log_line(LOG_SERIOUS,
                 "a hook after a call is not called, because %zu wait already; see `crigate hooks` for the plugin that is slow",
                 hooks->after.count);
    }
}

void after_add(struct hooks *hooks, const struct runtime *runtime, struct hook_stage stage, const struct hook_facts *facts)
{
    if (!(hooks->stages & hook_stage_bit(stage))) {
        return;
    }
    bool full = hooks->after.count >= MOST_JOBS || hooks->after.bytes + size_of(facts) > MOST_BYTES;
    struct after_job *job = full ? NULL : make_job(hooks, facts);
    if (!job) {
        drop(hooks);
        return;
    }
    job->slot = runtime->slot;
    job->stage = stage;
    for (size_t i = 0; i < hooks->plugin_count; i++) {
        if (hooks->plugins[i]->settings->stages & hook_stage_bit(stage)) {
            job->plugins[job->count++] = plugin_ref(hooks->plugins[i]);
        }
    }
    TAILQ_INSERT_TAIL(&hooks->after.jobs, job, link);
    hooks->after.count++;
    hooks->after.bytes += job->bytes;
    if (is_first_of_its_pod(job)) {
        run(job);
    }
}

size_t after_running(const struct hooks *hooks)
{
    const struct after_job *job;
    size_t count = 0;
    TAILQ_FOREACH(job, &hooks->after.jobs, link)
    {
        count += job->question != NULL;
    }
    return count;
}

size_t after_pending(const struct hooks *hooks)
{
    return hooks->after.count;
}

void after_cancel(struct hooks *hooks)
{
    struct after_job *job;
    if (hooks->after.count == 0) {
        return;
    }
    while ((job = TAILQ_FIRST(&hooks->after.jobs))) {
        if (job->question) {
            plugin_cancel(job->question);
        }
        release(job);
    }
    hooks->idle(hooks->state);
}
