#include "base/json/read.h"
#include "core/knowledge/learn.h"

#include <json-c/json.h>
#include <string.h>

#include "base/json/build.h"
#include "translate/bytes/image_id.h"
#include "translate/convert/convert.h"
#include "translate/json/json.h"
#include "translate/schema/peek.h"

/* ---- images that the primary has ---- */

#define MOST_NAMES 16

static size_t add_names(struct json_object *image, const char *key, struct bytes *names, size_t count)
{
    struct json_object *value = json_member(image, key);
    if (!value) {
        return count;
    }
    if (json_object_is_type(value, json_type_string) && count < MOST_NAMES) {
        names[count++] = bytes_of_string(json_object_get_string(value));
    }
    for (size_t i = 0; json_object_is_type(value, json_type_array) && i < json_count(value) && count < MOST_NAMES; i++) {
        names[count++] = bytes_of_string(json_object_get_string(json_object_array_get_idx(value, i)));
    }
    return count;
}

/* By which names a container may ask for the image that the primary has just reported. */
void learn_image(const struct observation *seen)
{
    const struct request *request = seen->request;
    const struct generation *generation = request->generation;
    if (generation->map->runtime_count == 1 || seen->position != generation->map->primary) {
        return;
    }
    struct error error;
    struct bytes names[MOST_NAMES];
    struct json_object *answer = json_from_message(request->method->in[runtime_answer_dialect(seen->runtime)].response,
                                                   seen->received, JSON_EXACT, &error);
    struct json_object *image = json_member(answer, "image");
    if (image) {
        size_t count = add_names(image, "id", names, 0);
        count = add_names(image, "repoDigests", names, count);
        count = add_names(image, "repoTags", names, count);
        struct bytes asked = peek_bytes(request->method, request->caller, PEEK_IMAGE, request->bytes);
        pod_places_image_answered(seen->knowledge->places, asked, names, count);
    }
    json_object_put(answer);
}

/* ---- images that are named by an id afterwards ---- */

static struct image_names_speaker speaker_of(const struct observation *seen)
{
    return (struct image_names_speaker){.caller = seen->request->caller, .slot = seen->runtime->slot};
}

bool learn_wants_image_name(const struct observation *seen)
{
    enum dialect caller = seen->request->caller;
    const struct runtime *creator = seen->request->generation->runtimes[seen->position]; /* not its image service */
    return convert_needs_image_name(caller, creator->dialect) ||
           (caller == creator->dialect && runtime_wants_requested_image(creator));
}

void learn_named_image(const struct observation *seen, struct bytes response)
{
    const struct request *request = seen->request;
    struct bytes asked = peek_bytes(request->method, seen->runtime->dialect, PEEK_IMAGE, seen->sent);
    if (!learn_wants_image_name(seen) || image_id_is_digest(asked)) {
        return;
    }
    struct error error;
    struct bytes references[MOST_NAMES];
    size_t count = 0;
    struct json_object *answer = json_from_message(request->method->in[request->caller].response, response, JSON_EXACT, &error);
    if (answer) {
        count = add_names(answer, "imageRef", references, count);
    }
    struct json_object *image = json_member(answer, "image");
    if (image) {
        count = add_names(image, "id", references, count);
        count = add_names(image, "repoDigests", references, count);
    }
    for (size_t i = 0; i < count; i++) {
        image_names_learn(seen->knowledge->image_names, speaker_of(seen), references[i], asked);
    }
    json_object_put(answer);
}

struct bytes learn_image_name(const struct observation *seen)
{
    const struct request *request = seen->request;
    if (request->method->remember != REMEMBER_CONTAINER_CREATED || !learn_wants_image_name(seen)) {
        return (struct bytes){0};
    }
    struct bytes image = peek_bytes(request->method, request->caller, PEEK_IMAGE, request->bytes);
    return image_names_find(seen->knowledge->image_names, speaker_of(seen), image);
}

/* ---- images that are missing ---- */

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

void learn_failure(const struct observation *seen, struct bytes details)
{
    const struct request *request = seen->request;
    if (request->method->remember == REMEMBER_CONTAINER_CREATED && seen->position != request->generation->map->primary &&
        tells_of_missing_image(details)) {
        struct bytes image = peek_bytes(request->method, request->caller, PEEK_IMAGE, request->bytes);
        pod_places_image_missed(seen->knowledge->places, image);
    }
}

bool learn_says_absent(const struct knowledge *knowledge, const struct request *request)
{
    return request->method->remember == REMEMBER_IMAGE_STATUS && request->generation->map->runtime_count > 1 &&
           pod_places_take_miss(knowledge->places, peek_bytes(request->method, request->caller, PEEK_IMAGE, request->bytes));
}
