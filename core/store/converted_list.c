#include "core/store/converted_list.h"

bool converted_list_suits(const struct converted_list *converted, const struct converted_list_key *key)
{
    return converted->kept && converted->key.list == key->list && converted->key.edition == key->edition &&
           converted->key.generation == key->generation && converted->key.to == key->to;
}

void converted_list_keep(struct converted_list *converted, const struct converted_list_key *key, grpc_slice answer,
                         const struct report *report)
{
    converted_list_clear(converted);
    converted->kept = true;
    converted->key = *key;
    converted->answer = grpc_slice_ref(answer);
    converted->report = *report;
}

void converted_list_clear(struct converted_list *converted)
{
    if (converted->kept) {
        grpc_slice_unref(converted->answer);
        converted->kept = false;
    }
}

bool converted_list_examined(const struct converted_list *converted, const struct converted_list_key *key)
{
    return converted->examined_list == key->list && converted->examined_in == key->generation;
}

void converted_list_note_examined(struct converted_list *converted, const struct converted_list_key *key)
{
    converted->examined_list = key->list;
    converted->examined_in = key->generation;
}
