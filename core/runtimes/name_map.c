#include "name_map.h"

#include "core/map/owner.h"
#include "translate/bytes/image_id.h"

#define KIND(kind) (1U << (kind))

/* ---- requests ---- */

/* A plain id may be anybody's who has plain ids: whose it is, was found out before the call was routed. */
static bool id_to_runtime(const struct name_map *view, struct bytes id, struct mapped_name *mapped, struct error *error)
{
    size_t owner;
    const struct runtime_entry *runtime = &view->map->runtimes[view->runtime];
    bool prefixed = owner_by_prefix(view->map, id, &owner, &mapped->rest);
    if (id.len == 0 || (prefixed ? owner == view->runtime : runtime->plain_ids)) {
        return true;
    }
    return error_set(error, STATUS_INVALID_ARGUMENT, "\"%.*s\" belongs to %s%s, the call goes to runtime %s",
                     BYTES_SHOWN(id, 128), prefixed ? "runtime " : "a runtime with plain ids",
                     prefixed ? view->map->runtimes[owner].name : "", runtime->name);
}

static bool image_to_runtime(const struct name_map *view, struct bytes image, struct mapped_name *mapped, struct error *error)
{
    size_t owner;
    struct image_parts parts;
    if (view->bare_image_ids && image_id_is_digest(image)) {
        mapped->rest = image_id_digits(image);
        return true;
    }
    if (!owner_of_image(view->map, image, &owner, &parts)) {
        return true;
    }
    if (owner != view->runtime) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "image \"%.*s\" belongs to runtime %s, the call goes to %s",
                         BYTES_SHOWN(image, 128), view->map->runtimes[owner].name, view->map->runtimes[view->runtime].name);
    }
    *mapped = (struct mapped_name){.front = parts.scheme, .rest = parts.rest};
    return true;
}

/* A handler that the map lists for this runtime needs no field in a dialect without one (`carried` is false): the map defines
   what it means there. */
static void map_handler(const struct name_map *view, bool to_caller, bool carried, struct bytes handler,
                        struct mapped_name *mapped)
{
    const struct runtime_entry *runtime = &view->map->runtimes[view->runtime];
    for (size_t i = 0; i < runtime->handler_count && (handler.len > 0 || !to_caller); i++) {
        const char *names[] = {runtime->handlers[i].name, runtime->handlers[i].local_name};
        if (bytes_equal(handler, bytes_of_string(names[to_caller]))) {
            mapped->front = bytes_of_string(carried ? names[!to_caller] : NULL);
            mapped->rest = (struct bytes){0};
            return;
        }
    }
}

static bool map_request(void *state, enum name_kind kind, bool carried, struct bytes name, struct arena *arena,
                        struct mapped_name *mapped, struct error *error)
{
    (void)arena;
    const struct name_map *view = state;
    mapped_name_same(mapped, name);
    switch (kind) {
    case NAME_POD:
    case NAME_CONTAINER:
        return id_to_runtime(view, name, mapped, error);
    case NAME_IMAGE:
        return image_to_runtime(view, name, mapped, error);
    case NAME_HANDLER:
        map_handler(view, false, carried, name, mapped);
        return true;
    case NAME_NONE:
    case NAME_STREAM_URL:
        break;
    }
    return true;
}

/* ---- responses ---- */

/* The ids of a plain runtime stay as they are, and are remembered as its own. Only that another runtime holds one is a failure:
   an id that finds no room in the index is searched for when it is needed. */
static bool learn_id(const struct name_map *view, enum id_kind kind, struct bytes id, struct error *error)
{
    struct error failure = {0};
    bool echoed = view->beginning.len > 0 && bytes_equal(id, view->beginning);
    if (!view->index || echoed || id_index_learn(view->index, kind, id, view->slot, &failure) ||
        failure.code != STATUS_ALREADY_EXISTS || !(view->disputable >> kind & 1U)) {
        return true;
    }
    return error_set(error, STATUS_ABORTED, "runtime %s: %s", view->map->runtimes[view->runtime].name, failure.message);
}

/* A plain id that looks like one of another runtime, which calls for it would go to. */
static bool is_own_id(const struct name_map *view, struct bytes id, struct error *error)
{
    size_t owner;
    struct bytes local;
    return !owner_by_prefix(view->map, id, &owner, &local) || error_set(error, STATUS_ABORTED, "%.*s is a name of runtime %s",
                                                                        BYTES_SHOWN(id, 128), view->map->runtimes[owner].name);
}

static bool id_to_caller(const struct name_map *view, enum id_kind kind, struct bytes id, struct mapped_name *mapped,
                         struct error *error)
{
    const struct runtime_entry *runtime = &view->map->runtimes[view->runtime];
    if (id.len == 0) {
        return true;
    }
    if (runtime->plain_ids) {
        return is_own_id(view, id, error) && learn_id(view, kind, id, error);
    }
    mapped->front = runtime->id_beginning;
    return true;
}

/* "<none>" in a tag means that there is no name. */
static bool is_image_name(struct bytes image)
{
    return image.len > 0 && image.data[0] != '<' && !image_id_is_digest(image);
}

/* A scheme stays in front of the prefix. */
static bool image_to_caller(const struct name_map *view, struct bytes image, struct arena *arena, struct mapped_name *mapped,
                            struct error *error)
{
    const struct runtime_entry *runtime = &view->map->runtimes[view->runtime];
    if (view->runtime == view->map->primary || !runtime->image_prefix || !is_image_name(image)) {
        return true;
    }
    struct bytes scheme = owner_scheme_of_image(image);
    struct bytes rest = bytes_after(image, scheme.len), own = rest;
    if (owner_take_image_prefix(runtime, &own)) {
        return true; /* as it was asked for */
    }
    struct bytes front = runtime->image_beginning;
    if (scheme.len > 0) {
        front = arena_join(arena, (struct bytes[]){scheme, front}, 2);
    }
    mapped->front = front;
    mapped->rest = rest;
    return front.data || error_no_memory(error);
}

/* Full URLs and "//host:port/…" pass; a bare path (dockershim up to Kubernetes 1.10) lacks where it is served. */
static void url_to_caller(const struct name_map *view, struct bytes url, struct mapped_name *mapped)
{
    bool bare = url.len > 0 && url.data[0] == '/' && (url.len < 2 || url.data[1] != '/');
    if (bare) {
        const char *base = view->map->runtimes[view->runtime].stream_url;
        if (!base && view->find_stream_address) {
            base = view->find_stream_address(view->stream_address_state);
        }
        mapped->front = bytes_of_string(base);
    }
}

static bool map_response(void *state, enum name_kind kind, bool carried, struct bytes name, struct arena *arena,
                         struct mapped_name *mapped, struct error *error)
{
    (void)carried;
    const struct name_map *view = state;
    mapped_name_same(mapped, name);
    switch (kind) {
    case NAME_POD:
        return id_to_caller(view, ID_POD, name, mapped, error);
    case NAME_CONTAINER:
        return id_to_caller(view, ID_CONTAINER, name, mapped, error);
    case NAME_IMAGE:
        return image_to_caller(view, name, arena, mapped, error);
    case NAME_HANDLER:
        map_handler(view, true, true, name, mapped);
        return true;
    case NAME_STREAM_URL:
        url_to_caller(view, name, mapped);
        return true;
    case NAME_NONE:
        break;
    }
    return true;
}

/* ---- which kinds differ at all ---- */

void name_map_for_request(struct name_map *name_map, const struct runtime_map *map, size_t runtime)
{
    *name_map = (struct name_map){.map = map, .runtime = runtime};
    name_map->names = (struct names){
        .state = name_map,
        .kinds = KIND(NAME_POD) | KIND(NAME_CONTAINER) | KIND(NAME_IMAGE) | KIND(NAME_HANDLER),
        .map = map_request,
    };
}

void name_map_write_bare_image_ids(struct name_map *name_map)
{
    name_map->bare_image_ids = true;
}

/* Whether there are ids that a runtime with plain ones must not report. */
static bool has_prefixed_ids(const struct runtime_map *map)
{
    for (size_t i = 0; i < map->runtime_count; i++) {
        if (!map->runtimes[i].plain_ids) {
            return true;
        }
    }
    return false;
}

void name_map_for_response(struct name_map *name_map, const struct runtime_map *map, size_t runtime, struct id_index *index,
                           unsigned slot, unsigned disputable)
{
    const struct runtime_entry *entry = &map->runtimes[runtime];
    unsigned kinds = 0;
    if (!entry->plain_ids || index || has_prefixed_ids(map)) {
        kinds |= KIND(NAME_POD) | KIND(NAME_CONTAINER);
    }
    if (runtime != map->primary && entry->image_prefix) {
        kinds |= KIND(NAME_IMAGE);
    }
    if (entry->handler_count > 0) {
        kinds |= KIND(NAME_HANDLER);
    }
    if (entry->stream_url) {
        kinds |= KIND(NAME_STREAM_URL);
    }
    *name_map = (struct name_map){.map = map, .runtime = runtime, .index = index, .slot = slot, .disputable = disputable};
    name_map->names = (struct names){.state = name_map, .kinds = kinds, .map = map_response};
    if (!entry->plain_ids) {
        name_map->names.fronts[NAME_POD] = name_map->names.fronts[NAME_CONTAINER] = entry->id_beginning;
    }
}

void name_map_complete_paths(struct name_map *name_map, const char *(*find)(void *state), void *state)
{
    name_map->find_stream_address = find;
    name_map->stream_address_state = state;
    name_map->names.kinds |= KIND(NAME_STREAM_URL);
}

void name_map_believe_ids(struct name_map *name_map)
{
    bool learns = name_map->index != NULL;
    if (name_map->map->runtimes[name_map->runtime].plain_ids && !learns) {
        name_map->names.kinds &= ~(KIND(NAME_POD) | KIND(NAME_CONTAINER));
    }
}
