#include "core/store/image_names.h"

#include <stdlib.h>
#include <string.h>

#define MOST 1024 /* far more than a node has images, each with some references */
#define LONGEST 1024

struct image_name {
    struct image_names_speaker speaker;
    uint8_t *bytes; /* the reference, and behind it the name; NULL: none */
    size_t reference_len;
    size_t name_len;
};

struct image_names {
    struct image_name names[MOST];
    size_t next;
};

struct image_names *image_names_new(void)
{
    return calloc(1, sizeof(struct image_names));
}

void image_names_free(struct image_names *names)
{
    for (size_t i = 0; names && i < MOST; i++) {
        free(names->names[i].bytes);
    }
    free(names);
}

/* Its place; MOST: none. */
static size_t place_of(const struct image_names *names, struct image_names_speaker speaker, struct bytes reference)
{
    size_t i = 0;
    while (i < MOST) {
        const struct image_name *name = &names->names[i];
        if (name->bytes && name->speaker.caller == speaker.caller && name->speaker.slot == speaker.slot &&
            bytes_equal(bytes_of(name->bytes, name->reference_len), reference)) {
            break;
        }
        i++;
    }
    return i;
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
    size_t place = place_of(names, speaker, reference);
    struct image_name *entry = &names->names[place < MOST ? place : names->next++ % MOST];
    free(entry->bytes);
    *entry = (struct image_name){.speaker = speaker, .bytes = bytes, .reference_len = reference.len, .name_len = name.len};
}

struct bytes image_names_find(const struct image_names *names, struct image_names_speaker speaker, struct bytes reference)
{
    size_t place = place_of(names, speaker, reference);
    const struct image_name *entry = place < MOST ? &names->names[place] : NULL;
    return entry ? bytes_of(entry->bytes + entry->reference_len, entry->name_len) : (struct bytes){0};
}
