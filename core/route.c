#include "route.h"

#include <stdio.h>

#include "core/owner.h"
#include "translate/image_id.h"
#include "translate/peek.h"

/* What a route is made from. */
struct request_view {
    const struct runtime_map *map;
    const struct method *method;
    enum dialect caller;
    struct bytes request;
    struct route *route;
    struct error *error;
};

static bool to_one(const struct request_view *view, size_t runtime)
{
    view->route->targets[0] = runtime;
    view->route->count = 1;
    return true;
}

static bool to_all(const struct request_view *view)
{
    struct route *route = view->route;
    route->targets[route->count++] = view->map->primary;
    for (size_t i = 0; i < view->map->runtime_count; i++) {
        if (i != view->map->primary) {
            route->targets[route->count++] = i;
        }
    }
    return true;
}

static struct bytes peek(const struct request_view *view, enum peek what)
{
    return peek_bytes(view->method, view->caller, what, view->request);
}

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
static enum hint hint_of_annotation(const struct request_view *view, enum peek annotations, size_t *runtime)
{
    struct bytes key = bytes_of_string(view->map->routing.annotation);
    struct bytes value = peek_map(view->method, view->caller, annotations, view->request, key);
    if (value.len == 0) {
        return HINT_NONE;
    }
    if (owner_by_name(view->map, value, runtime)) {
        return HINT_FOUND;
    }
    char known[256];
    error_set(view->error, STATUS_INVALID_ARGUMENT, "annotation %s names runtime \"%.*s\", which is not in the runtime map; it has %s",
              view->map->routing.annotation, (int)(value.len < 128 ? value.len : 128), (const char *)value.data,
              list_runtimes(view->map, known, sizeof known));
    return HINT_WRONG;
}

/* New pods: by annotation, else by handler, else to the primary. A primary without a list of handlers may serve any. */
static bool route_new_pod(const struct request_view *view)
{
    size_t runtime;
    enum hint hint = hint_of_annotation(view, PEEK_SANDBOX_ANNOTATIONS, &runtime);
    if (hint != HINT_NONE) {
        return hint == HINT_FOUND && to_one(view, runtime);
    }
    struct bytes handler = peek(view, PEEK_HANDLER);
    if (handler.len > 0 && owner_of_handler(view->map, handler, &runtime)) {
        return to_one(view, runtime);
    }
    const struct runtime_entry *primary = &view->map->runtimes[view->map->primary];
    if (handler.len > 0 && primary->handler_count > 0) {
        return error_set(view->error, STATUS_INVALID_ARGUMENT,
                         "runtime handler \"%.*s\" is served by no runtime of the runtime map; add it to the handlers of one",
                         (int)(handler.len < 128 ? handler.len : 128), (const char *)handler.data);
    }
    return to_one(view, view->map->primary);
}

/* Images: by annotation, handler, the pod that an image is pulled for, the prefix; a digest names content, not a place. */
static bool route_image(const struct request_view *view)
{
    size_t runtime;
    enum hint hint = hint_of_annotation(view, PEEK_IMAGE_ANNOTATIONS, &runtime);
    if (hint != HINT_NONE) {
        return hint == HINT_FOUND && to_one(view, runtime);
    }
    struct bytes handler = peek(view, PEEK_IMAGE_HANDLER);
    if (handler.len > 0 && owner_of_handler(view->map, handler, &runtime)) {
        return to_one(view, runtime);
    }
    hint = hint_of_annotation(view, PEEK_SANDBOX_ANNOTATIONS, &runtime);
    if (hint != HINT_NONE) {
        return hint == HINT_FOUND && to_one(view, runtime);
    }
    struct bytes image = peek(view, PEEK_IMAGE);
    struct image_parts parts;
    if (owner_of_image(view->map, image, &runtime, &parts)) {
        return to_one(view, runtime);
    }
    return image_id_is_digest(image) ? to_all(view) : to_one(view, view->map->primary);
}

/* Lists: a filter by id asks only the owner; filters for two owners match nothing. */
static bool route_all(const struct request_view *view)
{
    struct bytes container = peek(view, PEEK_CONTAINER);
    struct bytes pod = peek(view, PEEK_POD);
    struct bytes local;
    size_t owner = owner_of_id(view->map, container.len > 0 ? container : pod, &local);
    if (container.len > 0 && pod.len > 0 && owner_of_id(view->map, pod, &local) != owner) {
        return true;
    }
    if (container.len > 0 || pod.len > 0) {
        return to_one(view, owner);
    }
    return peek(view, PEEK_IMAGE).len > 0 ? route_image(view) : to_all(view);
}

bool route_find(const struct runtime_map *map, const struct method *method, enum dialect caller, struct bytes request,
                struct arena *arena, struct route *route, struct error *error)
{
    *route = (struct route){.targets = arena_alloc(arena, map->runtime_count * sizeof *route->targets)};
    if (!route->targets) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "no memory left for this call");
    }
    struct request_view view = {
        .map = map, .method = method, .caller = caller, .request = request, .route = route, .error = error};
    struct bytes local;
    switch (method->route) {
    case ROUTE_PRIMARY:
        break;
    case ROUTE_POD:
        return to_one(&view, owner_of_id(map, peek(&view, PEEK_POD), &local));
    case ROUTE_CONTAINER:
        return to_one(&view, owner_of_id(map, peek(&view, PEEK_CONTAINER), &local));
    case ROUTE_NEW_POD:
        return route_new_pod(&view);
    case ROUTE_IMAGE:
        return route_image(&view);
    case ROUTE_ALL:
        return route_all(&view);
    }
    return to_one(&view, map->primary);
}

