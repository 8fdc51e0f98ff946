#include "core/calls/pulls.h"

#include "core/runtimes/pull_queue.h"
#include "translate/schema/peek.h"

/* ---- queues with room ---- */

static void look_soon(struct call_server *server)
{
    if (!TAILQ_EMPTY(&server->due_pulls) && !server->pull.waits) {
        worker_wait_turn(server->worker, &server->pull);
    }
}

static void look_at(struct call_server *server, struct pull_queue *queue)
{
    if (!queue->is_due && pull_queue_has_next(queue)) {
        queue->is_due = true;
        TAILQ_INSERT_TAIL(&server->due_pulls, queue, others);
        look_soon(server);
    }
}

static void look_no_more(struct call_server *server, struct pull_queue *queue)
{
    if (queue->is_due) {
        queue->is_due = false;
        TAILQ_REMOVE(&server->due_pulls, queue, others);
    }
}

static void on_turn(struct completion *completion, bool ok)
{
    (void)ok;
    struct call_server *server = completion_owner(completion, struct call_server, pull.completion);
    struct pull_queue *queue = TAILQ_FIRST(&server->due_pulls);
    if (queue) {
        look_no_more(server, queue);
    }
    if (queue && pull_queue_has_next(queue)) {
        struct call *call = completion_owner(pull_queue_next(queue), struct call, pull);
        look_at(server, queue);
        server->go_on(call);
        call_drop(call); /* the hold of pulls_may_go_on */
    }
    look_soon(server);
}

/* ---- pulls ---- */

bool pulls_may_go_on(struct call *call)
{
    const struct request *request = &call->request;
    if (request->method->route != ROUTE_PULL) {
        return true;
    }
    struct runtime *runtime = request->generation->runtimes[call->route.targets[0]];
    struct bytes uid = peek_bytes(request->method, request->caller, PEEK_SANDBOX_UID, request->bytes);
    if (pull_queue_enter(&call->pull, runtime, uid)) {
        return true;
    }
    call->state = CALL_WAITING_TO_PULL;
    call_hold(call);
    return false;
}

static void leave(struct call *call)
{
    struct pull_queue *queue = call->pull.queue ? pull_queue_leave(&call->pull) : NULL;
    if (queue && pull_queue_is_idle(queue)) {
        look_no_more(call->server, queue);
        pull_queue_free(queue);
    } else if (queue) {
        look_at(call->server, queue);
    }
}

bool pulls_give_up(struct call *call)
{
    bool waits = call->pull.pod != NULL;
    if (waits) {
        leave(call);
    }
    return waits;
}

void pulls_reloaded(struct call_server *server)
{
    const struct generation *generation = server->generation;
    for (size_t i = 0; i < generation->map->runtime_count; i++) {
        if (generation->runtimes[i]->pulls) {
            look_at(server, generation->runtimes[i]->pulls);
        }
    }
}

void pulls_begin(struct call_server *server, void (*go_on)(struct call *call))
{
    TAILQ_INIT(&server->due_pulls);
    server->pull.completion.run = on_turn;
    server->go_on = go_on;
    server->leave = leave;
}
