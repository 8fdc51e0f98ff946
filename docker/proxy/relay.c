#include "docker/proxy/relay.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/json/build.h"
#include "base/log/log.h"

void relay_arm(struct relay *relay, enum timer_purpose purpose, unsigned milliseconds)
{
    struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = (suseconds_t)(milliseconds % 1000) * 1000};
    relay->timer_purpose = purpose;
    event_add(&relay->timer, &time);
}

void relay_disarm(struct relay *relay, enum timer_purpose purpose)
{
    if (relay->timer_purpose == purpose) {
        relay->timer_purpose = TIMER_NONE;
        event_del(&relay->timer);
    }
}

void relay_wake(struct relay *relay)
{
    event_active(&relay->caller.reads, 0, 0);
}

void relay_end_hooks(struct relay *relay)
{
    hooked_end(relay->hooked);
    relay->hooked = NULL;
    relay->proxy->held -= relay->held;
    relay->held = 0;
    relay->unseen = false;
    buffer_clear(&relay->head);
    buffer_clear(&relay->framed);
    buffer_clear(&relay->answer_content);
}

/* ---- answers of ours ---- */

static const char *phrase_of(unsigned status)
{
    switch (status) {
    case 400:
        return "Bad Request";
    case 408:
        return "Request Timeout";
    case 413:
        return "Request Entity Too Large";
    case 502:
        return "Bad Gateway";
    case 503:
        return "Service Unavailable";
    default:
        return "Internal Server Error";
    }
}

/* The answer, which the caller frees; NULL: no memory. */
static char *write_answer(unsigned status, const char *message)
{
    struct json_object *body = json_object_new_object();
    json_add(body, "message", json_object_new_string(message));
    size_t size = 0;
    const char *text = json_print(body, JSON_C_TO_STRING_NOSLASHESCAPE, &size);
    char *answer = NULL;
    if (text && asprintf(&answer,
                         "HTTP/1.1 %u %s\r\n"
                         "Content-Type: application/json\r\n"
                         "Content-Length: %zu\r\n"
                         "Connection: close\r\n"
                         "\r\n"
                         "%s\n",
                         status, phrase_of(status), size + 1, text) < 0) {
        answer = NULL;
    }
    json_object_put(body);
    return answer;
}

void relay_refuse(struct relay *relay, unsigned status, const char *format, ...)
{
    char message[ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    log_line(LOG_FAILED, "refused with %u: %s", status, message);
    relay_disarm(relay, relay->timer_purpose); /* nothing is waited for any more */
    bool begun = relay->tunnel || relay->answer_state == ANSWER_BODY || relay->answer_state == ANSWER_WHOLE;
    char *answer = begun ? NULL : write_answer(status, message);
    flow_end_close(&relay->docker);
    flow_clear(&relay->up);
    flow_cut(&relay->down);
    bool good = answer && flow_add(&relay->down, bytes_of_string(answer));
    relay_end_hooks(relay);
    relay->ending = good ? ENDING_FINISH : ENDING_CUT;
    free(answer);
}
