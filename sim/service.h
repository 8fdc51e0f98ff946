/* From the bytes of a request to the bytes of its answer, in any dialect, with the misbehaviour that was asked for. */
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
    unsigned turn;            /* of what is another answer each time */
};

/* What a call is for. */
struct target {
    const struct method *method;
    const struct handler *handler;
    enum dialect dialect; /* of those served, the newest one in the caller's package */
};

/* What becomes of a call. */
struct answer {
    struct error error; /* zero for OK */
    grpc_slice *messages;
    size_t message_count;
    unsigned delay;     /* milliseconds before it may be sent */
    bool stays_open;    /* events follow */
    bool stalls;        /* nothing follows, and no status either */
    char made[ID_SIZE]; /* id of the pod or container that the call made, else "" */
};

/* `options` are borrowed for the service's life; their rules are used up. */
bool service_init(struct cri_service *service, struct options *options, struct error *error);
void service_clear(struct cri_service *service);

/* What the path of a call means. `offered[SERVICE_…]` says which services are there. UNIMPLEMENTED, worded as grpc-go does, for
   what is not. */
bool service_find(const struct cri_service *service, struct bytes path, const bool offered[2], struct target *target,
                  struct error *error);

/* The rule of that kind for the method, or NULL; counts one use of it. */
const struct method_rule *service_rule(struct cri_service *service, const struct method *method, enum rule_kind kind);

/* Handles the request. The answer's messages are the caller's: answer_clear. */
void service_answer(struct cri_service *service, const struct target *target, struct bytes request, struct answer *answer);
void answer_clear(struct answer *answer);

/* Appends a message; the reference becomes the answer's. */
void answer_add(struct answer *answer, grpc_slice message);

/* A response of the target's method, encoded. */
bool service_encode(const struct target *target, struct json_object *response, grpc_slice *encoded, struct error *error);
