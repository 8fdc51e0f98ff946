/* One call on the simulated runtime's server, from its arrival to its last byte. */
#pragma once

#include <grpc/grpc.h>
#include <stdatomic.h>
#include <stdio.h>

#include "sim/service.h"

struct call;
struct events;

/* An operation of a call; its address is the tag on the completion queue. */
struct operation {
    void (*done)(struct call *call, bool good);
    struct call *call;
};

/* What all calls share. */
struct calls {
    struct cri_service *service;
    FILE *journal;           /* or NULL */
    const atomic_bool *late; /* whether answers are sent late, as the options say */
    grpc_completion_queue *queue;
    struct call *timers;      /* delayed calls, the earliest first */
    struct call *subscribers; /* calls that get events */
    struct events *events;
    size_t alive;
};

/* One server: a socket and the services on it. */
struct listener {
    grpc_server *server;
    const char *path;         /* of its socket, once that is bound */
    bool offered[2];          /* by enum service */
    struct operation stopped; /* tag of its shutdown; no call belongs to it */
};

/* Asks for the next call on the listener. */
void call_await(struct calls *calls, struct listener *listener);

/* An event of the completion queue. */
void call_event(void *tag, bool good);

/* Continues the delayed calls that are due. */
void calls_run_timers(struct calls *calls, gpr_timespec now);

/* The time when the next one is due, but not later than `latest`. */
gpr_timespec calls_next_timer(const struct calls *calls, gpr_timespec latest);

/* Drops the delayed calls without an answer, at the end. */
void calls_drop_timers(struct calls *calls);

/* Sends the event to all subscribers. */
void calls_send_event(struct calls *calls, struct json_object *event);

/* The same, encoded; the reference goes over. */
void calls_send_encoded(struct calls *calls, grpc_slice event);

/* The largest number of events that wait for one subscriber. */
size_t calls_most_waiting(const struct calls *calls);

/* Ends the streams of all subscribers with UNAVAILABLE; events that were not sent are lost. */
void calls_drop_subscribers(struct calls *calls);
