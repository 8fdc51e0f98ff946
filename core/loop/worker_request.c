#include "worker_request.h"

#include "base/system/clock.h"

static void on_worker(struct completion *completion, bool ok)
{
    (void)ok;
    struct worker_request *request = completion_owner(completion, struct worker_request, completion);
    bool ends = request->worker->closed; /* it was posted just before that: what it asks about may be gone */
    if (!ends) {
        request->run(request);
    }
    pthread_mutex_lock(&request->lock);
    request->state = ends ? WORKER_REQUEST_REFUSED : WORKER_REQUEST_RUN;
    pthread_cond_signal(&request->changed);
    pthread_mutex_unlock(&request->lock);
    worker_request_drop(request);
}

void worker_request_init(struct worker_request *request, void (*run)(struct worker_request *request),
                         void (*free)(struct worker_request *request))
{
    *request = (struct worker_request){.run = run, .free = free, .completion.run = on_worker, .holders = 1};
    pthread_mutex_init(&request->lock, NULL);
    clock_init_condition(&request->changed);
}

void worker_request_drop(struct worker_request *request)
{
    pthread_mutex_lock(&request->lock);
    bool last = --request->holders == 0;
    pthread_mutex_unlock(&request->lock);
    if (last) {
        pthread_cond_destroy(&request->changed);
        pthread_mutex_destroy(&request->lock);
        request->free(request);
    }
}

static bool refuse(struct error *error)
{
    return error_set(error, STATUS_UNAVAILABLE, "crigate is stopping");
}

bool worker_request_send(struct worker_request *request, struct worker *worker, unsigned milliseconds, struct error *error)
{
    request->holders = 2;
    request->worker = worker;
    if (!worker_post(worker, &request->completion)) {
        request->holders = 1;
        return refuse(error);
    }
    struct timespec deadline = clock_deadline(milliseconds);
    pthread_mutex_lock(&request->lock);
    int failure = 0;
    while (request->state == WORKER_REQUEST_WAITS && failure == 0) {
        failure = pthread_cond_timedwait(&request->changed, &request->lock, &deadline);
    }
    enum worker_request_state state = request->state;
    pthread_mutex_unlock(&request->lock);
    if (state == WORKER_REQUEST_REFUSED) {
        return refuse(error);
    }
    return state == WORKER_REQUEST_RUN ||
           error_set(error, STATUS_DEADLINE_EXCEEDED, "crigate's worker has not answered for %u ms", milliseconds);
}
