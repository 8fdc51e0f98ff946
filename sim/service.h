/* Answers the bytes of a request with bytes, in any dialect, with the requested misbehaviour. */
#pragma once

#include <grpc/slice.h>

#include "sim/cache.h"
#include "sim/handlers.h"
#include "sim/options.h"

struct cri_service {
    struct options *options;
    struct simulation simulation;
    struct cache cache;
    uint64_t kept_generation; /* of the simulation as its state file has it */
    unsigned turn;            /* for answers that differ each time */
};

/* The target of a call. */
struct target {
    const struct method *method;
    const struct handler *handler;
    enum dialect dialect; /* of the served dialects, the newest one in the caller's package */
};

/* The outcome of a call. */
struct answer {
    struct error error; /* zero for OK */
    grpc_slice *messages;
    size_t message_count;
    unsigned delay;     /* milliseconds before it may be sent */
    bool stays_open;    /* events follow */
    bool stalls;        /* no answer follows, not even a status */
    char made[ID_SIZE]; /* id of the pod or container that the call created, else "" */
};

/* `options` are borrowed for the service's life; their rules are used up. */
bool service_init(struct cri_service *service, struct options *options, struct error *error);
void service_clear(struct cri_service *service);

/* Finds the target for the path of a call. `offered[SERVICE_…]`: which services exist. UNIMPLEMENTED, with the text of grpc-go,
   if there is none. */
bool service_find(const struct cri_service *service, struct bytes path, const bool offered[2], struct target *target,
                  struct error *error);

/* The rule of that kind for the method, or NULL; counts as one use of it. */
const struct rule *service_rule(struct cri_service *service, const struct method *method, enum rule_kind kind);

/* Handles the request. The answer's messages are the caller's: answer_clear. */
void service_answer(struct cri_service *service, const struct target *target, struct bytes request, struct answer *answer);
void answer_clear(struct answer *answer);

/* Appends a message and takes over the reference. */
void answer_add(struct answer *answer, grpc_slice message);

/* A response of the target's method, encoded. */
bool service_encode(const struct target *target, struct json_object *response, grpc_slice *encoded, struct error *error);
