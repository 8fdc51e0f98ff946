#include "translate/schema/schema.h"

#include <stdlib.h>
#include <string.h>

#include "translate/schema/message_index.h"

bool dialect_from_name(struct bytes name, enum dialect *dialect)
{
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        if (bytes_equal(bytes_of_string(dialects[i].name), name)) {
            *dialect = (enum dialect)i;
            return true;
        }
    }
    return false;
}

static int compare_name(const void *name, const void *element)
{
    const struct schema_message *const *message = element;
    return strcmp(name, (*message)->name);
}

const struct schema_message *schema_message_by_name(enum dialect dialect, const char *name)
{
    const struct message_index *index = &message_indexes[dialect];
    const struct schema_message *const *found =
        bsearch(name, index->messages, index->count, sizeof(*index->messages), compare_name);
    return found == NULL ? NULL : *found;
}

const struct schema_field *schema_field_by_name(const struct schema_message *message, const char *name)
{
    for (uint16_t i = 0; message && i < message->field_count; i++) {
        if (strcmp(message->fields[i].name, name) == 0) {
            return &message->fields[i];
        }
    }
    return NULL;
}

uint32_t schema_number_by_name(const struct schema_message *message, const char *name)
{
    const struct schema_field *field = schema_field_by_name(message, name);
    return field ? field->number : 0;
}

bool dialect_has_field(enum dialect dialect, const char *message, const char *field)
{
    return schema_field_by_name(schema_message_by_name(dialect, message), field) != NULL;
}
