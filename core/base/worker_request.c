#include "worker_request.h"

#include <time.h>

#define NANOSECONDS_A_SECOND 1000000000L
#define NANOSECONDS_A_MILLISECOND 1000000L

static void on_worker(struct event *event, bool ok)
{
    (void)ok;
    struct errand *errand = event_owner(event, struct errand, event);
    errand->run(errand);
    pthread_mutex_lock(&errand->lock);
    errand->done = true;
    pthread_cond_signal(&errand->changed);
    pthread_mutex_unlock(&errand->lock);
    errand_drop(errand);
}

void errand_init(struct errand *errand, void (*run)(struct errand *errand), void (*free)(struct errand *errand))
{
    *errand = (struct errand){.run = run, .free = free, .event.run = on_worker, .holders = 1};
    pthread_mutex_init(&errand->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&errand->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

void errand_drop(struct errand *errand)
{
    pthread_mutex_lock(&errand->lock);
    bool last = --errand->holders == 0;
    pthread_mutex_unlock(&errand->lock);
    if (last) {
        pthread_cond_destroy(&errand->changed);
        pthread_mutex_destroy(&errand->lock);
        errand->free(errand);
    }
}

static struct timespec after(unsigned milliseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += milliseconds / 1000;
    time.tv_nsec += (long)(milliseconds % 1000) * NANOSECONDS_A_MILLISECOND;
    if (time.tv_nsec >= NANOSECONDS_A_SECOND) {
        time.tv_sec++;
        time.tv_nsec -= NANOSECONDS_A_SECOND;
    }
    return time;
}

bool errand_send(struct errand *errand, struct worker *worker, unsigned milliseconds, struct error *error)
{
    errand->holders = 2;
    if (!worker_post(worker, &errand->event)) {
        errand->holders = 1;
        return error_set(error, STATUS_UNAVAILABLE, "crigate is stopping");
    }
    struct timespec deadline = after(milliseconds);
    pthread_mutex_lock(&errand->lock);
    int failure = 0;
    while (!errand->done && failure == 0) {
        failure = pthread_cond_timedwait(&errand->changed, &errand->lock, &deadline);
    }
    bool done = errand->done;
    pthread_mutex_unlock(&errand->lock);
    return done || error_set(error, STATUS_DEADLINE_EXCEEDED, "crigate's worker has not answered for %u ms", milliseconds);
}
