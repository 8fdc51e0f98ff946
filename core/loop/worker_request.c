#include "worker_request.h"

#include "base/system/clock.h"

static void on_worker(struct completion *completion, bool ok)
{
    (void)ok;
    struct worker_request *request = completion_owner(completion, struct worker_request, completion);
    request->run(request);
    pthread_mutex_lock(&request->lock);
    request->done = true;
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

bool worker_request_send(struct worker_request *request, struct worker *worker, unsigned milliseconds, struct error *error)
{
    request->holders = 2;
    if (!worker_post(worker, &request->completion)) {
        request->holders = 1;
        return error_set(error, STATUS_UNAVAILABLE, "crigate is stopping");
    }
    struct timespec deadline = clock_deadline(milliseconds);
    pthread_mutex_lock(&request->lock);
    int failure = 0;
    while (!request->done && failure == 0) {
        failure = pthread_cond_timedwait(&request->changed, &request->lock, &deadline);
    }
    bool done = request->done;
    pthread_mutex_unlock(&request->lock);
    return done || error_set(error, STATUS_DEADLINE_EXCEEDED, "crigate's worker has not answered for %u ms", milliseconds);
}
