/* The runtime map that an installation needs, and what happens to the existing one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes/arena.h"
#include "core/map/map.h"
#include "node/kubelet/plan.h"

struct wanted_runtime {
    const char *name;
    const char *endpoint;       /* "unix:///run/containerd/containerd.sock" */
    const char *image_endpoint; /* NULL: the same */
};

struct wanted_map {
    const char *listen;  /* "unix:///run/crigate/crigate.sock" */
    const char *callers; /* "1.10" or "1.11"; NULL: not needed */
    const struct wanted_runtime *runtimes;
    size_t runtime_count; /* the first is the primary; others have prefixed ids */
};

enum map_decision {
    MAP_FITS,   /* it stays as it is */
    MAP_WRITE,  /* there is none, or only the one that the package ships, or the operator wants it replaced */
    MAP_DIFFERS /* it is the operator's own, and does not fit: `why` */
};

struct map_plan {
    enum map_decision decision;
    struct planned_file file; /* of the text that would be written, whatever the decision; not set for one that fits */
    struct error why;
};

/* The text of a runtime map, in the arena. false: INVALID_ARGUMENT when crigate would refuse it, such as for a name that it does
   not take. */
bool map_file_text(const struct wanted_map *wanted, struct arena *arena, struct bytes *text, struct error *error);

/* Whether a map has all that is wanted; it may have more. Two paths that lead to one socket count as equal. */
bool map_file_fits(const struct runtime_map *map, const struct wanted_map *wanted, struct error *why);

/* Looks at the map at RUNTIME_MAP_DEFAULT_PATH, with its drop-ins, and decides. Writes nothing. `replace`: the operator's own map
   may also be overwritten. false with an error: it could not be read. */
bool map_file_plan(const struct wanted_map *wanted, bool replace, struct arena *arena, struct map_plan *plan,
                   struct error *error);

/* Reads the map at RUNTIME_MAP_DEFAULT_PATH again, as crigate will. false when it has mistakes or does not fit, as when a drop-in
   changes what was written. */
bool map_file_check(const struct wanted_map *wanted, struct error *error);

/* Whether both lead to one socket: the same path, or the same file. Endpoints with or without the scheme, or `docker`. */
bool same_socket(const char *one, const char *other);
