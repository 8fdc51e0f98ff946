/* The runtime map in force: what the operator's files say, checked and filled with defaults. It does not change once it is made.
   read.h and load.h make one, print.h prints one. */
#ifndef CRIGATE_MAP_MAP_H
#define CRIGATE_MAP_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "translate/compose.h"
#include "translate/leniency.h"
#include "translate/schema.h"

struct arena;

#define RUNTIME_MAP_DEFAULT_PATH "/etc/crigate/crigate.yaml"
#define RUNTIME_MAP_DEFAULT_STATE "/run/crigate"

/* Between a runtime's name and its own id of a pod or container. */
#define ID_SEPARATOR "__"

/* A RuntimeClass handler that a runtime serves: what callers name it, and what the runtime does ("" is its default one). */
struct runtime_handler {
    const char *name;
    const char *local_name;
};

/* What stands for a runtime in lists and statuses while it cannot be asked. */
enum when_away {
    WHEN_AWAY_LAST_KNOWN, /* what was last seen of it */
    WHEN_AWAY_FAIL,       /* UNAVAILABLE */
    WHEN_AWAY_OMIT,       /* it is left out of lists: only for runtimes whose pods no kubelet manages */
    WHEN_AWAY_COUNT,
};

/* Their spelling in the file. */
extern const char *const when_away_names[WHEN_AWAY_COUNT];

/* Their spelling in the file; NULL for "not set". */
extern const char *const cgroup_driver_names[CGROUP_DRIVER_COUNT];

/* When crigate composes events of runtimes that do not stream them. */
enum compose {
    COMPOSE_WITH_OTHERS, /* where another runtime of the node streams; else GetContainerEvents is UNIMPLEMENTED */
    COMPOSE_ALWAYS,
    COMPOSE_NEVER,
    COMPOSE_COUNT,
};

/* Their spelling in the file. */
extern const char *const compose_names[COMPOSE_COUNT];

struct runtime_entry {
    const char *name;           /* unique; letters, digits and inner '-', '.', '_' but no "__", so that it can prefix an id */
    const char *endpoint;       /* "unix:///run/containerd/containerd.sock" */
    const char *image_endpoint; /* where the image service listens; equal to endpoint unless said */
    bool primary;
    bool api_set;     /* false: "auto", the dialect is probed */
    enum dialect api; /* only when api_set */
    const struct runtime_handler *handlers;
    size_t handler_count;
    const char *image_prefix;  /* without the slash; the name unless said; NULL for the primary and with plain ids unless said */
    struct bytes id_beginning; /* the name and what parts it from an id: with this its ids begin unless they are plain */
    struct bytes image_beginning;     /* image_prefix and its slash; empty without one */
    const char *stream_url;           /* without a slash at its end; NULL unless said */
    bool plain_ids;                   /* ids without a prefix; true for the primary unless said (ids: plain | prefixed) */
    bool new_pods;                    /* false: draining; gets no new pods. true unless said */
    enum when_away when_away;         /* fail for the primary, last-known for others unless said */
    struct leniency translation;      /* what is let through that its dialect cannot say; strict unless said */
    enum cgroup_driver cgroup_driver; /* for callers that ask and a runtime that cannot tell; not said unless said */
    const char *storage;              /* the folder that the runtime keeps images in; NULL unless said */
    unsigned budget;                  /* milliseconds for a list or status before it counts as hanging; 5000 unless said */
};

struct runtime_map {
    struct arena *memory; /* holds the map and all that it points to */
    const char *file;     /* as given to runtime_map_read or runtime_map_load */

    const char *const *files; /* all that the map was made from: `file`, then the drop-ins in their order */
    size_t file_count;
    const char *drop_in_folder; /* where drop-ins are looked for; need not exist */

    struct {
        const char *address; /* "unix:///run/crigate/crigate.sock" */
        const char *path;    /* "/run/crigate/crigate.sock" */
        mode_t mode;         /* 0660 unless said */
        const char *group;   /* NULL: leave it */
        gid_t gid;           /* of group; (gid_t)-1, which chown leaves alone, without one */
        /* "1.10" or "1.11": callers on this socket speak runtime.v1alpha2 without masked_paths, see docs. */
        bool callers_lack_masked_paths;
        const char *callers; /* as said, or NULL */
        /* Who may connect, besides root and the socket's group. */
        const uid_t *uids;
        size_t uid_count;
        const gid_t *gids;
        size_t gid_count;
    } listen;

    const struct runtime_entry *runtimes; /* in the order of the file */
    size_t runtime_count;
    size_t primary;         /* index into runtimes */
    size_t default_runtime; /* index into runtimes: takes new pods that nothing else claims; the primary unless said */

    /* Names that are no runtimes any more, even if they still own pods (force: true). */
    const char *const *removed_by_force;
    size_t removed_by_force_count;

    const char *state; /* the folder for what outlives the process, "/run/crigate" unless said */

    struct {
        const char *annotation; /* "kubernetes.io/target-runtime" unless said */
    } routing;

    struct {
        enum compose compose; /* with-others unless said */
        unsigned interval;    /* milliseconds between lists of a runtime whose events are composed; 1000 unless said */
    } events;

    struct {
        size_t message_size;     /* bytes, both ways; 64 MiB unless said */
        unsigned list_items;     /* of a list that one runtime answers with; 50000 unless said */
        size_t memory;           /* bytes that the process may take; 512 MiB unless said, two messages at least */
        unsigned connections;    /* of callers at once; 1024 unless said */
        unsigned idle;           /* milliseconds after which a connection without calls is closed; 300000 unless said */
        unsigned calls;          /* in flight at once; 4096 unless said */
        unsigned streams;        /* of them, streaming ones; 256 unless said */
        unsigned startup_grace;  /* milliseconds that a call waits for a primary that has not come yet; 5000 unless said */
        unsigned shutdown_grace; /* milliseconds that running calls get after SIGTERM; 30000 unless said */
    } limits;
};

/* NULL is allowed. */
void runtime_map_free(struct runtime_map *map);

/* The runtime of that name, or NULL. */
const struct runtime_entry *runtime_map_find(const struct runtime_map *map, struct bytes name);

#endif
