#include "core/memory/learn.h"

#include <json-c/json.h>
#include <string.h>

#include "core/transport/c_core.h"
#include "translate/image_id.h"
#include "translate/json.h"
#include "translate/peek.h"

/* ---- images that are told ---- */

#define MOST_NAMES 16

static size_t add_names(struct json_object *image, const char *key, struct bytes *names, size_t count)
{
    struct json_object *value;
    if (!json_object_object_get_ex(image, key, &value)) {
        return count;
    }
    if (json_object_is_type(value, json_type_string) && count < MOST_NAMES) {
        names[count++] = bytes_of_string(json_object_get_string(value));
    }
    for (size_t i = 0; json_object_is_type(value, json_type_array) && i < json_object_array_length(value) && count < MOST_NAMES;
         i++) {
        names[count++] = bytes_of_string(json_object_get_string(json_object_array_get_idx(value, i)));
    }
    return count;
}

/* By which names a container may ask for the image that the primary just told of. */
void learn_image(const struct upstream_call *upstream, struct bytes received)
{
    const struct call *call = upstream->call;
    const struct generation *generation = call->request.generation;
    if (generation->map->runtime_count == 1 || upstream->position != generation->map->primary) {
        return;
    }
    struct error error;
    struct json_object *image;
    struct bytes names[MOST_NAMES];
    struct json_object *answer = json_from_message(call->request.method->in[dialects[upstream->runtime->dialect].caller].response,
                                                   received, JSON_EXACT, &error);
    if (answer && json_object_object_get_ex(answer, "image", &image)) {
        size_t count = add_names(image, "id", names, 0);
        count = add_names(image, "repoDigests", names, count);
        count = add_names(image, "repoTags", names, count);
        struct bytes asked = peek_bytes(call->request.method, call->request.caller, PEEK_IMAGE, call->request.bytes);
        pod_places_image_answered(call->gateway->knowledge.places, asked, names, count);
    }
    json_object_put(answer);
}

/* ---- images that are named by an id afterwards ---- */

static struct image_names_speaker speaker_of(const struct upstream_call *upstream)
{
    return (struct image_names_speaker){.caller = upstream->call->request.caller, .slot = upstream->runtime->slot};
}

void learn_named_image(const struct upstream_call *upstream)
{
    const struct call *call = upstream->call;
    struct bytes asked = peek_bytes(call->request.method, upstream->runtime->dialect, PEEK_IMAGE, upstream->request);
    if (!convert_needs_image_name(call->request.caller, upstream->runtime->dialect) || image_id_is_digest(asked)) {
        return;
    }
    struct error error;
    struct json_object *image;
    struct bytes references[MOST_NAMES];
    size_t count = 0;
    struct json_object *answer =
        json_from_message(call->request.method->in[call->request.caller].response, upstream->response, JSON_EXACT, &error);
    if (answer) {
        count = add_names(answer, "imageRef", references, count);
    }
    if (answer && json_object_object_get_ex(answer, "image", &image)) {
        count = add_names(image, "id", references, count);
        count = add_names(image, "repoDigests", references, count);
    }
    for (size_t i = 0; i < count; i++) {
        image_names_learn(call->gateway->knowledge.image_names, speaker_of(upstream), references[i], asked);
    }
    json_object_put(answer);
}

struct bytes learn_image_name(const struct upstream_call *upstream)
{
    const struct call *call = upstream->call;
    if (call->request.method->remember != REMEMBER_CONTAINER_CREATED ||
        !convert_needs_image_name(call->request.caller, upstream->runtime->dialect)) {
        return (struct bytes){0};
    }
    struct bytes image = peek_bytes(call->request.method, call->request.caller, PEEK_IMAGE, call->request.bytes);
    return image_names_find(call->gateway->knowledge.image_names, speaker_of(upstream), image);
}

/* ---- images that are missed ---- */

static bool contains(struct bytes text, const char *word)
{
    return memmem(text.data, text.len, word, strlen(word)) != NULL;
}

/* "not found" of containerd, "no such image" of Docker, "image not known" of CRI-O, with codes from NOT_FOUND to UNKNOWN. */
static bool tells_of_missing_image(struct bytes details)
{
    return contains(details, "image") &&
           (contains(details, "not found") || contains(details, "No such image") || contains(details, "no such image") ||
            contains(details, "not known") || contains(details, "not present") || contains(details, "does not exist"));
}

void learn_failure(struct upstream_call *upstream)
{
    const struct call *call = upstream->call;
    if (call->request.method->remember == REMEMBER_CONTAINER_CREATED &&
        upstream->position != call->request.generation->map->primary &&
        tells_of_missing_image(transport_slice_bytes(&upstream->details))) {
        struct bytes image = peek_bytes(call->request.method, call->request.caller, PEEK_IMAGE, call->request.bytes);
        pod_places_image_missed(call->gateway->knowledge.places, image);
    }
}

bool learn_says_absent(const struct call *call)
{
    const struct generation *generation = call->request.generation;
    return call->request.method->remember == REMEMBER_IMAGE_STATUS && call->route.count == 1 &&
           generation->map->runtime_count > 1 && call->route.targets[0] == generation->map->primary &&
           pod_places_take_miss(call->gateway->knowledge.places,
                                peek_bytes(call->request.method, call->request.caller, PEEK_IMAGE, call->request.bytes));
}
