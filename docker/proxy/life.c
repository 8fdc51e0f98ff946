#include "docker/proxy/life.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log/log.h"
#include "base/system/clock.h"
#include "docker/proxy/answer.h"
#include "docker/proxy/request.h"

/* One connection has its turn for this many reads, then the others. */
#define TURN 16
#define LINGER 1000  /* milliseconds */
#define IDLE_MS 1000 /* for as long as that a connection is kept that nobody uses, while others wait for theirs */

/* ---- how it ends ---- */

static void settle_ending(struct relay *relay)
{
    flow_drop(&relay->up, flow_unread(&relay->up).len);
    if (relay->down.dead || relay->caller.gone) {
        relay->over = true;
    } else if (!flow_is_drained(&relay->down)) {
        return;
    } else if (relay->ending == ENDING_CUT) {
        relay->over = true;
    } else if (relay->ending == ENDING_FINISH) {
        shutdown(relay->caller.fd, SHUT_WR);
        relay_arm(relay, TIMER_LINGER, LINGER);
        relay->ending = ENDING_LINGER;
    }
    relay->over |= relay->ending == ENDING_LINGER && relay->up.ended;
}

/* Passes the end of a direction on. */
static void shut(struct flow *flow)
{
    if (flow->ended && !flow->shut && flow_is_drained(flow) && flow->to->fd >= 0) {
        flow->shut = true;
        shutdown(flow->to->fd, SHUT_WR);
    }
}

static void settle_tunnel(struct relay *relay)
{
    shut(&relay->up);
    shut(&relay->down);
    bool up_over = relay->up.shut || relay->docker.gone || relay->up.dead;
    bool down_over = relay->down.shut || relay->caller.gone || relay->down.dead;
    bool caller_over = relay->caller.gone && relay->up.shut;
    bool docker_over = relay->docker.gone && relay->down.shut;
    relay->over = (up_over && down_over) || caller_over || docker_over;
}

/* Nothing is under way that the caller could wait for. */
static bool is_idle(const struct relay *relay)
{
    return relay->request_state == REQUEST_NONE && relay->answer_state == ANSWER_NONE && flow_is_drained(&relay->down);
}

static void note_idle(struct relay *relay)
{
    if (relay->idle_since == 0) {
        relay->idle_since = clock_ns();
        TAILQ_INSERT_TAIL(&relay->proxy->idle, relay, idle);
    }
}

static void note_busy(struct relay *relay)
{
    if (relay->idle_since != 0) {
        relay->idle_since = 0;
        TAILQ_REMOVE(&relay->proxy->idle, relay, idle);
    }
}

static void settle_messages(struct relay *relay)
{
    if (relay->request_state == REQUEST_SENT && relay->answer_state == ANSWER_WHOLE) {
        relay->request_state = REQUEST_NONE;
        relay->answer_state = ANSWER_NONE;
        relay->request_scan = relay->answer_scan = (struct http_head_scan){0};
        relay->interim = 0;
        relay_end_hooks(relay);
        relay->ending = relay->last || relay->proxy->draining ? ENDING_FINISH : ENDING_NOT;
        return; /* the next request may have come */
    }
    /* Docker has answered before the body was whole, and takes no more of it. */
    if (relay->request_state == REQUEST_BODY && relay->answer_state == ANSWER_WHOLE && relay->down.ended) {
        relay->ending = ENDING_FINISH;
        return;
    }
    if (is_idle(relay)) {
        relay->over = relay->up.ended;
    } else if (relay->request_state == REQUEST_BODY || relay->request_state == REQUEST_SENT) {
        if (flow_unread(&relay->up).len == 0) {
            shut(&relay->up);
        }
        relay->over = relay->caller.gone && relay->up.ended && flow_is_drained(&relay->up);
    } else {
        bool cut = relay->request_state == REQUEST_HOOK_BODY && relay->up.ended && flow_unread(&relay->up).len == 0;
        relay->over = relay->caller.gone || cut;
    }
    relay->over |= relay->down.dead && flow_is_drained(&relay->up);
}

static void settle(struct relay *relay)
{
    /* Docker learns that the caller takes no more, though not all that it sent may have been taken. */
    if (relay->caller.gone && relay->docker.fd >= 0) {
        shutdown(relay->docker.fd, SHUT_RD);
    }
    if (relay->ending != ENDING_NOT) {
        settle_ending(relay);
    } else if (relay->tunnel) {
        settle_tunnel(relay);
    } else {
        settle_messages(relay);
    }
}

/* ---- its turn ---- */

/* A head and what came with it go out together. */
static bool advance(struct relay *relay, bool (*side)(struct relay *relay))
{
    bool changed = false;
    while (relay->ending == ENDING_NOT && side(relay)) {
        changed = true;
    }
    return changed;
}

static bool step(struct relay *relay)
{
    bool changed = flow_fill(&relay->up);
    changed |= advance(relay, request_advance);
    changed |= flow_drain(&relay->up);
    changed |= flow_fill(&relay->down);
    changed |= advance(relay, answer_advance);
    changed |= flow_drain(&relay->down);
    settle(relay);
    return changed;
}

static void run(struct relay *relay)
{
    unsigned steps = 0;
    bool changed = true;
    while (changed && steps++ < TURN && !relay->over) {
        changed = step(relay);
    }
    if (relay->over) {
        life_end(relay);
        return;
    }
    if (changed) {
        note_busy(relay);
        event_active(&relay->caller.reads, 0, 0);
    } else if (is_idle(relay) && !relay->tunnel) {
        flow_rest(&relay->up);
        flow_rest(&relay->down);
        note_idle(relay);
    } else {
        note_busy(relay);
    }
}

static void on_caller(evutil_socket_t fd, short happened, void *state)
{
    struct relay *relay = state;
    (void)fd;
    flow_end_note(&relay->caller, happened);
    run(relay);
}

static void on_docker(evutil_socket_t fd, short happened, void *state)
{
    struct relay *relay = state;
    (void)fd;
    flow_end_note(&relay->docker, happened);
    run(relay);
}

static void on_timer(evutil_socket_t fd, short happened, void *state)
{
    struct relay *relay = state;
    enum timer_purpose purpose = relay->timer_purpose;
    (void)fd;
    (void)happened;
    relay->timer_purpose = TIMER_NONE;
    if (purpose == TIMER_HEAD || purpose == TIMER_BODY) {
        relay_refuse(relay, 408, "the %s of the request takes too long", purpose == TIMER_HEAD ? "header" : "body");
    }
    relay->over |= purpose == TIMER_LINGER;
    run(relay);
}

/* ---- begin and end ---- */

void life_begin(struct proxy *proxy, int fd)
{
    struct relay *relay = calloc(1, sizeof *relay);
    if (!relay) {
        close(fd);
        return;
    }
    *relay = (struct relay){
        .proxy = proxy,
        .next = proxy->relays,
        .docker = {.fd = -1},
        .docker_happened = on_docker,
        .up = {.from = &relay->caller, .to = &relay->docker},
        .down = {.from = &relay->docker, .to = &relay->caller},
    };
    if (evtimer_assign(&relay->timer, proxy->base, on_timer, relay) != 0 ||
        !flow_end_open(&relay->caller, fd, proxy->base, on_caller, relay)) {
        close(fd);
        free(relay);
        return;
    }
    if (proxy->relays) {
        proxy->relays->previous = relay;
    }
    proxy->relays = relay;
    proxy->connection_count++;
    relay_arm(relay, TIMER_HEAD, RELAY_HEAD_PATIENCE);
    relay->caller.readable = true; /* most have sent something already */
    run(relay);
}

bool life_make_room(struct proxy *proxy)
{
    struct relay *idlest = TAILQ_FIRST(&proxy->idle);
    if (!idlest || clock_ns() - idlest->idle_since < IDLE_MS * NANOSECONDS_A_MILLISECOND) {
        return false;
    }
    life_end(idlest);
    return true;
}

void life_drain(struct relay *relay)
{
    if (is_idle(relay) && relay->ending == ENDING_NOT && !relay->tunnel) {
        relay->ending = ENDING_FINISH;
        run(relay);
    }
}

void life_end(struct relay *relay)
{
    struct proxy *proxy = relay->proxy;
    relay_end_hooks(relay);
    note_busy(relay);
    event_del(&relay->timer);
    flow_end_close(&relay->caller);
    flow_end_close(&relay->docker);
    flow_clear(&relay->up);
    flow_clear(&relay->down);
    *(relay->previous ? &relay->previous->next : &proxy->relays) = relay->next;
    if (relay->next) {
        relay->next->previous = relay->previous;
    }
    free(relay);
    proxy->connection_count--;
    proxy->freed(proxy->state);
}
