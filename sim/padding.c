#include "sim/padding.h"

#include <stdlib.h>
#include <string.h>

#include "sim/common/fields.h"
#include "sim/common/memory.h"

/* The bytes of a list's item besides its fields: a tag and a length. */
#define ITEM_OVERHEAD 3

static void put_filler(struct json_object *message, const char *key, bool bytes, size_t size)
{
    char *filler = sim_filler(size);
    if (bytes) {
        field_set_bytes(message, key, filler, size);
    } else {
        json_object_object_add(message, key, json_object_new_string_len(filler, (int)size));
    }
    free(filler);
}

static void repeat_first_item(struct json_object *items, size_t size, size_t wanted)
{
    size_t count = json_object_array_length(items);
    size_t each = size / count + ITEM_OVERHEAD;
    for (size_t filled = size; filled < wanted; filled += each) {
        json_object_array_add(items, json_object_get(json_object_array_get_idx(items, 0)));
    }
}

void response_pad(const struct schema_message *message, struct json_object *response, size_t size, size_t wanted)
{
    if (size >= wanted) {
        return;
    }
    const struct schema_field *text = NULL;
    for (size_t i = 0; i < message->field_count; i++) {
        const struct schema_field *field = &message->fields[i];
        struct json_object *value = field_child(response, field->json_name);
        if (field->map && strcmp(field->name, "info") == 0) {
            put_filler(value ? value : field_new_object(response, field->json_name), "padding", false, wanted - size);
            return;
        }
        if (field->repeated && !field->map && value && json_object_array_length(value) > 0) {
            repeat_first_item(value, size, wanted);
            return;
        }
        if (!text && !field->repeated && (field->type == FIELD_STRING || field->type == FIELD_BYTES)) {
            text = field;
        }
    }
    if (text) {
        put_filler(response, text->json_name, text->type == FIELD_BYTES, wanted - size);
    }
}
