/* The simulated runtime's content: pods, containers and images, and the rules for creating and removing them. Independent of
   dialects and gRPC; its configurations are JSON messages in the newest dialect's form. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes/error.h"

#define ID_SIZE 65 /* 64 hexadecimal digits and the NUL */

/* The form of the URLs that Exec, Attach and PortForward answer. */
enum stream_url_style {
    STREAM_URL_FULL, /* http://127.0.0.1:PORT/exec/TOKEN */
    STREAM_URL_HOST, /* //[::]:PORT/cri/exec/TOKEN */
    STREAM_URL_PATH, /* /cri/exec/TOKEN */
};

/* What verbose statuses of pods and containers have under `info`. */
enum verbose_info {
    VERBOSE_PLAIN,      /* the configuration, with names as in this file */
    VERBOSE_CONTAINERD, /* in the form of containerd 1.6 to 2.3.3 */
    VERBOSE_CRIO,       /* of CRI-O since 1.35 */
    VERBOSE_NONE,       /* nothing, as cri-dockerd for pods */
};

/* The settings of a simulated runtime. Borrowed strings. */
struct simulation_settings {
    const char *name;
    const char *version;
    const char *const *handlers; /* besides the default one */
    size_t handler_count;
    const char *image_filesystem_uuid;
    const char *image_filesystem_mountpoint;
    enum stream_url_style stream_url_style;
    unsigned stream_port;
    const char *status_config; /* JSON that the verbose status has under `config`, "" for no info; NULL: as containerd's */
    enum verbose_info verbose_info;
    bool unpinned;             /* do not report which images are pinned */
    bool no_features;          /* Status reports no features of handlers and of the runtime */
    bool digest_references;    /* refer to images by a repository digest, and report no image id of containers */
    bool errors_without_codes; /* every failure is UNKNOWN, and stopping or removing what does not exist fails */
    bool any_image;            /* as if something else had pulled it, an image is there when a container is created from it */
    bool signature_policy;     /* containers are created only from images that user_specified_image names */
};

struct image {
    char id[sizeof "sha256:" - 1 + ID_SIZE];
    struct json_object *tags;    /* array of full names, "docker.io/library/busybox:latest" */
    struct json_object *digests; /* array, "docker.io/library/busybox@sha256:..." */
    struct json_object *spec;    /* ImageSpec that it was pulled by */
    uint64_t size;
};

struct pod {
    char id[ID_SIZE];
    char *name; /* of metadata, reserved as long as the pod exists */
    bool ready;
    int64_t created_at;
    struct json_object *config; /* PodSandboxConfig */
    char *handler;
    char ip[40]; /* "" on the host's network */
    unsigned pid;
};

enum container_state {
    CONTAINER_CREATED,
    CONTAINER_RUNNING,
    CONTAINER_EXITED,
};

struct container {
    char id[ID_SIZE];
    char *name; /* of metadata, reserved as long as the container exists */
    struct pod *pod;
    enum container_state state;
    int64_t created_at;
    int64_t started_at;
    int64_t finished_at;
    int exit_code;
    const char *reason;
    struct json_object *config;    /* ContainerConfig */
    struct json_object *resources; /* ContainerResources, or NULL */
    char *log_path;
    char *image_id;
    unsigned pid;
};

/* Pointers in the order of creation. */
struct list {
    void **items;
    size_t count;
};

enum event_type {
    EVENT_CREATED,
    EVENT_STARTED,
    EVENT_STOPPED,
    EVENT_DELETED,
};

struct simulation {
    const struct simulation_settings *settings;
    struct list pods;
    struct list containers;
    struct list images;
    uint64_t generation; /* grows with every change that an answer could show */
    unsigned processes;  /* started so far */
    /* Called, if set, for every life-cycle event of a pod (container NULL) or of a container. */
    void (*on_event)(void *state, enum event_type type, const struct pod *pod, const struct container *container);
    void *event_state;
};

void simulation_init(struct simulation *simulation, const struct simulation_settings *settings);
void simulation_clear(struct simulation *simulation);

/* Nanoseconds since 1970. */
int64_t simulation_now(void);

/* "CONTAINER_RUNNING" and so on. */
const char *container_state_name(enum container_state state);

/* The one whose id is `id` or, as in containerd, begins with it if no other does. NULL with NOT_FOUND ("not found"), or with
   another code if several do. */
struct pod *simulation_pod(const struct simulation *simulation, const char *id, struct error *error);
struct container *simulation_container(const struct simulation *simulation, const char *id, struct error *error);

/* Creates a ready pod. Adds a reference to the config. NULL with an error. `id` may be NULL for a random one. */
struct pod *simulation_run_pod(struct simulation *simulation, struct json_object *config, const char *handler, const char *id,
                               struct error *error);
void simulation_stop_pod(struct simulation *simulation, struct pod *pod);
/* Removes it, with its containers; stops it first if it is ready. */
void simulation_remove_pod(struct simulation *simulation, struct pod *pod);

/* Creates a container, which is not started. Adds references. `id` may be NULL for a random one. */
struct container *simulation_create_container(struct simulation *simulation, const char *pod_id, struct json_object *config,
                                              struct json_object *pod_config, const char *id, struct error *error);
bool simulation_start_container(struct simulation *simulation, struct container *container, struct error *error);
/* Does nothing for a container that is not running. `timeout` 0 kills. */
void simulation_stop_container(struct simulation *simulation, struct container *container, int64_t timeout);
/* Removes it; stops it first if it is running. */
void simulation_remove_container(struct simulation *simulation, struct container *container);

/* The image by tag, digest, untagged name or (prefix of) its id; NULL if it does not exist. */
struct image *simulation_image(const struct simulation *simulation, const char *reference);
/* Adds it, unless it exists already. Adds a reference to the ImageSpec. NULL with an error for a malformed name. */
struct image *simulation_pull_image(struct simulation *simulation, struct json_object *spec, struct error *error);
void simulation_remove_image(struct simulation *simulation, struct image *image);

/* Adds running containers, with a pod for every three of them, or images. The same numbers give the same ids and names. */
bool simulation_preload(struct simulation *simulation, unsigned containers, unsigned images, struct error *error);
