#include "docker/proxy/request.h"

#include <unistd.h>

#include "docker/proxy/docker_socket.h"
#include "docker/proxy/hook_run.h"
#include "docker/proxy/raw_stream.h"

#define CONNECT_PAUSE 50 /* milliseconds between two attempts while Docker's socket has no room for a connection */

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
        relay->request_state = relay->request_state == REQUEST_NONE ? REQUEST_CONNECT : relay->request_state;
        relay_arm(relay, TIMER_CONNECT, CONNECT_PAUSE);
        return false;
    case DOCKER_SOCKET_AWAY:
        break;
    }
    relay_refuse(relay, 503, "%s", error.message);
    return false;
}

/* ---- a request ---- */

static bool begin_passing(struct relay *relay)
{
    relay->request_state = REQUEST_BODY;
    relay->answer_state = ANSWER_HEAD;
    relay->last = !relay->request.keeps_alive;
    return true;
}

static bool pass_head(struct relay *relay)
{
    if (!connect_docker(relay) || hook_run_begin(relay)) {
        return true;
    }
    const struct http_head *head = &relay->request;
    relay->to_head = bytes_equal(head->method, bytes_of_string("HEAD"));
    relay->may_tunnel = raw_stream_may_answer(head->method, head->target);
    flow_pass(&relay->up, head->size);
    http_body_begin(&relay->request_body, head);
    return begin_passing(relay);
}

/* What hooks made of a request. Docker may have closed the connection meanwhile, and then there is another. */
static bool pass_framed(struct relay *relay)
{
    if (relay->timer_purpose == TIMER_CONNECT || !connect_docker(relay)) {
        return false;
    }
    relay->to_head = relay->may_tunnel = false;
    flow_insert(&relay->up, &relay->framed);
    return begin_passing(relay);
}

static bool find_head(struct relay *relay)
{
    struct error error = {0};
    struct bytes unread = flow_unread(&relay->up);
    /* What Docker says without being asked is not an answer to this request. */
    if (unread.len == 0 || !flow_is_drained(&relay->up) || flow_unread(&relay->down).len > 0) {
        return false;
    }
    size_t size = http_head_find_end(&relay->request_scan, unread, &error);
    if (error.code != STATUS_OK) {
        return refuse(relay, &error);
    }
    if (size == 0 && relay->timer_purpose == TIMER_NONE) {
        relay_arm(relay, TIMER_HEAD, RELAY_HEAD_PATIENCE);
    }
    if (size == 0) {
        return false;
    }
    relay_disarm(relay, TIMER_HEAD);
    return http_head_read_request(flow_unread(&relay->up), &relay->request, &error) ? pass_head(relay) : refuse(relay, &error);
}

static bool retry(struct relay *relay)
{
    struct error error = {0};
    if (relay->timer_purpose == TIMER_CONNECT) {
        return false;
    }
    return http_head_read_request(flow_unread(&relay->up), &relay->request, &error) ? pass_head(relay) : refuse(relay, &error);
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
    case REQUEST_HOOK_BODY:
        return hook_run_take_body(relay);
    case REQUEST_FRAMED:
        return pass_framed(relay);
    case REQUEST_BODY:
        return pass_body(relay);
    case REQUEST_HOOKS:
    case REQUEST_SENT:
        break;
    }
    return false;
}
