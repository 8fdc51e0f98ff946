/* Which requests of Docker's API hooks are called for. Pure. */
#pragma once

#include "translate/bytes/arena.h"
#include "translate/bytes/bytes.h"
#include "translate/bytes/error.h"

enum docker_route_kind {
    DOCKER_OTHER, /* passes untouched */
    DOCKER_CREATE,
    DOCKER_START,
    DOCKER_STOP,
    DOCKER_UPDATE,
    DOCKER_REMOVE, /* no hook has it; what is known of the container is forgotten */
};

struct docker_route {
    enum docker_route_kind kind;
    struct bytes container; /* id or name in the path, decoded; empty for DOCKER_CREATE */
    struct bytes name;      /* DOCKER_CREATE: `name` of the query, decoded; empty if there is none */
};

/* Reads a request's method and target ("/v1.41/containers/create?name=x") as Docker's router does: after decoding and cleaning the
   path, with any API version or none. What it finds is in the arena. false: INVALID_ARGUMENT for a target that cannot be decoded, and for
   one that Docker and we might read differently (a name twice in the query); RESOURCE_EXHAUSTED at the arena's cap. */
bool docker_route_read(struct bytes method, struct bytes target, struct arena *arena, struct docker_route *route,
                       struct error *error);
