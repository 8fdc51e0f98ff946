/* The runtime map in force: the operator's files, checked and filled with defaults. It does not change once it is made.
   read.h and load.h make one, print.h prints one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "translate/compose/compose.h"
#include "translate/schema/schema.h"
#include "translate/walk/leniency.h"

struct arena;
struct sockaddr_storage;

#define RUNTIME_MAP_DEFAULT_PATH "/etc/crigate/crigate.yaml"
#define RUNTIME_MAP_DEFAULT_STATE "/run/crigate"
#define RUNTIME_MAP_DEFAULT_PLUGINS "/etc/runtime/hookserver.d"

/* Every address in a map begins with this, except for DOCKER_ENDPOINT (core/map/socket.h). */

/* Stands between a runtime's name and its own id of a pod or container. */
#define ID_SEPARATOR "__"

/* A RuntimeClass handler that a runtime serves: its name for callers, and its name for the runtime ("" is the default one). */
struct runtime_handler {
    const char *name;
    const char *local_name;
};

/* What replaces a runtime's part of lists and statuses while the runtime is unavailable. */
enum when_away {
    WHEN_AWAY_LAST_KNOWN, /* what was last seen of it */
    WHEN_AWAY_FAIL,       /* UNAVAILABLE */
    WHEN_AWAY_OMIT,       /* nothing: only for runtimes whose pods no kubelet manages */
    WHEN_AWAY_COUNT,
};

/* Their spelling in the file. */
extern const char *const when_away_names[WHEN_AWAY_COUNT];

/* Their spelling in the file; NULL for the default. */
extern const char *const cgroup_driver_names[CGROUP_DRIVER_COUNT];

/* When crigate composes events of runtimes that do not stream them. */
enum compose {
    COMPOSE_WITH_OTHERS, /* if another runtime of the node streams; else GetContainerEvents is UNIMPLEMENTED */
    COMPOSE_ALWAYS,
    COMPOSE_NEVER,
    COMPOSE_COUNT,
};

/* Their spelling in the file. */
extern const char *const compose_names[COMPOSE_COUNT];

struct runtime_entry {
    const char *name;           /* unique; letters, digits and inner '-', '.', '_' but no "__", so that it can prefix an id */
    const char *endpoint;       /* "unix:///run/containerd/containerd.sock", or DOCKER_ENDPOINT */
    const char *image_endpoint; /* where the image service listens; default: endpoint. DOCKER_ENDPOINT only if that is */
    bool primary;
    bool api_set;           /* false: "auto", the dialect is probed */
    enum dialect api;       /* only when api_set */
    bool image_api_set;     /* the same for its image service */
    enum dialect image_api; /* only when image_api_set */
    /* Its image service, if that is a peer of its own: it has an address of its own, or its api is set. A copy of this entry with
       that endpoint and api, and a name that no runtime can have, NAME/images. NULL: one connection serves both. */
    const struct runtime_entry *images;
    bool only_images; /* this is the entry of such a service */
    const struct runtime_handler *handlers;
    size_t handler_count;
    const char *image_prefix;         /* without the slash; default: the name, or NULL for the primary and with plain ids */
    struct bytes id_beginning;        /* the name and ID_SEPARATOR: its ids begin with this unless they are plain */
    struct bytes image_beginning;     /* image_prefix and its slash; empty without one */
    const char *stream_url;           /* without a slash at its end; default NULL */
    bool plain_ids;                   /* ids without a prefix (ids: plain | prefixed); default: true for the primary only */
    bool new_pods;                    /* false: draining, gets no new pods; default true */
    enum when_away when_away;         /* default: fail for the primary, last-known for others */
    struct leniency translation;      /* fields that may be lost if its dialect lacks them; default none (strict) */
    enum cgroup_driver cgroup_driver; /* the answer for callers if the runtime cannot give one; default none */
    const char *storage;              /* the folder that the runtime keeps images in; default NULL */
    unsigned pulls;                   /* of images at once; default 0: any number */
    unsigned budget;                  /* milliseconds for a list or status before it counts as hanging; default 5000 */
    bool hooks;                       /* plugins are called for its pods, if they are for any; default true */
};

/* A socket on which crigate listens. */
struct map_socket {
    const char *address; /* "unix:///run/crigate/crigate.sock" */
    const char *path;    /* "/run/crigate/crigate.sock" */
    bool read_only;      /* it takes only calls that change nothing, and shows no secrets; default false */
    mode_t mode;         /* default 0660 */
    const char *group;   /* NULL: do not change it */
    gid_t gid;           /* of group; (gid_t)-1, which chown leaves alone, without one */
    /* `callers` is "1.10" or "1.11": they speak runtime.v1alpha2 without masked_paths, see docs. Without `callers`, their
       gRPC tells: see request_caller_age. */
    bool callers_lack_masked_paths;
    const char *callers; /* as in the file, or NULL */
    /* Who may connect, besides root and the socket's group. */
    const uid_t *uids;
    size_t uid_count;
    const gid_t *gids;
    size_t gid_count;
    /* As the map's limits, which are the default if it is not read-only; else 64, 256 and 64. */
    struct {
        unsigned connections, calls, streams;
    } limits;
    unsigned parts; /* into so many the process's descriptors are shared out; its connections get one */
};

/* Of one map. */
#define MAP_MOST_SOCKETS 16

struct runtime_map {
    struct arena *memory; /* holds the map and all that it points to */
    const char *file;     /* files[0] */

    const char *const *files; /* all that the map was made from: the map file, then the drop-ins in their order */
    size_t file_count;
    const char *drop_in_folder; /* the folder of the drop-ins; need not exist. NULL: the map is in no file that could change */

    struct map_socket listen; /* kubelets': the first that takes all calls, or the first if there is none such */
    const struct map_socket *more_sockets;
    size_t more_socket_count;

    const struct runtime_entry *runtimes; /* in the order of the file */
    size_t runtime_count;
    size_t primary;         /* index into runtimes */
    size_t default_runtime; /* index into runtimes: takes new pods that nothing else claims; default: the primary */

    /* Names of runtimes that are removed even if they still own pods (force: true). */
    const char *const *removed_by_force;
    size_t removed_by_force_count;

    const char *state; /* the folder for what outlives the process; default "/run/crigate" */

    struct {
        const char *annotation; /* default "kubernetes.io/target-runtime" */
    } routing;

    struct {
        enum compose compose; /* default with-others */
        unsigned interval;    /* milliseconds between lists of a runtime whose events are composed; default 1000 */
    } events;

    /* Plugins that see and change pods and containers. */
    struct {
        bool on;                /* default false: none is called, and the rest means nothing */
        const char *folder;     /* of the files that name them; need not exist; default "/etc/runtime/hookserver.d" */
        unsigned timeout;       /* milliseconds that a plugin may take for one hook, unless its file sets this; default 2000 */
        const char *skip_label; /* pods with this label... */
        const char *skip_value; /* ...of this value have no hooks; default runtimeproxy.koordinator.sh/skip-hookserver, true */
    } hooks;

    /* Where metrics are served. */
    struct {
        const char *listen;                     /* as in the file: "127.0.0.1:9464", "[::1]:9464", "unix:///..."; NULL: nowhere */
        const struct sockaddr_storage *address; /* likewise */
        size_t length;                          /* of address */
        mode_t mode;                            /* of a Unix socket's file; default 0660 */
        const char *group;                      /* likewise; NULL: do not change it */
        gid_t gid;                              /* of group; (gid_t)-1 without one */
    } metrics;

    struct {
        const char *path; /* of the file with a line for each call that may change something; NULL: none */
    } audit;

    struct {
        size_t message_size;     /* bytes, in both directions; default 64 MiB */
        unsigned list_items;     /* in one list of one runtime; default 50000 */
        size_t memory;           /* bytes of the process; at least two messages, default 512 MiB */
        unsigned connections;    /* of callers, at once; default 1024 */
        unsigned idle;           /* milliseconds after which a connection without calls is closed; default 300000 */
        unsigned calls;          /* in flight at once; default 4096 */
        unsigned streams;        /* streaming calls among them; default 256 */
        unsigned startup_grace;  /* milliseconds that a call waits for a primary that is not there yet; default 5000 */
        unsigned shutdown_grace; /* milliseconds that running calls get after SIGTERM; default 30000 */
    } limits;
};

/* NULL is allowed. */
void runtime_map_free(struct runtime_map *map);

/* The runtime of that name, or NULL. */
const struct runtime_entry *runtime_map_find(const struct runtime_map *map, struct bytes name);

/* The socket at that path, or NULL. */
const struct map_socket *runtime_map_socket(const struct runtime_map *map, const char *path);
