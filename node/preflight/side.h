/* One of the two runtimes, as it answers. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>

#include "node/preflight/runtime_found.h"

struct side {
    const char *endpoint; /* "unix:///run/containerd/containerd.sock" */
    struct runtime_found found;
    /* What it answered, in the dialect that it speaks best: arrays, which side_release frees. */
    struct json_object *images;
    struct json_object *containers;
    struct json_object *filesystems; /* of images; NULL: it cannot say, see `no_filesystems` */
    const char *no_filesystems;
};

/* The address that is meant: a socket, `docker`, or the name of a runtime that preflight looks for ("containerd"). In the arena;
   NULL with INVALID_ARGUMENT. */
const char *side_endpoint(const char *wish, struct arena *arena, struct error *error);

/* Asks the runtime, for at most `timeout` milliseconds a call. false with the reason: it does not answer, or not with its lists.
 */
bool side_ask(const char *endpoint, unsigned timeout, struct arena *arena, struct side *side, struct error *error);

/* Frees what is not in the arena; a zeroed one is allowed. */
void side_release(struct side *side);
