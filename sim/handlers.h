/* The simulated runtime's answers to each RPC: one row for each method, one function for each row. They convert JSON to JSON in
   the newest dialect's form, so they serve every dialect. */
#pragma once

#include "sim/simulation.h"

/* One call on its way through a handler. */
struct exchange {
    struct simulation *simulation;
    struct json_object *request;
    struct json_object *response; /* an empty object to fill; fields that the caller's dialect lacks are left out later */
    const char *api_version;      /* of the caller's package: "v1" */
    bool namespace_flags;         /* the caller's dialect has host_network, host_pid and host_ipc instead of modes */
    unsigned delay;               /* written: milliseconds until the answer may be sent */
};

/* false with an error: the call fails with it. */
typedef bool handle(struct exchange *exchange, struct error *error);

struct handler {
    const char *method;
    handle *handle;
    bool cacheable;           /* the answer depends only on the request and the simulation's generation */
    bool subscribes;          /* the stream stays open and carries life-cycle events */
    const char *list_field;   /* of a streamed list: the field that the handler fills ... */
    const char *stream_field; /* ... and the one that its items are sent in */
};

/* The row of the method, or NULL. */
const struct handler *handler_of_method(const char *method);

/* Messages that several handlers need. The caller owns them. */
struct json_object *pod_status_message(const struct pod *pod);
struct json_object *container_status_message(const struct simulation *simulation, const struct container *container);
/* ContainerStatus of all containers of a pod. */
struct json_object *container_status_messages(const struct simulation *simulation, const struct pod *pod);
struct json_object *event_message(const struct simulation *simulation, enum event_type type, const struct pod *pod,
                                  const struct container *container);

/* The pod or container that the request names under `podSandboxId` or `containerId`. */
struct pod *requested_pod(const struct exchange *exchange, struct error *error);
struct container *requested_container(const struct exchange *exchange, struct error *error);

/* Whether stop and remove succeed after this failed lookup: it failed only because the thing does not exist. */
bool gone_is_done(const struct exchange *exchange, const struct error *error);

/* Whether a pod or a container passes the filter of a list, for the fields that the filter's message has. */
bool pod_passes(const struct exchange *exchange, const struct pod *pod);
bool container_passes(const struct exchange *exchange, const struct container *container);

/* handlers of pods */
handle run_pod_sandbox, stop_pod_sandbox, remove_pod_sandbox, pod_sandbox_status, list_pod_sandbox, update_pod_sandbox_resources,
    checkpoint_pod, restore_pod;
/* of containers */
handle create_container, start_container, stop_container, remove_container, container_status, list_containers,
    update_container_resources, reopen_container_log, checkpoint_container;
/* of commands and streams in them */
handle exec_sync, exec, attach, port_forward;
/* of images */
handle list_images, image_status, pull_image, remove_image, image_fs_info;
/* of usage */
handle container_stats, list_container_stats, pod_sandbox_stats, list_pod_sandbox_stats, list_metric_descriptors,
    list_pod_sandbox_metrics;
/* of the node */
handle version, status, runtime_config, update_runtime_config, get_container_events;
