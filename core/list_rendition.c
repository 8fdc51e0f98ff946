#include "core/list_rendition.h"

/* A list of some ten thousand containers. */
#define LONGEST_ANSWER ((size_t)8 * 1024 * 1024)

bool list_rendition_suits(const struct list_rendition *rendition, const struct list_rendition_key *key)
{
    return rendition->kept && rendition->key.list == key->list && rendition->key.generation == key->generation &&
           rendition->key.to == key->to;
}

void list_rendition_keep(struct list_rendition *rendition, const struct list_rendition_key *key, const grpc_slice *parts,
                         size_t part_count, const struct report *report)
{
    size_t len = 0;
    for (size_t i = 0; i < part_count; i++) {
        len += GRPC_SLICE_LENGTH(parts[i]);
    }
    list_rendition_clear(rendition);
    if (len > LONGEST_ANSWER) {
        return;
    }
    *rendition = (struct list_rendition){.kept = true, .key = *key, .answer = grpc_slice_malloc(len), .report = *report};
    uint8_t *at = GRPC_SLICE_START_PTR(rendition->answer);
    for (size_t i = 0; i < part_count; i++) {
        memcpy(at, GRPC_SLICE_START_PTR(parts[i]), GRPC_SLICE_LENGTH(parts[i]));
        at += GRPC_SLICE_LENGTH(parts[i]);
    }
}

void list_rendition_clear(struct list_rendition *rendition)
{
    if (rendition->kept) {
        grpc_slice_unref(rendition->answer);
        rendition->kept = false;
    }
}
