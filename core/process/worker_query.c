#include "worker_query.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/worker_request.h"
#include "core/sockets/control.h"

/* The worker answers at once, unless it is stuck. */
#define PATIENCE_MS 5000

struct question {
    struct worker_request request;
    struct daemon_callbacks calls;
    char id[CONTROL_LINE_SIZE]; /* "": about everything */
    struct json_object *answer;
};

static void run_query(struct worker_request *request)
{
    struct question *question = (struct question *)(void *)request;
    question->answer = question->id[0] ? question->calls.gateway_status_of_id(question->calls.state, question->id)
                                       : question->calls.describe(question->calls.state);
}

static void free_query(struct worker_request *request)
{
    struct question *question = (struct question *)(void *)request;
    json_object_put(question->answer);
    free(question);
}

struct json_object *worker_query_ask(const struct daemon_callbacks *calls, const char *id, struct worker *worker,
                                     struct error *error)
{
    struct question *question = calloc(1, sizeof *question);
    if (!question) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    worker_request_init(&question->request, run_query, free_query);
    question->calls = *calls;
    snprintf(question->id, sizeof question->id, "%s", id);
    struct json_object *answer = NULL;
    if (worker_request_send(&question->request, worker, PATIENCE_MS, error)) {
        answer = question->answer; /* moved, not shared: its count of references is for one thread */
        question->answer = NULL;
        if (!answer) {
            error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        }
    }
    worker_request_drop(&question->request);
    return answer;
}
