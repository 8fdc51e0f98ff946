/* One call on the simulated runtime's server, from its arrival to its last byte. */
#pragma once

#include <grpc/grpc.h>
#include <stdio.h>

#include "sim/common/served_call.h"
#include "sim/common/wishes.h"
#include "sim/service.h"

struct call;
struct events;

/* What all calls share. */
struct calls {
    struct served_calls served;
    struct cri_service *service;
    FILE *journal; /* or NULL */
    const struct wishes *wishes;
    struct call *subscribers; /* calls that get events */
    struct events *events;
};

/* A socket and the services on it. */
struct listener {
    struct served_socket socket;
    bool offered[2]; /* by enum service */
};

/* What the calls do at each step. */
extern const struct served_steps call_steps;

/* Sends the event to all subscribers. */
void calls_send_event(struct calls *calls, struct json_object *event);

/* The same, encoded; the reference goes over. */
void calls_send_encoded(struct calls *calls, grpc_slice event);

/* The largest number of events that wait for one subscriber. */
size_t calls_most_waiting(const struct calls *calls);

/* Ends the streams of all subscribers with UNAVAILABLE; events that were not sent are lost. */
void calls_drop_subscribers(struct calls *calls);
