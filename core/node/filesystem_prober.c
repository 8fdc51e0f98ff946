#include "filesystem_prober.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Milliseconds. */
#define FRESH 1000
#define BELIEVED 60000
#define PATIENCE 100

#define NANOSECONDS_A_SECOND 1000000000
#define NANOSECONDS_A_MILLISECOND 1000000

/* A path, and what was seen there last. */
struct spot {
    struct lookout *lookout;
    char path[PATH_MAX]; /* "": unused; does not change during a look */
    bool looking;        /* a thread is at it */
    bool there;          /* folder is filled in */
    int64_t seen_at;     /* CLOCK_MONOTONIC, milliseconds; 0: never */
    struct folder folder;
};

struct lookout {
    lookout_eye *eye;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    unsigned holders; /* the owner and each look */
    struct spot spots[LOOKOUT_SPOTS];
};

static struct timespec time_in(int64_t milliseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t nanoseconds = time.tv_nsec + milliseconds * NANOSECONDS_A_MILLISECOND;
    time.tv_sec += nanoseconds / NANOSECONDS_A_SECOND;
    time.tv_nsec = nanoseconds % NANOSECONDS_A_SECOND;
    return time;
}

static int64_t now(void)
{
    struct timespec time = time_in(0);
    return time.tv_sec * 1000 + time.tv_nsec / NANOSECONDS_A_MILLISECOND + 1;
}

struct lookout *lookout_new(lookout_eye *eye)
{
    struct lookout *lookout = calloc(1, sizeof *lookout);
    if (!lookout) {
        return NULL;
    }
    lookout->eye = eye;
    lookout->holders = 1;
    pthread_mutex_init(&lookout->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&lookout->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return lookout;
}

void lookout_free(struct lookout *lookout)
{
    if (!lookout) {
        return;
    }
    pthread_mutex_lock(&lookout->lock);
    bool last = --lookout->holders == 0;
    pthread_mutex_unlock(&lookout->lock);
    if (last) {
        pthread_cond_destroy(&lookout->changed);
        pthread_mutex_destroy(&lookout->lock);
        free(lookout);
    }
}

static void *look(void *argument)
{
    struct spot *spot = argument;
    struct lookout *lookout = spot->lookout;
    struct folder folder = {0};
    bool there = lookout->eye(spot->path, &folder);
    pthread_mutex_lock(&lookout->lock);
    spot->folder = folder;
    spot->there = there;
    spot->seen_at = now();
    spot->looking = false;
    pthread_cond_signal(&lookout->changed);
    pthread_mutex_unlock(&lookout->lock);
    lookout_free(lookout);
    return NULL;
}

/* The path's spot, or one that can be made so: the one that was looked at the longest ago. NULL: all are being looked at. */
static struct spot *spot_of(struct lookout *lookout, const char *path)
{
    struct spot *oldest = NULL;
    for (size_t i = 0; i < LOOKOUT_SPOTS; i++) {
        struct spot *spot = &lookout->spots[i];
        if (strcmp(spot->path, path) == 0) {
            return spot;
        }
        if (!spot->looking && (!oldest || spot->seen_at < oldest->seen_at)) {
            oldest = spot;
        }
    }
    if (oldest) {
        *oldest = (struct spot){.lookout = lookout};
        memcpy(oldest->path, path, strlen(path) + 1);
    }
    return oldest;
}

/* Without a thread, what was seen before has to do. */
static void send(struct spot *spot)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    spot->looking = pthread_create(&thread, &attributes, look, spot) == 0;
    spot->lookout->holders += spot->looking;
    pthread_attr_destroy(&attributes);
}

static void send_and_wait(struct spot *spot)
{
    struct timespec deadline = time_in(PATIENCE);
    int failure = 0;
    send(spot);
    while (spot->looking && failure == 0) {
        failure = pthread_cond_timedwait(&spot->lookout->changed, &spot->lookout->lock, &deadline);
    }
}

static bool is_younger(const struct spot *spot, int64_t milliseconds)
{
    return spot->seen_at != 0 && now() - spot->seen_at < milliseconds;
}

bool lookout_see(struct lookout *lookout, const char *path, struct folder *folder)
{
    pthread_mutex_lock(&lookout->lock);
    struct spot *spot = spot_of(lookout, path);
    if (spot && !spot->looking && !is_younger(spot, FRESH)) {
        send_and_wait(spot);
    }
    bool seen = spot && spot->there && is_younger(spot, BELIEVED);
    if (seen) {
        *folder = spot->folder;
    }
    pthread_mutex_unlock(&lookout->lock);
    return seen;
}
