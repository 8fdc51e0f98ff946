#include "docker/proxy/hook_run.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/http/rewrite.h"

#define BODY_PATIENCE 60000             /* milliseconds, for a body from the head to its last byte */
#define HELD_LARGEST ((size_t)32 << 20) /* bytes of bodies that all connections hold together; plugins take ten times as much */

/* ---- what is sent ---- */

static bool append_text(struct buffer *out, const char *text)
{
    return buffer_append(out, bytes_of_string(text), SIZE_MAX);
}

/* The head with the length of that content, and the content. */
static bool frame(struct relay *relay, struct bytes content)
{
    static const char *const framing[] = {"content-length", "transfer-encoding", "trailer", "expect", NULL};
    char length[64];
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", content.len);
    return http_head_rewrite(buffer_bytes(&relay->head), framing, bytes_of_string(length), &relay->framed) &&
           buffer_append(&relay->framed, content, SIZE_MAX);
}

/* What no plugin saw is passed on as it came; of chunks, what was read already becomes one. */
static bool frame_unseen(struct relay *relay)
{
    static const char *const answered[] = {"expect", NULL};
    struct bytes held = buffer_bytes(hooked_body(relay->hooked));
    if (held.len == 0) {
        return buffer_append(&relay->framed, buffer_bytes(&relay->head), SIZE_MAX);
    }
    char size[32];
    snprintf(size, sizeof size, "%" PRIx64 "\r\n", (uint64_t)held.len + relay->request_body.left);
    return http_head_rewrite(buffer_bytes(&relay->head), answered, bytes_of(NULL, 0), &relay->framed) &&
           append_text(&relay->framed, size) && buffer_append(&relay->framed, held, SIZE_MAX);
}

static unsigned status_of(const struct relay *relay, enum status_code code)
{
    if (code == STATUS_RESOURCE_EXHAUSTED && relay->unseen) {
        return 413;
    }
    return code == STATUS_INVALID_ARGUMENT ? 400 : 500;
}

static void on_verdict(void *state, const struct docker_verdict *verdict)
{
    struct relay *relay = state;
    const struct http_head *head = &relay->request;
    struct bytes body = buffer_bytes(hooked_body(relay->hooked));
    bool good = true;
    relay_wake(relay);
    if (verdict->error.code != STATUS_OK) {
        relay_refuse(relay, status_of(relay, verdict->error.code), "%s", verdict->error.message);
        return;
    }
    if (relay->unseen) {
        good = frame_unseen(relay);
    } else if (verdict->changed || head->framing == HTTP_CHUNKED || head->awaits_continue) {
        good = frame(relay, verdict->changed ? verdict->body : body);
    } else {
        good =
            buffer_append(&relay->framed, buffer_bytes(&relay->head), SIZE_MAX) && buffer_append(&relay->framed, body, SIZE_MAX);
    }
    if (!good) {
        relay_refuse(relay, 503, "out of memory");
        return;
    }
    relay->request_state = REQUEST_FRAMED;
}

/* ---- what plugins see ---- */

static void start(struct relay *relay, bool unseen)
{
    relay_disarm(relay, TIMER_BODY);
    relay->unseen = unseen;
    relay->request_state = REQUEST_HOOKS;
    hooked_start(relay->hooked, unseen, on_verdict, relay);
}

static bool hold(struct relay *relay, struct bytes content)
{
    if (content.len > HELD_LARGEST - relay->proxy->held ||
        !buffer_append(hooked_body(relay->hooked), content, HOOKED_BODY_LARGEST + FLOW_LARGEST)) {
        relay_refuse(relay, 503, "too many requests that plugins must see are in progress");
        return false;
    }
    relay->held += content.len;
    relay->proxy->held += content.len;
    return true;
}

bool hook_run_take_body(struct relay *relay)
{
    bool changed = false;
    size_t used = 1;
    while (used > 0 && !http_body_has_ended(&relay->request_body)) {
        struct bytes content;
        struct error error = {0};
        if (!http_body_read(&relay->request_body, flow_unread(&relay->up), &used, &content, &error)) {
            relay_refuse(relay, 400, "the request cannot be passed on: %s", error.message);
            return true;
        }
        if (!hold(relay, content)) {
            return true;
        }
        flow_drop(&relay->up, used);
        changed |= used > 0;
        if (hooked_body(relay->hooked)->len > HOOKED_BODY_LARGEST) {
            start(relay, true);
            return true;
        }
    }
    if (http_body_has_ended(&relay->request_body)) {
        start(relay, false);
        return true;
    }
    return changed;
}

static bool begin_body(struct relay *relay)
{
    const struct http_head *head = &relay->request;
    if (head->framing == HTTP_LENGTH && head->length > HOOKED_BODY_LARGEST) {
        start(relay, true);
        return true;
    }
    relay->request_state = REQUEST_HOOK_BODY;
    relay_arm(relay, TIMER_BODY, BODY_PATIENCE);
    return !head->awaits_continue || head->framing == HTTP_NO_BODY ||
           flow_add(&relay->down, bytes_of_string("HTTP/1.1 100 Continue\r\n\r\n"));
}

bool hook_run_begin(struct relay *relay)
{
    const struct http_head *head = &relay->request;
    struct error error = {0};
    if (!relay->proxy->hooks) {
        return false;
    }
    if (!hooked_begin(relay->proxy->hooks, head->method, head->target, &relay->hooked, &error)) {
        relay_refuse(relay, error.code == STATUS_INVALID_ARGUMENT ? 400 : 503, "the request cannot be passed on: %s",
                     error.message);
        return true;
    }
    if (!relay->hooked) {
        return false;
    }
    if (head->upgrades) {
        relay_refuse(relay, 400, "the request cannot be passed on: it asks for another protocol, and plugins must see it");
        return true;
    }
    if (!buffer_append(&relay->head, bytes_of(flow_unread(&relay->up).data, head->size), SIZE_MAX)) {
        relay_refuse(relay, 503, "out of memory");
        return true;
    }
    flow_drop(&relay->up, head->size);
    http_body_begin(&relay->request_body, head);
    if (!begin_body(relay)) {
        relay_refuse(relay, 503, "out of memory");
    }
    return true;
}
