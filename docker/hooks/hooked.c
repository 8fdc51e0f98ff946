#include "docker/hooks/hooked.h"

#include <stdlib.h>

/* A route in memory: names that are decoded. */
#define ROUTE_MEMORY ((size_t)512 * 1024)

struct hooked {
    struct hook_thread *thread;
    struct arena *arena; /* of the route */
    struct docker_route route;
    struct buffer body;
    void (*done)(void *state, const struct docker_verdict *verdict);
    void *state;
    bool started;
    bool ended; /* `done` is not called any more */
    bool too_long;
    unsigned status;
    struct buffer answer;
    struct docker_exchange *exchange; /* of the thread of the hooks */
    struct docker_verdict verdict;    /* written there, before it is returned */
    struct hook_message start;
    struct hook_message decided;
    struct hook_message answered;
    struct hook_message end;
    struct hook_message freed;
};

bool hooked_begin(struct hook_thread *thread, struct bytes method, struct bytes target, struct hooked **hooked,
                  struct error *error)
{
    *hooked = NULL;
    struct hooked *made = calloc(1, sizeof *made);
    struct arena *arena = arena_new(ROUTE_MEMORY);
    bool good = made && arena;
    if (!good) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
    } else {
        made->arena = arena;
        made->thread = thread;
        good = docker_route_read(method, target, arena, &made->route, error);
    }
    if (good && made->route.kind != DOCKER_OTHER) {
        *hooked = made;
        return true;
    }
    arena_unref(arena);
    free(made);
    return good;
}

struct buffer *hooked_body(struct hooked *hooked)
{
    return &hooked->body;
}

bool hooked_wants_answer(const struct hooked *hooked)
{
    return hooked->route.kind == DOCKER_CREATE;
}

/* ---- to the thread of the hooks, and back ---- */

static void on_decided(struct hook_message *message)
{
    struct hooked *hooked = hook_message_owner(message, struct hooked, decided);
    if (!hooked->ended) {
        hooked->done(hooked->state, &hooked->verdict);
    }
}

/* On the thread of the hooks. */
static void on_verdict(void *state, const struct docker_verdict *verdict)
{
    struct hooked *hooked = state;
    hooked->verdict = *verdict;
    hook_thread_return(hooked->thread, &hooked->decided);
}

static void on_start(struct hook_message *message)
{
    struct hooked *hooked = hook_message_owner(message, struct hooked, start);
    struct docker_hooks *hooks = hook_thread_hooks(hooked->thread);
    if (hooked->too_long) {
        struct docker_verdict verdict = {0};
        docker_hooks_pass_unseen(hooks, &hooked->route, &verdict.error);
        on_verdict(hooked, &verdict);
        return;
    }
    hooked->exchange = docker_exchange_start(hooks, &hooked->route, buffer_bytes(&hooked->body), on_verdict, hooked);
    if (!hooked->exchange) {
        struct docker_verdict verdict = {0};
        error_set(&verdict.error, STATUS_INTERNAL, "out of memory");
        on_verdict(hooked, &verdict);
    }
}

void hooked_start(struct hooked *hooked, bool too_long, void (*done)(void *state, const struct docker_verdict *verdict),
                  void *state)
{
    hooked->too_long = too_long;
    hooked->done = done;
    hooked->state = state;
    hooked->started = true;
    hooked->decided.run = on_decided;
    hooked->start.run = on_start;
    hook_thread_send(hooked->thread, &hooked->start);
}

static void on_answered(struct hook_message *message)
{
    struct hooked *hooked = hook_message_owner(message, struct hooked, answered);
    if (hooked->exchange) {
        docker_exchange_answered(hooked->exchange, (int)hooked->status, buffer_bytes(&hooked->answer));
    }
}

void hooked_answered(struct hooked *hooked, unsigned status, struct bytes body)
{
    hooked->status = status;
    buffer_append(&hooked->answer, body, SIZE_MAX);
    hooked->answered.run = on_answered;
    hook_thread_send(hooked->thread, &hooked->answered);
}

/* ---- the end ---- */

static void free_hooked(struct hooked *hooked)
{
    buffer_clear(&hooked->body);
    buffer_clear(&hooked->answer);
    arena_unref(hooked->arena);
    free(hooked);
}

static void on_freed(struct hook_message *message)
{
    free_hooked(hook_message_owner(message, struct hooked, freed));
}

static void on_end(struct hook_message *message)
{
    struct hooked *hooked = hook_message_owner(message, struct hooked, end);
    if (hooked->exchange) {
        docker_exchange_end(hooked->exchange);
    }
    hooked->freed.run = on_freed;
    hook_thread_return(hooked->thread, &hooked->freed);
}

void hooked_end(struct hooked *hooked)
{
    if (!hooked) {
        return;
    }
    if (!hooked->started) {
        free_hooked(hooked);
        return;
    }
    hooked->ended = true;
    hooked->end.run = on_end;
    hook_thread_send(hooked->thread, &hooked->end);
}
