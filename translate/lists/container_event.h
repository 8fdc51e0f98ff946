/* Reads, changes and composes events of GetContainerEvents as bytes. Fields are found in the schema by their names. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "translate/schema/id_kind.h"
#include "translate/schema/schema.h"

/* The steps in the life of a pod or container, in order; the numbers are those of ContainerEventType. */
enum container_stage {
    STAGE_CREATED,
    STAGE_STARTED,
    STAGE_STOPPED,
    STAGE_DELETED,
    STAGE_COUNT,
};

/* The content of an event, borrowed from it. */
struct container_event {
    struct bytes id;         /* of the container, or of the pod for its own events */
    struct bytes pod;        /* id of the pod; empty if the event does not contain it */
    struct bytes pod_status; /* the PodSandboxStatus in it; empty when there is none */
    enum container_stage stage;
    int64_t created_at; /* nanoseconds since 1970 */
    bool has_statuses;  /* it has the status of a container */
    bool never_started; /* it has the container's own status, and this shows that it was never started */
};

/* Reads a ContainerEventResponse of that dialect. false: it is malformed, has no id, or is of an unknown kind. */
bool container_event_read(enum dialect dialect, struct bytes event, struct container_event *read);

/* The same event for an earlier step that was not reported; all else in it stays the same. false: out of memory. */
bool container_event_retell(enum dialect dialect, struct bytes event, enum container_stage stage, struct arena *arena,
                            struct bytes *out);

/* The step of a pod or container that a list shows in that state. An unknown state counts as created. */
enum container_stage container_stage_of_state(enum id_kind kind, int32_t state);

/* ---- composing; all of it in the newest dialect, DIALECT_MODEL ---- */

struct container_event_parts {
    struct bytes id;
    enum container_stage stage;
    int64_t created_at;           /* nanoseconds since 1970 */
    struct bytes pod_status;      /* PodSandboxStatus; empty: the event has none */
    const struct bytes *statuses; /* ContainerStatus of each of the pod's containers */
    size_t status_count;
};

/* Composes the event of these parts, in the arena. false: out of memory. */
bool container_event_compose(const struct container_event_parts *parts, struct arena *arena, struct bytes *out);

/* The PodSandboxStatusRequest or ContainerStatusRequest for a runtime of that dialect. false: out of memory. */
bool container_event_ask(enum id_kind kind, enum dialect dialect, struct bytes id, struct arena *arena, struct bytes *out);

/* The status in an answer of PodSandboxStatus or ContainerStatus, borrowed; empty when there is none. */
struct bytes container_event_status(enum id_kind kind, struct bytes answer);

/* The containers' statuses in an answer of PodSandboxStatus, one after another: starts with *at = 0. false: no more. */
bool container_event_next_status(struct bytes answer, size_t *at, struct bytes *status);

/* Whether a ContainerStatus is that of `id`, and shows that it was never started. */
bool container_event_is_of(struct bytes status, struct bytes id, bool *never_started);

/* The last known state of a pod: a PodSandbox of a list, or a PodSandboxStatus of an event. */
struct container_event_pod {
    enum dialect dialect;
    bool is_item;
    struct bytes message;
};

/* The answer of PodSandboxStatus, in that dialect, for a pod just before it was deleted: not ready, and without addresses. false:
   malformed, or out of memory. */
bool container_event_pod_at_end(const struct container_event_pod *pod, struct arena *arena, struct bytes *answer);
