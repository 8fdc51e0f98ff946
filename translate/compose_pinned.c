/* Image.pinned for runtimes that do not fill it: the image of pods' sandboxes must not be collected as garbage. */
#include <stdio.h>

#include "compose.h"
#include "generated/functions.h"
#include "model/api.pb-c.h"

/* Whether the first part of an image's name is the host of a registry, as Docker tells it. */
static bool begins_with_host(const char *name)
{
    size_t first = strcspn(name, "/");
    return name[first] == '/' && (memchr(name, '.', first) || memchr(name, ':', first) ||
                                  bytes_equal(bytes_of(name, first), bytes_of_string("localhost")));
}

/* The name in full, as runtimes list it: with registry and tag. */
static void complete_name(const char *name, char *full, size_t size)
{
    const char *last = strrchr(name, '/');
    const char *host = begins_with_host(name) ? "" : last ? "docker.io/" : "docker.io/library/";
    const char *tag = strpbrk(last ? last : name, ":@") ? "" : ":latest";
    snprintf(full, size, "%s%s%s", host, name, tag);
}

static bool has_name(const Model__Image *image, const char *name)
{
    bool found = strcmp(image->id, name) == 0;
    for (size_t i = 0; !found && i < image->n_repo_tags; i++) {
        found = strcmp(image->repo_tags[i], name) == 0;
    }
    for (size_t i = 0; !found && i < image->n_repo_digests; i++) {
        found = strcmp(image->repo_digests[i], name) == 0;
    }
    return found;
}

/* Whether one of the images is pinned now that was not. */
static bool pin(Model__Image *const *images, size_t count, const char *sandbox_image)
{
    char full[COMPOSE_IMAGE_NAME_SIZE + 32];
    bool pinned = false;
    complete_name(sandbox_image, full, sizeof full);
    for (size_t i = 0; i < count; i++) {
        if (!images[i]->pinned && (has_name(images[i], sandbox_image) || has_name(images[i], full))) {
            images[i]->pinned = true;
            pinned = true;
        }
    }
    return pinned;
}

static bool any_is_pinned(Model__Image *const *images, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (images[i]->pinned) {
            return true;
        }
    }
    return false;
}

static bool is_needless(const struct composing *composing)
{
    return composing->memory->pins_images || !dialect_has_field(composing->caller, "Image", "pinned");
}

static bool pin_in_answer(struct composing *composing, Model__Image *const *images, size_t count,
                          const ProtobufCMessage *response, struct error *error)
{
    bool known;
    if (any_is_pinned(images, count)) {
        composing->memory->pins_images = true;
        return true;
    }
    if (!composing_status(composing, &known, error)) {
        return false;
    }
    const char *sandbox_image = composing->memory->sandbox_image;
    if (!known || !*sandbox_image || !pin(images, count, sandbox_image)) {
        return true;
    }
    return composing_answer(composing, response, error);
}

/* Of ListImages. */
bool compose_pinned_images(struct composing *composing, struct error *error)
{
    if (is_needless(composing)) {
        return true;
    }
    Model__ListImagesResponse *response = composing_received(composing, &model__list_images_response__descriptor, error);
    return response && pin_in_answer(composing, response->images, response->n_images, &response->base, error);
}

/* Of ImageStatus. */
bool compose_pinned_image(struct composing *composing, struct error *error)
{
    if (is_needless(composing)) {
        return true;
    }
    Model__ImageStatusResponse *response = composing_received(composing, &model__image_status_response__descriptor, error);
    return response && (!response->image || pin_in_answer(composing, &response->image, 1, &response->base, error));
}
