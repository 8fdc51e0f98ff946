#include "core/map/owner.h"

#include "core/map/names.h"

static bool take_prefix(struct bytes *text, struct bytes prefix)
{
    if (!bytes_start_with(*text, prefix)) {
        return false;
    }
    *text = bytes_after(*text, prefix.len);
    return true;
}

bool owner_by_prefix(const struct runtime_map *map, struct bytes id, size_t *owner, struct bytes *local)
{
    for (size_t i = 0; i < map->runtime_count; i++) {
        struct bytes rest = id;
        if (!map->runtimes[i].plain_ids && take_prefix(&rest, map->runtimes[i].id_beginning) && rest.len > 0) {
            *owner = i;
            *local = rest;
            return true;
        }
    }
    *local = id;
    return false;
}

/* cri-dockerd puts a scheme in front of image references. */
struct bytes owner_scheme_of_image(struct bytes image)
{
    static const char mark[] = "://";
    const uint8_t *colon = image.len > 0 ? memchr(image.data, ':', image.len) : NULL;
    size_t before = colon ? (size_t)(colon - image.data) : image.len;
    bool marked = bytes_start_with(bytes_after(image, before), bytes_of_string(mark));
    return marked ? bytes_of(image.data, before + sizeof mark - 1) : (struct bytes){0};
}

/* A kubelet keeps a name that begins with a registry, and puts one in front of others. */
bool owner_take_image_prefix(const struct runtime_entry *runtime, struct bytes *image)
{
    struct bytes rest = *image;
    bool taken = runtime->image_prefix &&
                 (take_prefix(&rest, runtime->image_beginning) ||
                  (take_prefix(&rest, bytes_of_string("docker.io/")) && !image_prefix_names_registry(runtime->image_prefix) &&
                   take_prefix(&rest, runtime->image_beginning)));
    *image = taken ? rest : *image;
    return taken;
}

bool owner_of_image(const struct runtime_map *map, struct bytes image, size_t *owner, struct image_parts *parts)
{
    parts->scheme = owner_scheme_of_image(image);
    parts->rest = bytes_after(image, parts->scheme.len);
    for (size_t i = 0; i < map->runtime_count; i++) {
        if (owner_take_image_prefix(&map->runtimes[i], &parts->rest)) {
            *owner = i;
            return true;
        }
    }
    return false;
}

bool owner_of_handler(const struct runtime_map *map, struct bytes handler, size_t *owner)
{
    for (size_t i = 0; i < map->runtime_count; i++) {
        const struct runtime_entry *runtime = &map->runtimes[i];
        for (size_t j = 0; j < runtime->handler_count; j++) {
            if (bytes_equal(handler, bytes_of_string(runtime->handlers[j].name))) {
                *owner = i;
                return true;
            }
        }
    }
    return false;
}

bool owner_by_name(const struct runtime_map *map, struct bytes name, size_t *owner)
{
    const struct runtime_entry *runtime = runtime_map_find(map, name);
    *owner = runtime ? (size_t)(runtime - map->runtimes) : *owner;
    return runtime != NULL;
}
