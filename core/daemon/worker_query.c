#include "core/daemon/worker_query.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/control/protocol.h"
#include "core/loop/worker_request.h"

/* The worker answers at once unless it is stuck. Less than those who ask wait (CONTROL_PATIENCE), so that they learn it. */
#define PATIENCE_MS 4000

struct query {
    struct worker_request request;
    worker_query_describe *describe;
    void *state;
    enum worker_query what;
    char id[CONTROL_LINE_SIZE];
    struct json_object *answer;
};

static void run_query(struct worker_request *request)
{
    struct query *query = (struct query *)(void *)request;
    query->answer = query->describe(query->state, query->what, query->id);
}

static void free_query(struct worker_request *request)
{
    struct query *query = (struct query *)(void *)request;
    json_object_put(query->answer);
    free(query);
}

struct json_object *worker_query_ask(worker_query_describe *describe, void *state, enum worker_query what, const char *id,
                                     struct worker *worker, struct error *error)
{
    struct query *query = calloc(1, sizeof *query);
    if (!query) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    worker_request_init(&query->request, run_query, free_query);
    query->describe = describe;
    query->state = state;
    query->what = what;
    snprintf(query->id, sizeof query->id, "%s", id);
    struct json_object *answer = NULL;
    if (worker_request_send(&query->request, worker, PATIENCE_MS, error)) {
        answer = query->answer; /* moved, not shared: its reference count is for one thread */
        query->answer = NULL;
        if (!answer) {
            error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        }
    }
    worker_request_drop(&query->request);
    return answer;
}
