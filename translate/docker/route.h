/* Which requests of Docker's API hooks are called for. Pure.

   As Docker's router works (github.com/moby/moby, api/server/server.go and api/server/router/container, 1.10 to 20.10, and
   daemon/server since; github.com/gorilla/mux): methods are compared as they are; the path is decoded first; each route is there
   with and without a version, which is "v" and any digits and dots; a container's name may hold slashes. Docker answers a path
   with "//", "." or ".." by a redirection and does nothing. Here such a path is taken for the one that it is after cleaning, so
   that a program between us and Docker that cleans paths changes nothing. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

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

/* Reads a request's method and target ("/v1.41/containers/create?name=x") as Docker's router does: after decoding and cleaning
   the path, with any API version or none. What it finds is in the arena. A target that is not a path ("*") is DOCKER_OTHER.
   false: INVALID_ARGUMENT for a target that cannot be decoded, and for one that Docker and we might read differently (a name
   twice in the query, or a semicolon in it, which separates parameters for Docker Engine until 20.10); RESOURCE_EXHAUSTED at the
   arena's cap. */
bool docker_route_read(struct bytes method, struct bytes target, struct arena *arena, struct docker_route *route,
                       struct error *error);
