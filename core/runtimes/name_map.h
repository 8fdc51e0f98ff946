/* Maps names between the caller's view of the node and one runtime's: id prefixes, image prefixes, handlers, URLs. */
#pragma once

#include "core/map/map.h"
#include "core/store/id_index.h"
#include "translate/walk/names.h"

/* The view of one runtime. Lives as long as the call that uses it. */
struct name_map {
    const struct runtime_map *map;
    size_t runtime;         /* index into map->runtimes */
    struct id_index *index; /* learns the plain ids of responses; NULL: no need */
    unsigned slot;          /* of the runtime in the index */
    struct bytes beginning; /* the id in the request, which may be echoed and is not learned; empty: none */
    bool bare_image_ids;    /* requests get image ids as the digits alone */
    unsigned disputable;    /* bit 1 << ID_… for each kind of id that another runtime must not hold already */
    const char *(*find_stream_address)(void *state); /* NULL: bare paths pass unchanged unless the map sets stream_url */
    void *stream_address_state;
    struct names names;
};

/* Maps the names of a request to that runtime: removes prefixes, and replaces handlers with the runtime's own. INVALID_ARGUMENT
   for an id, and FAILED_PRECONDITION for an image, that belongs to another runtime. */
void name_map_for_request(struct name_map *name_map, const struct runtime_map *map, size_t runtime);

/* Call this after name_map_for_request, for a runtime that knows image ids as 64 digits only: requests get them so. The caller
   may have "sha256:" and the digits from another runtime, which has the same image. */
void name_map_write_bare_image_ids(struct name_map *name_map);

/* Maps the names of a response of that runtime: ids get their prefix unless the runtime has plain ones; images get theirs unless
   the runtime is the primary (digests never do); handlers become the caller's; bare paths of streaming URLs are completed with
   the runtime's stream_url. ABORTED for a plain id with another runtime's prefix. With an index, plain ids are learned; ABORTED
   for an id of a `disputable` kind that another runtime holds already: an id that the response is about, not one that it only
   refers to.
   */
void name_map_for_response(struct name_map *name_map, const struct runtime_map *map, size_t runtime, struct id_index *index,
                           unsigned slot, unsigned disputable);

/* Bare paths are completed with the result of `find` if the map sets no stream_url, unless the result is NULL. */
void name_map_complete_paths(struct name_map *name_map, const char *(*find)(void *state), void *state);

/* Call this after name_map_for_response: plain ids pass without a check whether they have the prefix of another runtime. For
   answers that are not merged, and for those that were checked. */
void name_map_believe_ids(struct name_map *name_map);
