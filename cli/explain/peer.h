/* One side of the calls that are explained: a dialect, or a release of a kubelet or a runtime. */
#pragma once

#include <json-c/json.h>

#include "base/bytes/error.h"
#include "translate/abilities/abilities.h"
#include "translate/explain/release.h"

#define PEER_TEXT_SIZE 96

struct peer {
    enum dialect dialect;
    char text[PEER_TEXT_SIZE];    /* as text: "kubelet 1.36 (v1)", "a v1 caller", "a v1_9 runtime" */
    char release[PEER_TEXT_SIZE]; /* as it was named: "containerd-1.6"; "" for a dialect */
    struct ability_set abilities; /* of a runtime that was named by its release: what it accepts but ignores; else empty */
};

/* Reads a name: of a dialect ("v1_9"), of a package ("runtime.v1") for the dialect in which its calls are read, or of a release:
   "kubelet-1.36", "containerd-1.6.20". A release without its last number means the last of its line ("containerd-1.7": 1.7.x with
   all fixes). A runtime that does not report its own version needs none: "cri-dockerd". Otherwise false, with INVALID_ARGUMENT
   and a message that says what to write. `name` may have any bytes. */
bool peer_read(enum release_side side, const char *name, struct peer *peer, struct error *error);

/* Adds both sides to a JSON object: `caller` and `runtime`, their dialects, and the releases that were named, as `callerRelease`
   and `runtimeRelease`. */
void peers_add(const struct peer *caller, const struct peer *runtime, struct json_object *json);
