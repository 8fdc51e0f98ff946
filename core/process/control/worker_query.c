#include "worker_query.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/worker_request.h"
#include "core/process/control/socket.h"

/* The worker answers at once, unless it is stuck. */
#define PATIENCE_MS 5000

struct question {
    struct errand errand;
    struct doors_calls calls;
    char id[CONTROL_LINE_SIZE]; /* "": about everything */
    struct json_object *answer;
};

static void run_question(struct errand *errand)
{
    struct question *question = (struct question *)(void *)errand;
    question->answer = question->id[0] ? question->calls.describe_owner(question->calls.state, question->id)
                                       : question->calls.describe(question->calls.state);
}

static void free_question(struct errand *errand)
{
    struct question *question = (struct question *)(void *)errand;
    json_object_put(question->answer);
    free(question);
}

struct json_object *question_ask(const struct doors_calls *calls, const char *id, struct worker *worker, struct error *error)
{
    struct question *question = calloc(1, sizeof *question);
    if (!question) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    errand_init(&question->errand, run_question, free_question);
    question->calls = *calls;
    snprintf(question->id, sizeof question->id, "%s", id);
    struct json_object *answer = NULL;
    if (errand_send(&question->errand, worker, PATIENCE_MS, error)) {
        answer = question->answer; /* moved, not shared: its count of references is for one thread */
        question->answer = NULL;
        if (!answer) {
            error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        }
    }
    errand_drop(&question->errand);
    return answer;
}
