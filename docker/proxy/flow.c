#include "docker/proxy/flow.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/descriptor.h"

/* A buffer begins small, and grows as long as reads fill it. */
#define FLOW_SMALLEST ((size_t)8 * 1024)

/* ---- ends ---- */

bool flow_end_open(struct flow_end *end, int fd, struct event_base *base, event_callback_fn run, void *state)
{
    *end = (struct flow_end){.fd = fd, .writable = true};
    bool good = event_assign(&end->reads, base, fd, EV_READ | EV_CLOSED | EV_ET | EV_PERSIST, run, state) == 0 &&
                event_assign(&end->writes, base, fd, EV_WRITE | EV_ET, run, state) == 0 && event_add(&end->reads, NULL) == 0;
    if (!good) {
        *end = (struct flow_end){.fd = -1};
    }
    return good;
}

void flow_end_note(struct flow_end *end, short happened)
{
    end->readable |= (happened & (EV_READ | EV_CLOSED)) != 0;
    end->writable |= (happened & EV_WRITE) != 0;
    end->closing |= (happened & EV_CLOSED) != 0;
    if (end->closing && !end->gone) {
        struct pollfd look = {.fd = end->fd};
        end->gone = poll(&look, 1, 0) > 0 && (look.revents & (POLLHUP | POLLERR)) != 0;
    }
}

void flow_end_close(struct flow_end *end)
{
    if (end->fd >= 0) {
        event_del(&end->reads);
        event_del(&end->writes);
        descriptor_close(&end->fd);
    }
    *end = (struct flow_end){.fd = -1};
}

/* ---- reading ---- */

/* Makes room behind the end. false: there is none. */
static bool make_room(struct flow *flow)
{
    if (flow->begin == flow->end) {
        flow->begin = flow->passed = flow->end = 0;
    }
    if (flow->end < flow->capacity) {
        return true;
    }
    if (flow->begin > 0 && flow->begin >= flow->capacity / 2) {
        memmove(flow->data, flow->data + flow->begin, flow->end - flow->begin);
        flow->passed -= flow->begin;
        flow->end -= flow->begin;
        flow->begin = 0;
        return true;
    }
    size_t capacity = flow->capacity == 0 ? FLOW_SMALLEST : 4 * flow->capacity;
    capacity = capacity < FLOW_LARGEST ? capacity : FLOW_LARGEST;
    uint8_t *data = capacity > flow->capacity ? realloc(flow->data, capacity) : NULL;
    if (!data) {
        return false;
    }
    flow->data = data;
    flow->capacity = capacity;
    return true;
}

bool flow_fill(struct flow *flow)
{
    struct flow_end *from = flow->from;
    if (from->fd < 0 || !from->readable || flow->ended || !make_room(flow)) {
        return false;
    }
    size_t room = flow->capacity - flow->end;
    ssize_t got = recv(from->fd, flow->data + flow->end, room, 0);
    if (got > 0) {
        flow->end += (size_t)got;
        /* All there was, or there will be another report. The end of the stream is reported with what comes before it. */
        from->readable = (size_t)got == room || from->closing;
        return true;
    }
    if (got < 0 && errno == EINTR) {
        return true;
    }
    from->readable = false;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return false;
    }
    flow->ended = true;
    return true;
}

/* ---- sending ---- */

static void die(struct flow *flow)
{
    flow->dead = true;
    flow->begin = flow->passed;
    flow->own_sent = flow->own.len;
    flow->to->writable = false;
}

/* Returns how many of the bytes were taken. */
static size_t send_bytes(struct flow *flow, struct bytes bytes)
{
    ssize_t sent = send(flow->to->fd, bytes.data, bytes.len, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) {
        return 0;
    }
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
        die(flow);
        return 0;
    }
    if (sent < 0 || (size_t)sent < bytes.len) {
        flow->to->writable = false;
        if (event_add(&flow->to->writes, NULL) != 0) {
            die(flow);
        }
    }
    return sent < 0 ? 0 : (size_t)sent;
}

static bool drain_own(struct flow *flow)
{
    size_t sent = send_bytes(flow, bytes_after(buffer_bytes(&flow->own), flow->own_sent));
    if (!flow->dead) {
        flow->own_sent += sent;
    }
    if (flow->own_sent == flow->own.len) {
        buffer_clear(&flow->own);
        flow->own_sent = 0;
    }
    return sent > 0 || flow->dead;
}

bool flow_drain(struct flow *flow)
{
    bool changed = false;
    if (flow->dead) {
        changed = flow->begin != flow->passed;
        die(flow);
        return changed;
    }
    if (flow->to->fd < 0 || !flow->to->writable) {
        return false;
    }
    if (flow->own.len > 0) {
        changed = drain_own(flow);
    }
    if (flow->own.len == 0 && flow->begin < flow->passed && flow->to->writable && !flow->dead) {
        size_t sent = send_bytes(flow, bytes_of(flow->data + flow->begin, flow->passed - flow->begin));
        if (!flow->dead) {
            flow->begin += sent;
        }
        changed |= sent > 0 || flow->dead;
    }
    return changed;
}

/* ---- what is between ---- */

void flow_drop(struct flow *flow, size_t count)
{
    flow->passed += count;
    flow->begin = flow->passed;
}

void flow_insert(struct flow *flow, struct buffer *bytes)
{
    buffer_clear(&flow->own);
    flow->own = *bytes;
    flow->own_sent = 0;
    *bytes = (struct buffer){0};
}

bool flow_add(struct flow *flow, struct bytes bytes)
{
    uint8_t *data = realloc(flow->data, flow->capacity + bytes.len);
    if (!data) {
        return false;
    }
    memcpy(data + flow->passed, bytes.data, bytes.len);
    flow->data = data;
    flow->capacity += bytes.len;
    flow->passed += bytes.len;
    flow->end = flow->passed;
    return true;
}

void flow_cut(struct flow *flow)
{
    flow->end = flow->passed;
    flow->ended = true;
}

void flow_rest(struct flow *flow)
{
    if (flow->begin == flow->end && flow->data) {
        free(flow->data);
        flow->data = NULL;
        flow->capacity = 0;
        flow->begin = flow->passed = flow->end = 0;
    }
}

void flow_clear(struct flow *flow)
{
    buffer_clear(&flow->own);
    free(flow->data);
    *flow = (struct flow){.from = flow->from, .to = flow->to};
}
