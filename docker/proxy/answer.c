#include "docker/proxy/answer.h"

#include "base/log/log.h"

/* Answers 1xx before the one that counts; Docker sends one at most. */
#define INTERIM_MOST 8

/* Bytes of an answer that hooks learn from: an id, and warnings. One that is longer is cut, and nothing is learned. */
#define CONTENT_LARGEST ((size_t)256 * 1024)

static bool refuse(struct relay *relay, const char *why)
{
    relay_refuse(relay, 502, "Docker's answer cannot be passed on: %s", why);
    return true;
}

/* Docker has closed its side, or answered without being asked. */
static bool unasked(struct relay *relay)
{
    if (flow_unread(&relay->down).len > 0) {
        log_line(LOG_FAILED, "Docker sent an unsolicited answer; closing the connection");
        relay->ending = ENDING_CUT;
        return true;
    }
    if (!relay->down.ended || relay->docker.fd < 0) {
        return false;
    }
    /* A request that was not passed on gets another connection. */
    if (relay->request_state != REQUEST_NONE || flow_unread(&relay->up).len > 0) {
        flow_end_close(&relay->docker);
        relay->down.ended = false;
        relay->up.dead = false;
        return true;
    }
    relay->ending = ENDING_FINISH;
    return true;
}

/* ---- the head ---- */

static bool begin_tunnel(struct relay *relay, const struct http_head *head)
{
    flow_pass(&relay->down, head->size);
    relay->tunnel = true;
    return true;
}

static bool pass_head(struct relay *relay, const struct http_head *head)
{
    if (head->status == 101) {
        return relay->request.upgrades ? begin_tunnel(relay, head)
                                       : refuse(relay, "it changes the protocol, which the request did not ask for");
    }
    if (head->status < 200) {
        relay->answer_scan = (struct http_head_scan){0};
        flow_pass(&relay->down, head->size);
        return ++relay->interim <= INTERIM_MOST || refuse(relay, "too many answers come before it");
    }
    if (head->status < 300 && head->framing == HTTP_UNTIL_CLOSE && relay->may_tunnel) {
        return begin_tunnel(relay, head);
    }
    relay->last |= !head->keeps_alive || head->framing == HTTP_UNTIL_CLOSE;
    flow_pass(&relay->down, head->size);
    http_body_begin(&relay->answer_body, head);
    relay->answer_status = head->status;
    relay->answer_state = ANSWER_BODY;
    return true;
}

static bool find_head(struct relay *relay)
{
    struct error error = {0};
    struct http_head head;
    struct bytes unread = flow_unread(&relay->down);
    size_t size = unread.len > 0 ? http_head_find_end(&relay->answer_scan, unread, &error) : 0;
    if (error.code == STATUS_OK && size > 0 &&
        http_head_read_answer(bytes_of(unread.data, size), relay->to_head, &head, &error)) {
        return pass_head(relay, &head);
    }
    if (error.code != STATUS_OK) {
        return refuse(relay, error.message);
    }
    if (!relay->down.ended) {
        return false;
    }
    /* Docker itself closes without an answer when it is killed, and callers know what to make of it. */
    relay->ending = ENDING_CUT;
    return unread.len > 0 ? refuse(relay, "it ends within its header") : true;
}

/* ---- the body ---- */

/* The begin of it is what hooks learn from. */
static void keep_content(struct relay *relay, struct bytes content)
{
    if (relay->hooked && hooked_wants_answer(relay->hooked)) {
        buffer_append(&relay->answer_content, content, CONTENT_LARGEST);
    }
}

/* Before the caller has all of it, who may then ask for what hooks learn from it. */
static bool end_answer(struct relay *relay)
{
    relay->answer_state = ANSWER_WHOLE;
    if (relay->hooked) {
        hooked_answered(relay->hooked, relay->answer_status, buffer_bytes(&relay->answer_content));
    }
    return true;
}

static bool pass_body(struct relay *relay)
{
    bool changed = false;
    size_t used = 1;
    struct http_body *body = &relay->answer_body;
    while (used > 0 && !http_body_has_ended(body)) {
        struct bytes content;
        struct error error = {0};
        if (!http_body_read(body, flow_unread(&relay->down), &used, &content, &error)) {
            return refuse(relay, error.message);
        }
        keep_content(relay, content);
        flow_pass(&relay->down, used);
        changed |= used > 0;
    }
    if (http_body_has_ended(body) || (relay->down.ended && body->framing == HTTP_UNTIL_CLOSE)) {
        return end_answer(relay);
    }
    if (relay->down.ended) {
        relay->ending = ENDING_CUT;
        return true;
    }
    return changed;
}

bool answer_advance(struct relay *relay)
{
    if (relay->tunnel) {
        size_t len = flow_unread(&relay->down).len;
        flow_pass(&relay->down, len);
        return len > 0;
    }
    switch (relay->answer_state) {
    case ANSWER_NONE:
        return unasked(relay);
    case ANSWER_HEAD:
        return find_head(relay);
    case ANSWER_BODY:
        return pass_body(relay);
    case ANSWER_WHOLE:
        break;
    }
    return false;
}
