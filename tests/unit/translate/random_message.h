/* Random messages of the schema tables: the same for the same seed, on every machine. */
#pragma once

#include "base/bytes/arena.h"
#include "translate/schema/schema.h"

struct random {
    uint64_t state;
};

static inline struct random random_from(uint64_t seed)
{
    return (struct random){.state = seed};
}

uint64_t random_next(struct random *random);

/* 0 to bound - 1; bound must not be 0. */
uint32_t random_below(struct random *random, uint32_t bound);

/* What no dialect knows has this number, or a higher one. */
#define UNKNOWN_NUMBERS_FROM 600

/* What messages look like. */
struct random_shape {
    unsigned density;  /* of 100 fields, this many are there; of sub-messages 40 more */
    unsigned elements; /* at most, in all of the message; strings are short */
    bool unknown;      /* with fields that no dialect knows, at every depth */
};

/* An encoded message in which every field may occur: lists packed, unpacked and both, maps, sub-messages, values of enums that
   have no name, scalars said twice, fields in any order; all strings are UTF-8. Nothing in it is what the gate refuses. NULL
   data: no memory. */
struct bytes random_message(struct random *random, const struct schema_message *message, const struct random_shape *shape,
                            struct arena *arena);

/* A copy with one to four small mistakes: a bit flipped, bytes taken out, put in or doubled, the end cut off. */
struct bytes random_damage(struct random *random, struct bytes bytes, struct arena *arena);
