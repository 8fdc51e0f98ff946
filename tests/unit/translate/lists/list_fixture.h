/* Lists and requests to test with, encoded by the newest dialect's stubs. All memory is the arena's. */
#pragma once

#include "translate/bytes/packing.h"
#include "translate/schema/id_kind.h"

struct fixture_label {
    const char *key;
    const char *value;
};

struct fixture_item {
    const char *id; /* NULL ends a list */
    const char *pod;
    int state;
    struct fixture_label labels[4]; /* until a key that is NULL */
};

/* A ListPodSandboxResponse or ListContainersResponse. */
struct bytes fixture_list(struct arena *arena, enum id_kind kind, const struct fixture_item *items);

/* A PodSandboxStatusResponse or ContainerStatusResponse; a container's log path is padded by this many bytes, a pod's handler. */
struct bytes fixture_status(struct arena *arena, enum id_kind kind, const char *id, int state, size_t padding);

/* The ids of a list in order, separated by spaces; "malformed" where it is. */
const char *fixture_ids(struct arena *arena, enum id_kind kind, struct bytes list);

/* Both in sequence. */
struct bytes fixture_join(struct arena *arena, struct bytes first, struct bytes second);

/* A protobuf-c message, encoded. */
struct bytes fixture_pack(struct arena *arena, const ProtobufCMessage *message);
