#include "core/store/image_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/system/keyed_hash.h"
#include "base/system/recent.h"

#define MOST 1024 /* far more than a node has images, each with some references */
#define LONGEST 1024

struct image_name {
    struct image_names_speaker speaker;
    uint8_t *bytes; /* the reference, and behind it the name; NULL: none */
    size_t reference_len;
    size_t name_len;
};

struct image_names {
    struct hash_key key;
    struct recent recent;
    struct image_name names[MOST];
};

struct image_names *image_names_new(void)
{
    struct image_names *names = calloc(1, sizeof *names);
    if (names && !recent_init(&names->recent, MOST)) {
        image_names_free(names);
        return NULL;
    }
    if (names) {
        names->key = hash_key_random();
    }
    return names;
}

void image_names_free(struct image_names *names)
{
    for (size_t i = 0; names && i < MOST; i++) {
        free(names->names[i].bytes);
    }
    if (names) {
        recent_clear(&names->recent);
    }
    free(names);
}

static bool is_it(const struct image_name *name, struct image_names_speaker speaker, struct bytes reference)
{
    return name->speaker.caller == speaker.caller && name->speaker.slot == speaker.slot &&
           bytes_equal(bytes_of(name->bytes, name->reference_len), reference);
}

/* Its place; RECENT_NONE: none. */
static size_t place_of(const struct image_names *names, struct image_names_speaker speaker, struct bytes reference, uint64_t hash)
{
    size_t place = recent_first(&names->recent, hash);
    while (place != RECENT_NONE && !is_it(&names->names[place], speaker, reference)) {
        place = recent_next(&names->recent, place);
    }
    return place;
}

void image_names_learn(struct image_names *names, struct image_names_speaker speaker, struct bytes reference, struct bytes name)
{
    bool fits = reference.len > 0 && reference.len <= LONGEST && name.len > 0 && name.len <= LONGEST;
    uint8_t *bytes = fits ? malloc(reference.len + name.len) : NULL;
    if (!bytes) {
        return;
    }
    memcpy(bytes, reference.data, reference.len);
    memcpy(bytes + reference.len, name.data, name.len);
    uint64_t hash = keyed_hash(&names->key, reference);
    size_t place = place_of(names, speaker, reference, hash);
    struct image_name *entry = &names->names[place == RECENT_NONE ? recent_add(&names->recent, hash) : place];
    free(entry->bytes);
    *entry = (struct image_name){.speaker = speaker, .bytes = bytes, .reference_len = reference.len, .name_len = name.len};
}

struct bytes image_names_find(const struct image_names *names, struct image_names_speaker speaker, struct bytes reference)
{
    size_t place = place_of(names, speaker, reference, keyed_hash(&names->key, reference));
    const struct image_name *entry = place == RECENT_NONE ? NULL : &names->names[place];
    return entry ? bytes_of(entry->bytes + entry->reference_len, entry->name_len) : (struct bytes){0};
}
