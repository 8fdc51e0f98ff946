#include "route.h"

#include <stdio.h>

#include "core/map/owner.h"
#include "translate/bytes/image_id.h"
#include "translate/lists/merge.h"
#include "translate/schema/peek.h"

/* A route in the making. */
struct making {
    const struct route_view *view;
    const struct runtime_map *map;
    struct route *route;
    struct error *error;
};

static bool to_one(const struct making *making, size_t runtime)
{
    making->route->targets[0] = runtime;
    making->route->count = 1;
    return true;
}

static void add(const struct making *making, size_t runtime)
{
    making->route->targets[making->route->count++] = runtime;
}

/* All runtimes, or all with plain ids; the primary first. */
static bool to_all(const struct making *making, bool only_plain)
{
    for (size_t i = 0; i < making->map->runtime_count; i++) {
        size_t runtime = i == 0 ? making->map->primary : i <= making->map->primary ? i - 1 : i;
        if (!only_plain || making->map->runtimes[runtime].plain_ids) {
            add(making, runtime);
        }
    }
    return true;
}

static struct bytes peek(const struct making *making, enum peek what)
{
    return peek_bytes(making->view->method, making->view->caller, what, making->view->request);
}

/* The runtime in a slot of the index; false when this generation has it no more. */
static bool runtime_in_slot(const struct making *making, unsigned slot, size_t *runtime)
{
    for (size_t i = 0; i < making->map->runtime_count; i++) {
        if (making->view->generation->runtimes[i]->slot == slot) {
            *runtime = i;
            return true;
        }
    }
    return false;
}

/* ---- by id ---- */

/* The only runtime with plain ids, or the primary if there are several. */
static size_t only_plain(const struct making *making)
{
    for (size_t i = 0; making->view->generation->plain_count == 1 && i < making->map->runtime_count; i++) {
        if (making->map->runtimes[i].plain_ids) {
            return i;
        }
    }
    return making->map->primary;
}

static bool disputed(const struct making *making, struct bytes id)
{
    return error_set(making->error, STATUS_FAILED_PRECONDITION, "two runtimes claim %.*s; neither is asked",
                     BYTES_SHOWN(id, 128));
}

/* A plain id that several runtimes could hold: the index knows the holder, or a search must find it. */
static bool route_by_index(const struct making *making, enum id_kind kind, struct bytes id)
{
    size_t owner;
    unsigned slot;
    enum id_answer known = id_index_find(making->view->index, kind, id, &slot);
    if (known == ID_DISPUTED) {
        return disputed(making, id);
    }
    if (known == ID_UNKNOWN && making->view->beginning.len > 0 && bytes_equal(id, making->view->beginning)) {
        known = ID_HELD;
        slot = making->view->beginning_slot;
    }
    if (known == ID_HELD && runtime_in_slot(making, slot, &owner)) {
        return to_one(making, owner);
    }
    making->route->must_find_owner = true;
    making->route->kind = kind;
    making->route->id = id;
    return to_all(making, true);
}

static bool route_by_id(const struct making *making, enum id_kind kind, struct bytes id)
{
    size_t owner;
    struct bytes local;
    if (owner_by_prefix(making->map, id, &owner, &local)) {
        return to_one(making, owner);
    }
    bool index_tells = making->view->generation->plain_count > 1 && id.len > 0 && !making->view->nobody_holds_id;
    return index_tells ? route_by_index(making, kind, id) : to_one(making, only_plain(making));
}

/* ---- new pods ---- */

/* "containerd, virtlet.cloud", cut to the size. */
static const char *list_runtimes(const struct runtime_map *map, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < map->runtime_count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", map->runtimes[i].name);
    }
    return text;
}

enum hint { HINT_NONE, HINT_FOUND, HINT_WRONG };

/* The runtime that the target annotation of a map in the request names. */
static enum hint hint_of_annotation(const struct making *making, enum peek annotations, size_t *runtime)
{
    const struct route_view *view = making->view;
    struct bytes key = bytes_of_string(making->map->routing.annotation);
    struct bytes value = peek_map(view->method, view->caller, annotations, view->request, key);
    if (value.len == 0) {
        return HINT_NONE;
    }
    if (owner_by_name(making->map, value, runtime)) {
        return HINT_FOUND;
    }
    char known[256];
    error_set(making->error, STATUS_INVALID_ARGUMENT,
              "annotation %s names runtime \"%.*s\", which is not in the runtime map; it has %s", making->map->routing.annotation,
              BYTES_SHOWN(value, 128), list_runtimes(making->map, known, sizeof known));
    return HINT_WRONG;
}

/* A draining runtime keeps its pods and gets no more. */
static bool to_new(const struct making *making, size_t runtime)
{
    if (making->map->runtimes[runtime].new_pods) {
        return to_one(making, runtime);
    }
    return error_set(making->error, STATUS_FAILED_PRECONDITION,
                     "runtime %s takes no new pods (new_pods: false in the runtime map)", making->map->runtimes[runtime].name);
}

bool route_of_handler(const struct runtime_map *map, struct bytes handler, size_t *runtime)
{
    if (handler.len > 0 && owner_of_handler(map, handler, runtime)) {
        return true;
    }
    *runtime = map->default_runtime;
    return handler.len == 0 || map->runtimes[map->default_runtime].handler_count == 0;
}

/* By annotation, else by handler, else to the default. */
static bool route_new_pod(const struct making *making)
{
    size_t runtime;
    enum hint hint = hint_of_annotation(making, PEEK_SANDBOX_ANNOTATIONS, &runtime);
    if (hint != HINT_NONE) {
        return hint == HINT_FOUND && to_new(making, runtime);
    }
    struct bytes handler = peek(making, PEEK_HANDLER);
    if (route_of_handler(making->map, handler, &runtime)) {
        return to_new(making, runtime);
    }
    return error_set(making->error, STATUS_INVALID_ARGUMENT,
                     "runtime handler \"%.*s\" is not served by any runtime in the runtime map; add it to the handlers of one",
                     BYTES_SHOWN(handler, 128));
}

/* ---- images ---- */

/* The runtime of the pod for which an image is pulled, if the pod was created through this crigate. */
static bool place_of_pod(const struct making *making, size_t *runtime)
{
    unsigned slot;
    return pod_places_find(making->view->places, peek(making, PEEK_SANDBOX_UID), &slot) && runtime_in_slot(making, slot, runtime);
}

/* By annotation, handler, the pod for which an image is pulled, or the prefix. `said`: one of them decides, even if it only
   causes a refusal. */
static bool route_as_said(const struct making *making, bool *said)
{
    size_t runtime;
    struct image_parts parts;
    *said = true;
    enum hint hint = hint_of_annotation(making, PEEK_IMAGE_ANNOTATIONS, &runtime);
    if (hint == HINT_NONE) {
        struct bytes handler = peek(making, PEEK_IMAGE_HANDLER);
        bool served = handler.len > 0 && owner_of_handler(making->map, handler, &runtime);
        hint = served ? HINT_FOUND : hint_of_annotation(making, PEEK_SANDBOX_ANNOTATIONS, &runtime);
    }
    if (hint != HINT_NONE) {
        return hint == HINT_FOUND && to_one(making, runtime);
    }
    *said = place_of_pod(making, &runtime) || owner_of_image(making->map, peek(making, PEEK_IMAGE), &runtime, &parts);
    return *said && to_one(making, runtime);
}

/* A digest names content, not a place. */
static bool route_image(const struct making *making)
{
    bool said;
    bool found = route_as_said(making, &said);
    if (said) {
        return found;
    }
    return image_id_is_digest(peek(making, PEEK_IMAGE)) ? to_all(making, false) : to_one(making, making->map->primary);
}

/* The password of a registry goes to one runtime only: an image that is pulled for no particular pod is for new ones. */
static bool route_pull(const struct making *making)
{
    bool said;
    bool found = route_as_said(making, &said);
    return said ? found : to_one(making, making->map->default_runtime);
}

/* ---- lists ---- */

/* The runtimes that an id of a filter can be on. A plain one may be a part of an id, so all with plain ids are asked. */
static bool filter_owner(const struct making *making, struct bytes id, size_t *owner)
{
    struct bytes local;
    if (owner_by_prefix(making->map, id, owner, &local)) {
        return true;
    }
    *owner = SIZE_MAX; /* of some plain runtime */
    return false;
}

/* A filter by id asks only those who can hold it; filters for two owners match nothing. */
static bool route_all(const struct making *making)
{
    if (!merge_takes_others(making->view->method, making->view->caller)) {
        return to_one(making, making->map->primary);
    }
    struct bytes container = peek(making, PEEK_CONTAINER);
    struct bytes pod = peek(making, PEEK_POD);
    if (container.len == 0 && pod.len == 0) {
        return peek(making, PEEK_IMAGE).len > 0 ? route_image(making) : to_all(making, false);
    }
    size_t owner, pod_owner;
    bool prefixed = filter_owner(making, container.len > 0 ? container : pod, &owner);
    if (container.len > 0 && pod.len > 0) {
        filter_owner(making, pod, &pod_owner);
        if (pod_owner != owner) {
            return true;
        }
    }
    if (prefixed) {
        return to_one(making, owner);
    }
    return making->view->generation->plain_count > 0 ? to_all(making, true) : to_one(making, making->map->primary);
}

bool route_find(const struct route_view *view, struct route *route, struct error *error)
{
    const struct runtime_map *map = view->generation->map;
    *route = (struct route){.targets = arena_alloc(view->arena, map->runtime_count * sizeof *route->targets)};
    if (!route->targets) {
        return error_no_memory(error);
    }
    struct making making = {.view = view, .map = map, .route = route, .error = error};
    switch (view->method->route) {
    case ROUTE_PRIMARY:
        break;
    case ROUTE_POD:
        return route_by_id(&making, ID_POD, peek(&making, PEEK_POD));
    case ROUTE_CONTAINER:
        return route_by_id(&making, ID_CONTAINER, peek(&making, PEEK_CONTAINER));
    case ROUTE_NEW_POD:
        return route_new_pod(&making);
    case ROUTE_IMAGE:
        return route_image(&making);
    case ROUTE_PULL:
        return route_pull(&making);
    case ROUTE_ALL:
        return route_all(&making);
    }
    return to_one(&making, map->primary);
}
