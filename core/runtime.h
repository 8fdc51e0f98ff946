/* A runtime behind the gateway: its connections, its dialect, and whether calls can go to it now. Lives on the worker's thread. */
#ifndef CRIGATE_CORE_RUNTIME_H
#define CRIGATE_CORE_RUNTIME_H

#include <grpc/grpc.h>
#include <time.h>

#include "core/runtime_map.h"
#include "core/worker.h"
#include "translate/error.h"
#include "translate/method.h"

enum runtime_state {
    RUNTIME_AWAY,       /* no connection; one is tried for ever */
    RUNTIME_PROBING,    /* connected; asking which dialect it speaks */
    RUNTIME_READY,      /* calls may go to it */
    RUNTIME_UNSUITABLE, /* connected, but it speaks no dialect that we know; asked again now and then */
};

#define RUNTIME_TEXT_SIZE 128

struct probe;

struct runtime {
    const struct runtime_entry *entry;
    size_t index; /* in the runtime map */
    struct worker *worker;
    grpc_channel *channel;
    grpc_channel *image_channel; /* the same as channel where there is one endpoint */

    enum runtime_state state;
    enum dialect dialect;                  /* while READY */
    char version_name[RUNTIME_TEXT_SIZE];  /* as its Version told: "containerd" */
    char version[RUNTIME_TEXT_SIZE];       /* "1.6.20" */
    struct timespec since;                 /* of the state, CLOCK_MONOTONIC */
    struct error last_error;               /* why it is not READY */

    struct event connectivity_changed;
    grpc_connectivity_state connectivity;
    struct timer probe_again;
    struct probe *probe; /* while one runs */
    bool loss_logged;    /* that it is left out of answers, until it answers again */
    bool closing;

    /* Called on each change to or from READY. */
    void (*changed)(struct runtime *runtime, void *state);
    void *changed_state;
};

/* Starts connecting. `entry` must outlive the runtime. */
void runtime_start(struct runtime *runtime, const struct runtime_entry *entry, size_t index, struct worker *worker,
                   size_t message_size);

/* Ends connections; calls in flight fail. Events that are still to come are harmless as long as the struct lives until the
   queue is drained. */
void runtime_stop(struct runtime *runtime);

/* The channel for calls of that service. */
grpc_channel *runtime_channel(const struct runtime *runtime, enum service service);

/* Whether calls can go to it; otherwise UNAVAILABLE with the reason and since when. */
bool runtime_ready(const struct runtime *runtime, struct error *error);

/* A call found that the runtime no longer speaks the dialect that it was probed with: asks again. */
void runtime_suspect(struct runtime *runtime);

/* "ready", "away" and so on, for people. */
const char *runtime_state_name(enum runtime_state state);

#endif
