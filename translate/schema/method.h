/* The behaviour table: one row for each RPC of CRI, whatever the dialect. Generated from methods.yaml and the descriptors. */
#pragma once

#include <assert.h>

#include "translate/schema/hook_stage.h"
#include "translate/schema/schema.h"

enum service {
    SERVICE_RUNTIME,
    SERVICE_IMAGE,
};

/* Whether a call may change something at a runtime or of its pods. */
enum access {
    ACCESS_READ,
    ACCESS_CHANGE,
};

/* Which runtimes a call goes to. */
enum routing {
    ROUTE_PRIMARY,   /* to the primary */
    ROUTE_POD,       /* to the owner of the pod that the request names */
    ROUTE_CONTAINER, /* to the owner of the container that the request names */
    ROUTE_NEW_POD,   /* to the runtime that routing chooses for the new pod */
    ROUTE_IMAGE,     /* to the runtime that the image belongs to; for a digest, which belongs to no runtime: to all */
    ROUTE_PULL,      /* to the one runtime that routing chooses for the image, also for a digest: the request has a password */
    ROUTE_ALL,       /* to all, unless a filter names a pod, a container or an image */
};

/* How the answers of several runtimes become one. */
enum merge {
    MERGE_NONE,        /* there is only one answer */
    MERGE_CONCAT,      /* the messages in sequence, the primary's first: all their fields are repeated */
    MERGE_PRIMARY,     /* the primary's answer is used for all */
    MERGE_STATUS,      /* the primary's answer, with all handlers and common features; under `info` all states if verbose */
    MERGE_FILESYSTEMS, /* in sequence, each filesystem once; see lists/merge.h */
    MERGE_DESCRIPTORS, /* in sequence, each metric once */
    MERGE_EVENTS,      /* what all of them stream, in the order of arrival, without an end */
};

/* What happens if a runtime's dialect lacks the RPC. */
enum lacking {
    LACKING_REFUSE, /* UNIMPLEMENTED, by the gateway */
    LACKING_OMIT,   /* in a list, the others answer; UNIMPLEMENTED only when the primary lacks it */
};

/* What happens if a runtime is unavailable. */
enum away {
    AWAY_FAIL,    /* the call fails with UNAVAILABLE */
    AWAY_OMIT,    /* it is left out; the others answer. If it is the only one that could answer, the call fails */
    AWAY_KNOWN,   /* crigate answers from what was last seen of it, if the runtime map allows that */
    AWAY_RUNTIME, /* as AWAY_FAIL; but while only its image service is away, the runtime itself is asked */
};

/* What the gateway stores of an answer. */
enum remember {
    REMEMBER_NOTHING,
    REMEMBER_POD_LIST,
    REMEMBER_POD_STATUS,
    REMEMBER_POD_CREATED,
    REMEMBER_POD_REMOVED,
    REMEMBER_CONTAINER_LIST,
    REMEMBER_CONTAINER_STATUS,
    REMEMBER_CONTAINER_CREATED,
    REMEMBER_CONTAINER_REMOVED,
    REMEMBER_IMAGE_STATUS,
    REMEMBER_IMAGE_PULLED,
};

/* Places in a request that routing reads. */
enum peek {
    PEEK_POD,                 /* pod id */
    PEEK_CONTAINER,           /* container id */
    PEEK_IMAGE,               /* image name */
    PEEK_IMAGE_ANNOTATIONS,   /* map of the ImageSpec */
    PEEK_IMAGE_HANDLER,       /* handler of the ImageSpec */
    PEEK_SANDBOX_ANNOTATIONS, /* map of the PodSandboxConfig */
    PEEK_SANDBOX_UID,         /* uid of the pod in the PodSandboxConfig */
    PEEK_HANDLER,             /* handler of a new pod */
    PEEK_VERBOSE,             /* bool */
    PEEK_COUNT,
};

/* A chain of field numbers from the request down; depth 0 means that this dialect has no such place. */
struct peek_path {
    uint8_t depth;
    uint8_t numbers[4];
};

struct method_in_dialect {
    const char *path; /* "/runtime.v1.RuntimeService/Version", or NULL where the dialect lacks the RPC */
    const struct schema_message *request;
    const struct schema_message *response;
    struct peek_path peeks[PEEK_COUNT];
};

struct method {
    const char *name; /* "ListContainers" */
    enum service service;
    enum routing route;
    enum merge merge;
    enum lacking lacking;
    enum away away;
    enum remember remember;
    enum hook_point hook; /* where plugins are called before and after it; see translate/hooks/facts.h */
    enum access access;
    int log_level;      /* 3: changes state; 4: status; 5: lists */
    bool server_stream; /* in the dialects that have it */
    bool shared;        /* equal calls that are under way share one call to a runtime */
    bool may_last;      /* a call takes as long as what it waits for, a workload or the network: minutes are nothing to report */
    /* For a streamed list, the RPC that answers the same in one message, and for that RPC the streamed list; NULL for all others.
       Their requests have the same bytes; the joined messages of the stream are the list. */
    const struct method *list;
    const struct method *stream;
    struct method_in_dialect in[DIALECT_COUNT];
};

/* Whether a call of it may change something at the runtime. */
static inline bool method_changes_state(const struct method *method)
{
    return method->access == ACCESS_CHANGE;
}

extern const struct method methods[];

/* Its bit in a set of methods. */
static inline uint64_t method_bit(const struct method *method)
{
    static_assert(METHOD_COUNT <= 64, "sets of methods need more bits");
    return (uint64_t)1 << (method - methods);
}

extern const uint16_t method_count;

/* The row for a path such as "/runtime.v1.RuntimeService/Version", and the dialect that the caller speaks; NULL if no dialect has
   it. The package of v1_12 and v1alpha2 is read with the newer of them. */
const struct method *method_find(struct bytes path, enum dialect *caller);

/* The row of that name, or NULL. */
const struct method *method_by_name(const char *name);

/* Whether a path is in a service that CRI defines; then `caller` is the newest dialect of its package. */
bool method_path_package(struct bytes path, enum dialect *caller);

/* The full names of the services of all packages, such as "runtime.v1.ImageService", one after another; empty at the end. */
struct bytes method_service_at(size_t i, enum service *service);
