/* Image.pinned for runtimes that do not fill it: the image of pods' sandboxes must not be collected as garbage. */
#include <stdio.h>

#include "generated/functions.h"
#include "model/api.pb-c.h"
#include "translate/compose/status.h"

#define FULL_NAME_SIZE (COMPOSE_IMAGE_NAME_SIZE + 32)

/* Whether the first part of an image's name is the host of a registry, by Docker's rules. */
static bool begins_with_host(const char *name)
{
    size_t first = strcspn(name, "/");
    return name[first] == '/' && (memchr(name, '.', first) || memchr(name, ':', first) ||
                                  bytes_equal(bytes_of(name, first), bytes_of_string("localhost")));
}

/* The full name, as runtimes list it: with registry and tag. */
static void complete_name(const char *name, char *full, size_t size)
{
    const char *last = strrchr(name, '/');
    const char *host = begins_with_host(name) ? "" : last ? "docker.io/" : "docker.io/library/";
    const char *tag = strpbrk(last ? last : name, ":@") ? "" : ":latest";
    snprintf(full, size, "%s%s%s", host, name, tag);
}

/* Docker lists short names. */
static bool is_named(const char *listed, const char *full_name)
{
    char full[FULL_NAME_SIZE];
    complete_name(listed, full, sizeof full);
    return strcmp(full, full_name) == 0;
}

static bool has_name(const Model__Image *image, const char *name, const char *full_name)
{
    bool found = strcmp(image->id, name) == 0;
    for (size_t i = 0; !found && i < image->n_repo_tags; i++) {
        found = is_named(image->repo_tags[i], full_name);
    }
    for (size_t i = 0; !found && i < image->n_repo_digests; i++) {
        found = is_named(image->repo_digests[i], full_name);
    }
    return found;
}

/* A runtime that pins its sandbox image itself, or reports none, needs no further help. */
static bool is_needless(const struct composing *composing)
{
    return composing->memory->pins_sandbox_image || !dialect_has_field(composing->caller, "Image", "pinned");
}

static bool pin_in_answer(struct composing *composing, Model__Image *const *images, size_t count,
                          const ProtobufCMessage *response, struct error *error)
{
    struct compose_memory *memory = composing->memory;
    char full_name[FULL_NAME_SIZE];
    bool known;
    bool changed = false;
    if (!composing_status(composing, &known, error)) {
        return false;
    }
    if (!known) {
        return true;
    }
    if (!*memory->sandbox_image) {
        memory->pins_sandbox_image = true;
        return true;
    }
    complete_name(memory->sandbox_image, full_name, sizeof full_name);
    for (size_t i = 0; i < count; i++) {
        if (has_name(images[i], memory->sandbox_image, full_name)) {
            memory->pins_sandbox_image = images[i]->pinned;
            changed = changed || !images[i]->pinned;
            images[i]->pinned = true;
        }
    }
    return !changed || composing_answer(composing, response, error);
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
