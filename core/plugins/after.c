#include "core/plugins/after.h"

#include <stdlib.h>

#include "base/system/clock.h"

/* More do not wait; nor do more facts than this. */
#define MOST_JOBS 1024
#define MOST_BYTES ((size_t)16 << 20)
#define REQUEST_MEMORY ((size_t)4 << 20)

struct after_job {
    TAILQ_ENTRY(after_job) link;
    struct after_hooks *after;
    struct arena *arena;
    unsigned holder; /* of the pod */
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
    TAILQ_FOREACH(other, &job->after->jobs, link)
    {
        if (other == job) {
            return true;
        }
        if (other->holder == job->holder && bytes_equal(other->facts.pod_id, job->facts.pod_id)) {
            return false;
        }
    }
    return true;
}

static void release(struct after_job *job)
{
    struct after_hooks *after = job->after;
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
    while (next && !(next->holder == job->holder && bytes_equal(next->facts.pod_id, job->facts.pod_id))) {
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
        error_wrap(&error, "plugin %s: cannot send it a hook", settings->name);
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
    struct after_hooks *after = job->after;
    while (job && !ask_next(job)) {
        job = end(job);
    }
    if (after->count == 0) {
        after->idle(after->state);
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

/* NULL: no memory. */
static struct after_job *make_job(const struct plugin_set *plugins, struct hook_stage stage, const struct hook_facts *facts)
{
    struct after_job *job = calloc(1, sizeof *job);
    size_t bytes = size_of(facts);
    if (!job) {
        return NULL;
    }
    job->stage = stage;
    job->bytes = bytes;
    job->arena = arena_new(bytes + plugins->count * sizeof *job->plugins + 4096);
    if (job->arena && copy_facts(job, facts)) {
        job->plugins = plugin_set_of_stage(plugins, stage, job->arena, &job->count);
    }
    if (!job->plugins) {
        arena_unref(job->arena);
        free(job);
        return NULL;
    }
    return job;
}

static void drop(struct after_hooks *after)
{
    unsigned left_out;
    after->dropped++;
    if (log_limit_allows(&after->dropped_logged, &left_out)) {
        log_line(LOG_SERIOUS,
                 "a hook after a call is skipped, because %zu are already waiting; see `crigate hooks` for the slow plugin",
                 after->count);
    }
}

/* ---- from outside ---- */

void after_init(struct after_hooks *after, void (*idle)(void *state), void *state)
{
    *after = (struct after_hooks){.idle = idle, .state = state};
    TAILQ_INIT(&after->jobs);
}

void after_add(struct after_hooks *after, const struct plugin_set *plugins, unsigned holder, struct hook_stage stage,
               const struct hook_facts *facts)
{
    if (!plugin_set_wants(plugins, stage)) {
        return;
    }
    bool full = after->count >= MOST_JOBS || after->bytes + size_of(facts) > MOST_BYTES;
    struct after_job *job = full ? NULL : make_job(plugins, stage, facts);
    if (!job) {
        drop(after);
        return;
    }
    job->after = after;
    job->holder = holder;
    TAILQ_INSERT_TAIL(&after->jobs, job, link);
    after->count++;
    after->bytes += job->bytes;
    if (is_first_of_its_pod(job)) {
        run(job);
    }
}

size_t after_running(const struct after_hooks *after)
{
    const struct after_job *job;
    size_t count = 0;
    TAILQ_FOREACH(job, &after->jobs, link)
    {
        count += job->question != NULL;
    }
    return count;
}

size_t after_pending(const struct after_hooks *after)
{
    return after->count;
}

void after_cancel(struct after_hooks *after)
{
    struct after_job *job;
    if (after->count == 0) {
        return;
    }
    while ((job = TAILQ_FIRST(&after->jobs))) {
        if (job->question) {
            plugin_cancel(job->question);
        }
        release(job);
    }
    after->idle(after->state);
}
