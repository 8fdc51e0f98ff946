/* Names on their way between the caller's view of the node and one runtime's: id prefixes, image prefixes, handlers, URLs. */
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
    struct bytes beginning; /* an id as the request wrote it, which may be echoed and is not learned; empty: none */
    unsigned disputable;    /* bit 1 << ID_… for each kind of id that another runtime must not hold already */
    const char *(*find_stream_address)(void *state); /* NULL: bare paths pass as they are unless the map sets stream_url */
    void *stream_address_state;
    struct names names;
};

/* Names of a request to that runtime: prefixes go, handlers become the runtime's own. INVALID_ARGUMENT for an id, and
   FAILED_PRECONDITION for an image, that belongs to another runtime. */
void name_map_for_request(struct name_map *name_map, const struct runtime_map *map, size_t runtime);

/* Names of a response of that runtime: ids get their prefix unless the runtime has plain ones, images of others than the primary
   get theirs (digests never do), handlers become the caller's, streaming URLs that are a bare path are completed with the
   runtime's stream_url. ABORTED for a plain id with another runtime's prefix. With an index, plain ids are learned; ABORTED for
   one of a `disputable` kind that another runtime holds already: an id that the response is about, rather than one that it only
   refers to. */
void name_map_for_response(struct name_map *name_map, const struct runtime_map *map, size_t runtime, struct id_index *index,
                           unsigned slot, unsigned disputable);

/* Bare paths for which the map sets no stream_url are completed with what `find` returns, unless that is NULL. */
void name_map_complete_paths(struct name_map *name_map, const char *(*find)(void *state), void *state);

/* After name_map_for_response: where ids of a runtime with plain ones go on as they are, nobody looks whether they are names of
   another runtime. For answers that are not put together with others', and for those that were looked at. */
void name_map_believe_ids(struct name_map *name_map);
