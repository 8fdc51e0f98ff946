#include "filesystem_prober.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"

/* Milliseconds. */
#define FRESH 1000
#define BELIEVED 60000
#define PATIENCE 100

/* A path, and what was seen there last. */
struct place {
    struct filesystem_prober *prober;
    char path[PATH_MAX]; /* "": unused; does not change during a look */
    bool looking;        /* a thread is at it */
    bool there;          /* folder is filled in */
    int64_t seen_at;     /* clock_ms() + 1; 0: never */
    struct folder folder;
};

struct filesystem_prober {
    filesystem_probe *probe;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    unsigned holders; /* the owner and each look */
    struct place places[FILESYSTEM_PROBER_FOLDERS];
};

/* Never 0. */
static int64_t now(void)
{
    return clock_ms() + 1;
}

struct filesystem_prober *filesystem_prober_new(filesystem_probe *probe)
{
    struct filesystem_prober *prober = calloc(1, sizeof *prober);
    if (!prober) {
        return NULL;
    }
    prober->probe = probe;
    prober->holders = 1;
    pthread_mutex_init(&prober->lock, NULL);
    clock_init_condition(&prober->changed);
    return prober;
}

void filesystem_prober_free(struct filesystem_prober *prober)
{
    if (!prober) {
        return;
    }
    pthread_mutex_lock(&prober->lock);
    bool last = --prober->holders == 0;
    pthread_mutex_unlock(&prober->lock);
    if (last) {
        pthread_cond_destroy(&prober->changed);
        pthread_mutex_destroy(&prober->lock);
        free(prober);
    }
}

static void *look(void *argument)
{
    struct place *place = argument;
    struct filesystem_prober *prober = place->prober;
    struct folder folder = {0};
    bool there = prober->probe(place->path, &folder);
    pthread_mutex_lock(&prober->lock);
    place->folder = folder;
    place->there = there;
    place->seen_at = now();
    place->looking = false;
    pthread_cond_signal(&prober->changed);
    pthread_mutex_unlock(&prober->lock);
    filesystem_prober_free(prober);
    return NULL;
}

/* The path's spot, or one that can be made so: the one that was looked at the longest ago. NULL: all are being looked at. */
static struct place *place_of(struct filesystem_prober *prober, const char *path)
{
    struct place *oldest = NULL;
    for (size_t i = 0; i < FILESYSTEM_PROBER_FOLDERS; i++) {
        struct place *place = &prober->places[i];
        if (strcmp(place->path, path) == 0) {
            return place;
        }
        if (!place->looking && (!oldest || place->seen_at < oldest->seen_at)) {
            oldest = place;
        }
    }
    if (oldest) {
        *oldest = (struct place){.prober = prober};
        memcpy(oldest->path, path, strlen(path) + 1);
    }
    return oldest;
}

/* Without a thread, what was seen before is used. */
static void send(struct place *place)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    place->looking = pthread_create(&thread, &attributes, look, place) == 0;
    place->prober->holders += place->looking;
    pthread_attr_destroy(&attributes);
}

static void send_and_wait(struct place *place)
{
    struct timespec deadline = clock_deadline(PATIENCE);
    int failure = 0;
    send(place);
    while (place->looking && failure == 0) {
        failure = pthread_cond_timedwait(&place->prober->changed, &place->prober->lock, &deadline);
    }
}

static bool is_younger(const struct place *place, int64_t milliseconds)
{
    return place->seen_at != 0 && now() - place->seen_at < milliseconds;
}

bool filesystem_prober_probe(struct filesystem_prober *prober, const char *path, struct folder *folder)
{
    pthread_mutex_lock(&prober->lock);
    struct place *place = place_of(prober, path);
    if (place && !place->looking && !is_younger(place, FRESH)) {
        send_and_wait(place);
    }
    bool seen = place && place->there && is_younger(place, BELIEVED);
    if (seen) {
        *folder = place->folder;
    }
    pthread_mutex_unlock(&prober->lock);
    return seen;
}
