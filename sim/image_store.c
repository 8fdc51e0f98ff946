#include "sim/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/fields.h"
#include "sim/common/memory.h"
#include "sim/ids.h"
#include "sim/image_name.h"
#include "sim/list.h"

#define DIGEST_PREFIX "sha256:"

static bool has_name(struct json_object *names, const char *name)
{
    for (size_t i = 0; i < json_object_array_length(names); i++) {
        if (strcmp(json_object_get_string(json_object_array_get_idx(names, i)), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Finds an image by its id, complete or truncated, with or without the name of the hash. */
static struct image *image_by_id(const struct simulation *simulation, const char *id)
{
    const char *digits = strncmp(id, DIGEST_PREFIX, strlen(DIGEST_PREFIX)) == 0 ? id + strlen(DIGEST_PREFIX) : id;
    size_t length = strlen(digits);
    struct image *found = NULL;
    for (size_t i = 0; length > 0 && i < simulation->images.count; i++) {
        struct image *image = simulation->images.items[i];
        if (strncmp(image->id + strlen(DIGEST_PREFIX), digits, length) == 0) {
            if (found) {
                return NULL; /* ambiguous */
            }
            found = image;
        }
    }
    return found;
}

struct image *simulation_image(const struct simulation *simulation, const char *reference)
{
    struct image_name name;
    if (image_name_parse(reference, &name)) {
        for (size_t i = 0; i < simulation->images.count; i++) {
            struct image *image = simulation->images.items[i];
            if (has_name(image->tags, name.full) || has_name(image->digests, name.full)) {
                return image;
            }
        }
    }
    return image_by_id(simulation, reference);
}

static struct json_object *names_of(const char *name)
{
    struct json_object *names = json_object_new_array();
    if (name) {
        json_object_array_add(names, json_object_new_string(name));
    }
    return names;
}

struct image *simulation_pull_image(struct simulation *simulation, struct json_object *spec, struct error *error)
{
    const char *reference = field_text(spec, "image");
    struct image_name name;
    if (!image_name_parse(reference, &name)) {
        error_set(error, STATUS_UNKNOWN, "failed to parse image reference \"%s\": invalid reference format", reference);
        return NULL;
    }
    struct image *image = simulation_image(simulation, name.full);
    if (image) {
        return image;
    }
    image = sim_zeroed(1, sizeof *image);
    char digits[ID_SIZE];
    id_of_text(name.full, digits);
    snprintf(image->id, sizeof image->id, DIGEST_PREFIX "%s", digits);
    image->size = 700000 + hash_of_bytes(digits, sizeof digits, 0) % 200000000;
    image->spec = json_object_get(spec);
    image->tags = names_of(name.by_digest ? NULL : name.full);
    /* The digest of the manifest differs from that of the configuration, which is the id. */
    char digest[IMAGE_NAME_SIZE + sizeof DIGEST_PREFIX + ID_SIZE];
    char manifest[ID_SIZE];
    id_of_text(digits, manifest);
    snprintf(digest, sizeof digest, "%s@" DIGEST_PREFIX "%s", name.repository, manifest);
    image->digests = names_of(name.by_digest ? name.full : digest);
    list_add(&simulation->images, image);
    simulation->generation++;
    return image;
}

void simulation_remove_image(struct simulation *simulation, struct image *image)
{
    list_remove(&simulation->images, image);
    simulation->generation++;
    json_object_put(image->tags);
    json_object_put(image->digests);
    json_object_put(image->spec);
    free(image);
}
