#include "core/docker_proxy/request.h"

#include <unistd.h>

#include "core/docker_proxy/docker_socket.h"
#include "core/docker_proxy/raw_stream.h"

#define HEAD_PATIENCE 60000 /* milliseconds, for a head from its first byte to its last */
#define CONNECT_PAUSE 50    /* milliseconds between two attempts while Docker's socket has no room for a connection */

static bool refuse(struct relay *relay, const struct error *error)
{
    relay_refuse(relay, 400, "the request cannot be passed on: %s", error->message);
    return true;
}

/* ---- Docker's socket ---- */

/* Whether there is a connection to Docker; if not, it is refused, or tried again later. */
static bool connect_docker(struct relay *relay)
{
    struct error error = {0};
    if (relay->docker.closing) {
        flow_end_close(&relay->docker); /* and Docker has seen nothing of this request */
        relay->up.dead = false;
        relay->down.ended = false;
    }
    if (relay->docker.fd >= 0) {
        return true;
    }
    int fd = -1;
    switch (docker_socket_connect(relay->proxy->settings->docker, &fd, &error)) {
    case DOCKER_SOCKET_CONNECTED:
        if (flow_end_open(&relay->docker, fd, relay->proxy->base, relay->docker_happened, relay)) {
            return true;
        }
        close(fd);
        relay_refuse(relay, 503, "out of memory");
        return false;
    case DOCKER_SOCKET_FULL:
        relay->request_state = REQUEST_CONNECT;
        relay_arm(relay, TIMER_CONNECT, CONNECT_PAUSE);
        return false;
    case DOCKER_SOCKET_AWAY:
        break;
    }
    relay_refuse(relay, 503, "%s", error.message);
    return false;
}

/* ---- a request ---- */

static bool pass_head(struct relay *relay)
{
    if (!connect_docker(relay)) {
        return true;
    }
    struct http_head *head = &relay->request;
    relay->to_head = bytes_equal(head->method, bytes_of_string("HEAD"));
    relay->may_tunnel = raw_stream_may_answer(head->method, head->target);
    relay->last = !head->keeps_alive;
    flow_pass(&relay->up, head->size);
    http_body_begin(&relay->request_body, head);
    relay->request_state = REQUEST_BODY;
    relay->answer_state = ANSWER_HEAD;
    return true;
}

/* The buffer may have moved since the head was read. */
static bool read_head(struct relay *relay, struct error *error)
{
    struct bytes head = bytes_of(flow_unread(&relay->up).data, relay->request_scan.checked);
    return http_head_read_request(head, &relay->request, error);
}

static bool find_head(struct relay *relay)
{
    struct error error = {0};
    struct bytes unread = flow_unread(&relay->up);
    /* What Docker says without being asked is no answer to this request. */
    if (unread.len == 0 || !flow_is_drained(&relay->up) || flow_unread(&relay->down).len > 0) {
        return false;
    }
    size_t size = http_head_find_end(&relay->request_scan, unread, &error);
    if (error.code != STATUS_OK) {
        return refuse(relay, &error);
    }
    if (size == 0 && relay->timer_purpose == TIMER_NONE) {
        relay_arm(relay, TIMER_HEAD, HEAD_PATIENCE);
    }
    if (size == 0) {
        return false;
    }
    relay_disarm(relay, TIMER_HEAD);
    return read_head(relay, &error) ? pass_head(relay) : refuse(relay, &error);
}

static bool retry(struct relay *relay)
{
    struct error error = {0};
    if (relay->timer_purpose == TIMER_CONNECT) {
        return false;
    }
    return read_head(relay, &error) ? pass_head(relay) : refuse(relay, &error);
}

static bool pass_body(struct relay *relay)
{
    bool changed = false;
    size_t used = 1;
    while (used > 0 && !http_body_has_ended(&relay->request_body)) {
        struct bytes content;
        struct error error = {0};
        if (!http_body_read(&relay->request_body, flow_unread(&relay->up), &used, &content, &error)) {
            return refuse(relay, &error);
        }
        flow_pass(&relay->up, used);
        changed |= used > 0;
    }
    if (http_body_has_ended(&relay->request_body)) {
        relay->request_state = REQUEST_SENT;
        changed = true;
    }
    return changed;
}

bool request_advance(struct relay *relay)
{
    if (relay->tunnel) {
        size_t len = flow_unread(&relay->up).len;
        flow_pass(&relay->up, len);
        return len > 0;
    }
    switch (relay->request_state) {
    case REQUEST_NONE:
        return find_head(relay);
    case REQUEST_CONNECT:
        return retry(relay);
    case REQUEST_BODY:
        return pass_body(relay);
    case REQUEST_SENT:
        break;
    }
    return false;
}
