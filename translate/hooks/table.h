/* What plugins see and may change of each field of pods and containers: tables that codegen writes from hooks.yaml, for messages
   of the model's dialect. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "translate/walk/table.h"

/* The words of hooks.yaml, which explains them. Hidden fields are in no table. */
enum hook_word {
    HOOK_SHOWN,
    HOOK_INSIDE,
    HOOK_NUMBER,
    HOOK_PARENT,
    HOOK_CPUSET,
    HOOK_ENTRIES,
    HOOK_FILES,
    HOOK_ENVIRONMENT,
};

/* What is let through as a HOOK_NUMBER. */
struct hook_range {
    int64_t least;
    int64_t most;
    int64_t also;   /* one outside; 0: none */
    int64_t clears; /* one that means the field's absence; 0: none */
    bool clamps;    /* a number above 0 that is outside becomes the nearest inside */
};

struct hook_field {
    const char *name;
    uint16_t number;
    uint8_t wire_type; /* enum wire_type */
    uint8_t word;      /* enum hook_word */
    bool repeated;
    bool text;                          /* a string: without NUL, and plugins can be sent only UTF-8 */
    const char *keep;                   /* HOOK_ENTRIES: the beginning of keys that cannot be changed; NULL: none */
    struct hook_range range;            /* HOOK_NUMBER */
    const struct hook_message *message; /* of a message field. Of HOOK_ENTRIES, HOOK_FILES and HOOK_ENVIRONMENT, the entry */
};

/* The fields of a message that are not hidden, by ascending number. Of an entry of a map, or a variable of the environment: the
   key and the value, in this order. */
struct hook_message {
    const char *name;
    uint8_t field_count;
    const struct hook_field *fields;
};

#define HOOK_FIELDS_MAX 16 /* of one message */

/* The configurations, by enum model_kind. */
extern const struct hook_message *const hook_messages[MODEL_KIND_COUNT];

/* Fields that the code needs by themselves. */
enum hook_place {
    HOOK_POD_LABELS,
    HOOK_POD_LINUX,
    HOOK_POD_CGROUP_PARENT,
    HOOK_CONTAINER_ENVS,
    HOOK_CONTAINER_LINUX,
    HOOK_CONTAINER_RESOURCES,
    HOOK_PLACE_COUNT,
};

extern const struct hook_field *const hook_places[HOOK_PLACE_COUNT];

/* The field of that number; NULL if it is hidden or unknown. */
static inline const struct hook_field *hook_field_by_number(const struct hook_message *message, uint32_t number)
{
    for (uint8_t i = 0; i < message->field_count; i++) {
        if (message->fields[i].number == number) {
            return &message->fields[i];
        }
    }
    return NULL;
}
