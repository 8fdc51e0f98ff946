/* One id for one image: callers compare Image.id with image_ref of PullImage and with image_id of containers. Some runtimes
   answer with a repository digest there, which the runtime itself can resolve. */
#include <json-c/linkhash.h>
#include <stdlib.h>

#include "generated/functions.h"
#include "model/api.pb-c.h"
#include "translate/bytes/image_id.h"
#include "translate/compose/compose.h"
#include "translate/lists/item.h"

/* More digests than a node has images. */
#define MOST_IDS 4096

/* A repository, with its registry, has up to 255 characters, and the rest less than a hundred. */
#define LONGEST_DIGEST 512

/* After this time, a digest that no image has is looked up again. */
#define LIST_AGAIN_MS 60000

/* After this time, lists whose references were all ids are checked again: CRI-O names an image by its digest if it has one, and
   by its id if it was built on the node. */
#define LOOK_AGAIN_MS 60000

static bool is_id(const char *reference)
{
    return image_id_is_digest(bytes_of_string(reference));
}

/* cri-dockerd writes a scheme in front. */
static const char *without_scheme(const char *reference)
{
    static const char scheme[] = "docker-pullable://";
    return strncmp(reference, scheme, sizeof scheme - 1) == 0 ? reference + sizeof scheme - 1 : reference;
}

static void free_entry(struct lh_entry *entry)
{
    free(lh_entry_k(entry));
    free((void *)(uintptr_t)lh_entry_v(entry));
}

static const char *known_id(const struct compose_memory *memory, const char *digest)
{
    void *id = NULL;
    return memory->image_ids && lh_table_lookup_ex(memory->image_ids, digest, &id) ? id : NULL;
}

/* Only references that never change their content. Without memory, crigate asks again. */
static void learn_id(struct compose_memory *memory, const char *digest, const char *id)
{
    if (!strstr(digest, "@sha256:") || strlen(digest) > LONGEST_DIGEST || !is_id(id) || known_id(memory, digest)) {
        return;
    }
    if (memory->image_ids && lh_table_length(memory->image_ids) >= MOST_IDS) {
        lh_table_free(memory->image_ids);
        memory->image_ids = NULL;
    }
    if (!memory->image_ids) {
        memory->image_ids = lh_kchar_table_new(16, free_entry);
    }
    char *key = strdup(digest);
    char *value = strdup(id);
    if (!memory->image_ids || !key || !value || lh_table_insert(memory->image_ids, key, value) != 0) {
        free(key);
        free(value);
    }
}

static bool ask_for_image(struct composing *composing, char *reference, struct error *error)
{
    Model__ImageSpec image = MODEL__IMAGE_SPEC__INIT;
    Model__ImageStatusRequest request = MODEL__IMAGE_STATUS_REQUEST__INIT;
    image.image = reference;
    request.image = &image;
    return composing_ask(composing, "ImageStatus", &request.base, error);
}

/* The id in the answer to that; NULL if the runtime does not have the image, or names it in another way. */
static bool answered_id(struct composing *composing, const char *reference, char **id, struct error *error)
{
    Model__ImageStatusResponse *response =
        composing_decode(composing, &model__image_status_response__descriptor, composing->answers[0], error);
    if (!response) {
        return false;
    }
    *id = response->image && is_id(response->image->id) ? response->image->id : NULL;
    if (*id) {
        learn_id(composing->memory, reference, *id);
    }
    return true;
}

/* PullImageResponse.image_ref. */
bool compose_image_ref(struct composing *composing, struct error *error)
{
    Model__PullImageResponse *response = composing_received(composing, &model__pull_image_response__descriptor, error);
    if (!response) {
        return false;
    }
    char *id;
    if (is_id(response->image_ref) || !*response->image_ref) {
        return true;
    }
    if (composing->asked == 0) {
        return ask_for_image(composing, response->image_ref, error);
    }
    if (!answered_id(composing, response->image_ref, &id, error)) {
        return false;
    }
    if (id) {
        response->image_ref = id;
        return composing_answer(composing, &response->base, error);
    }
    return true;
}

/* ContainerStatus.image_id. */
bool compose_image_id(struct composing *composing, struct error *error)
{
    struct compose_memory *memory = composing->memory;
    if (memory->tells_image_ids || !dialect_has_field(composing->caller, "ContainerStatus", "image_id")) {
        return true;
    }
    Model__ContainerStatusResponse *response =
        composing_received(composing, &model__container_status_response__descriptor, error);
    if (!response || !response->status) {
        return response != NULL;
    }
    Model__ContainerStatus *status = response->status;
    if (*status->image_id) {
        memory->tells_image_ids = dialect_has_field(composing->runtime, "ContainerStatus", "image_id");
        return true;
    }
    char *reference = (char *)(uintptr_t)without_scheme(status->image_ref);
    if (!*reference) {
        return true;
    }
    char *id = is_id(reference) ? reference : (char *)(uintptr_t)known_id(memory, reference);
    if (!id && composing->asked == 0) {
        return ask_for_image(composing, reference, error);
    }
    if (!id && !answered_id(composing, reference, &id, error)) {
        return false;
    }
    if (id) {
        status->image_id = id;
        return composing_answer(composing, &response->base, error);
    }
    return true;
}

/* ---- lists of containers ---- */

static const char *id_of_container(const struct compose_memory *memory, const Model__Container *container)
{
    const char *reference = without_scheme(container->image_ref);
    if (*container->image_id) {
        return container->image_id;
    }
    return is_id(reference) ? reference : known_id(memory, reference);
}

static bool learn_listed(struct composing *composing, struct error *error)
{
    struct compose_memory *memory = composing->memory;
    const Model__ListImagesResponse *images =
        composing_decode(composing, &model__list_images_response__descriptor, composing->answers[0], error);
    for (size_t i = 0; images && i < images->n_images; i++) {
        const Model__Image *image = images->images[i];
        for (size_t j = 0; j < image->n_repo_digests; j++) {
            learn_id(memory, image->repo_digests[j], image->id);
        }
    }
    memory->images_listed_at = composing->now;
    return images != NULL;
}

/* Containers that have a reference and no id, and can be resolved. */
static bool any_to_resolve(const struct compose_memory *memory, const Model__ListContainersResponse *response)
{
    for (size_t i = 0; i < response->n_containers; i++) {
        const Model__Container *container = response->containers[i];
        if (!id_of_container(memory, container) && strstr(container->image_ref, "@sha256:")) {
            return true;
        }
    }
    return false;
}

/* Whether the runtime reports, in one field or the other, the image id of each container in its list. `by_field`: all in the
   field that is meant for it. Read from the bytes: most runtimes report it, and decoding a long list takes several times its
   memory. */
static bool tells_all(const struct composing *composing, bool *by_field)
{
    const struct schema_message *container = schema_message_by_name(composing->runtime, "Container");
    const uint32_t id_number = schema_number_by_name(container, "image_id");
    const uint32_t reference_number = schema_number_by_name(container, "image_ref");
    struct list_items items = list_items_of(ID_CONTAINER, composing->runtime, composing->received);
    struct list_item item;
    bool any = false;
    *by_field = true;
    while (list_items_next(&items, &item)) {
        struct bytes id = {0}, reference;
        if ((id_number != 0 && !wire_find_payload(item.message, id_number, &id)) ||
            !wire_find_payload(item.message, reference_number, &reference) || (id.len == 0 && !image_id_is_digest(reference))) {
            return false;
        }
        *by_field = *by_field && id.len > 0;
        any = true;
    }
    return any && !items.malformed;
}

static bool fill_ids(struct composing *composing, const Model__ListContainersResponse *response, struct error *error)
{
    bool changed = false;
    for (size_t i = 0; i < response->n_containers; i++) {
        Model__Container *container = response->containers[i];
        const char *id = id_of_container(composing->memory, container);
        if (!*container->image_id && id) {
            container->image_id = (char *)(uintptr_t)id;
            changed = true;
        }
    }
    return !changed || composing_answer(composing, &response->base, error);
}

/* Container.image_id. Callers that do not know this field get the id as image_ref, which they compare with Image.id. */
bool compose_image_ids(struct composing *composing, struct error *error)
{
    struct compose_memory *memory = composing->memory;
    if (memory->lists_image_ids || composing->now < memory->lists_references_until) {
        return true;
    }
    bool by_field;
    if (!composing_receive(composing, error)) {
        return false;
    }
    if (tells_all(composing, &by_field)) {
        memory->lists_image_ids = by_field;
        memory->lists_references_until = composing->now + LOOK_AGAIN_MS;
        return true;
    }
    Model__ListContainersResponse *response = composing_received(composing, &model__list_containers_response__descriptor, error);
    if (!response) {
        return false;
    }
    bool listed_lately = memory->images_listed_at != 0 && composing->now - memory->images_listed_at < LIST_AGAIN_MS;
    if (composing->asked == 0 && !listed_lately && any_to_resolve(memory, response)) {
        return composing_ask(composing, "ListImages", NULL, error);
    }
    return (composing->asked == 0 || learn_listed(composing, error)) && fill_ids(composing, response, error);
}
