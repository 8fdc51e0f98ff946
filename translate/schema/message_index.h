/* Sorted indexes over the generated tables of messages, for schema.c alone. Generated. */
#pragma once

#include <stdint.h>

#include "generated/dialects.h"

struct schema_message;

/* The messages of a dialect, sorted by name. */
struct message_index {
    uint16_t count;
    const struct schema_message *const *messages;
};

extern const struct message_index message_indexes[DIALECT_COUNT];
