#include "relist.h"

#include <stdlib.h>

#include "base/log/log.h"
#include "core/runtimes/list_query.h"
#include "core/transport/loop_mark.h"

/* What is asked for, one after the other. */
static const char *const lists[] = {"ListPodSandbox", "ListContainers"};
#define LIST_COUNT (sizeof lists / sizeof lists[0])

/* Longer than the budget of a caller's list: the runtime may have just started, and nothing waits for this. Unless it hangs: then
   it must show that it answers lists in time. */
#define RELIST_BUDGETS INT64_C(6)

struct relist {
    struct runtime_task task;
    struct runtime *runtime;
    struct relist_callbacks callbacks;
    runtime_lists_done *done;
    size_t next;
    const struct method *method;
    struct list_asked_at marks;
    struct list_query *query; /* while the list is asked for */
    bool silent;              /* a list was not answered in time */
};

static void finish(struct relist *relist)
{
    struct relist ended = *relist;
    free(relist);
    ended.done(ended.runtime, ended.silent);
}

static int64_t time_of(const struct relist *relist)
{
    const struct runtime *runtime = relist->runtime;
    return (runtime->state == RUNTIME_HANGING ? 1 : RELIST_BUDGETS) * runtime->entry->budget;
}

static bool ask_next(struct relist *relist);

static void on_listed(void *state, const struct error *error, struct bytes answer)
{
    struct relist *relist = state;
    struct runtime *runtime = relist->runtime;
    relist->query = NULL;
    if (loop_mark_is_refusal(error->code, bytes_of_string(error->message))) {
        finish(relist);
        runtime_leads_back(runtime);
        return;
    }
    if (error->code == STATUS_OK) {
        relist->callbacks.listed(relist->callbacks.state, runtime, relist->method, answer, relist->marks);
    } else if (runtime->state != RUNTIME_HANGING) {
        log_line(LOG_SERIOUS, "runtime %s: cannot list what it holds: %s: %s: %s", runtime->entry->name, relist->method->name,
                 status_code_name(error->code), error->message);
    }
    relist->silent = error->code == STATUS_DEADLINE_EXCEEDED;
    if (relist->silent || !ask_next(relist)) {
        finish(relist);
    }
}

static bool ask_next(struct relist *relist)
{
    struct runtime *runtime = relist->runtime;
    if (relist->next == LIST_COUNT) {
        return false;
    }
    relist->method = method_by_name(lists[relist->next++]);
    relist->marks = relist->callbacks.asked(relist->callbacks.state, runtime);
    relist->query = list_query_start(runtime, relist->method, time_of(relist), on_listed, relist);
    return relist->query != NULL;
}

static void cancel(struct runtime_task *task)
{
    struct relist *relist = completion_owner(task, struct relist, task);
    list_query_cancel(relist->query);
    free(relist);
}

struct runtime_task *relist_start(struct runtime *runtime, const struct relist_callbacks *callbacks, runtime_lists_done *done)
{
    struct relist *relist = calloc(1, sizeof *relist);
    if (!relist) {
        return NULL;
    }
    relist->task.cancel = cancel;
    relist->runtime = runtime;
    relist->callbacks = *callbacks;
    relist->done = done;
    if (!ask_next(relist)) {
        free(relist);
        return NULL;
    }
    return &relist->task;
}
