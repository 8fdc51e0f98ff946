#include "core/store/converted_list.h"

bool list_rendition_suits(const struct list_rendition *rendition, const struct list_rendition_key *key)
{
    return rendition->kept && rendition->key.list == key->list && rendition->key.generation == key->generation &&
           rendition->key.to == key->to;
}

void list_rendition_keep(struct list_rendition *rendition, const struct list_rendition_key *key, grpc_slice answer,
                         const struct report *report)
{
    list_rendition_clear(rendition);
    rendition->kept = true;
    rendition->key = *key;
    rendition->answer = grpc_slice_ref(answer);
    rendition->report = *report;
}

void list_rendition_clear(struct list_rendition *rendition)
{
    if (rendition->kept) {
        grpc_slice_unref(rendition->answer);
        rendition->kept = false;
    }
}

bool list_rendition_examined(const struct list_rendition *rendition, const struct list_rendition_key *key)
{
    return rendition->examined_list == key->list && rendition->examined_in == key->generation;
}

void list_rendition_note_examined(struct list_rendition *rendition, const struct list_rendition_key *key)
{
    rendition->examined_list = key->list;
    rendition->examined_in = key->generation;
}
