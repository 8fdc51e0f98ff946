/* The handlers of images. */
#include "sim/handlers.h"

#include <string.h>

#include "sim/common/fields.h"

/* The image for pods that every such node needs, and that must not be collected as garbage. */
#define SANDBOX_IMAGE_REPOSITORY "registry.k8s.io/pause:"

static const char *requested_image(const struct exchange *exchange)
{
    return field_text(field_child(exchange->request, "image"), "image");
}

static struct json_object *image_message(const struct simulation *simulation, const struct image *image)
{
    struct json_object *message = json_object_new_object();
    field_set_text(message, "id", image->id);
    field_share(message, "repoTags", image->tags);
    field_share(message, "repoDigests", image->digests);
    json_object_object_add(message, "size", json_object_new_uint64(image->size));
    field_set_wrapped(message, "uid", 0);
    field_share(message, "spec", image->spec);
    const char *tag = json_object_get_string(json_object_array_get_idx(image->tags, 0));
    bool sandbox = tag && strncmp(tag, SANDBOX_IMAGE_REPOSITORY, strlen(SANDBOX_IMAGE_REPOSITORY)) == 0;
    field_set_flag(message, "pinned", sandbox && !simulation->settings->unpinned);
    return message;
}

bool list_images(struct exchange *exchange, struct error *error)
{
    (void)error;
    const struct simulation *simulation = exchange->simulation;
    const char *wanted = field_text(field_child(field_child(exchange->request, "filter"), "image"), "image");
    const struct image *only = *wanted ? simulation_image(simulation, wanted) : NULL;
    struct json_object *items = field_new_array(exchange->response, "images");
    for (size_t i = 0; i < simulation->images.count; i++) {
        if (!*wanted || simulation->images.items[i] == only) {
            json_object_array_add(items, image_message(simulation, simulation->images.items[i]));
        }
    }
    return true;
}

bool image_status(struct exchange *exchange, struct error *error)
{
    (void)error;
    const struct image *image = simulation_image(exchange->simulation, requested_image(exchange));
    if (!image) {
        return true; /* CRI: an absent image is an empty answer */
    }
    json_object_object_add(exchange->response, "image", image_message(exchange->simulation, image));
    if (field_flag(exchange->request, "verbose")) {
        struct json_object *info = json_object_new_object();
        field_set_text(info, "chainID", image->id);
        field_set_text(field_new_object(exchange->response, "info"), "info",
                       json_object_to_json_string_ext(info, JSON_C_TO_STRING_PLAIN));
        json_object_put(info);
    }
    return true;
}

bool pull_image(struct exchange *exchange, struct error *error)
{
    struct json_object *spec = field_child(exchange->request, "image");
    const struct image *image = simulation_pull_image(exchange->simulation, spec, error);
    if (!image) {
        return false;
    }
    const char *digest = json_object_get_string(json_object_array_get_idx(image->digests, 0));
    bool by_digest = digest && exchange->simulation->settings->digest_references;
    field_set_text(exchange->response, "imageRef", by_digest ? digest : image->id);
    return true;
}

bool remove_image(struct exchange *exchange, struct error *error)
{
    (void)error;
    struct image *image = simulation_image(exchange->simulation, requested_image(exchange));
    if (image) {
        simulation_remove_image(exchange->simulation, image);
    }
    return true;
}

bool image_fs_info(struct exchange *exchange, struct error *error)
{
    (void)error;
    const struct simulation *simulation = exchange->simulation;
    uint64_t used = 0;
    for (size_t i = 0; i < simulation->images.count; i++) {
        const struct image *image = simulation->images.items[i];
        used += image->size;
    }
    struct json_object *usage = json_object_new_object();
    field_set_number(usage, "timestamp", simulation_now());
    /* Dialects identify filesystems by mount point or by UUID; encoding leaves out the one that the caller's dialect lacks. */
    field_set_text(field_new_object(usage, "fsId"), "mountpoint", simulation->settings->image_filesystem_mountpoint);
    field_set_text(field_new_object(usage, "storageId"), "uuid", simulation->settings->image_filesystem_uuid);
    field_set_wrapped(usage, "usedBytes", used);
    field_set_wrapped(usage, "inodesUsed", used / 16384);
    json_object_array_add(field_new_array(exchange->response, "imageFilesystems"), usage);
    return true;
}
