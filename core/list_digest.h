/* What tells one list from another whatever the order of its items, which is no part of what a list says: containerd tells the
   same containers in another order each time. Whoever does not know the secret cannot make two lists that have one digest, and by
   chance it happens once in 2^128 comparisons. */
#ifndef CRIGATE_CORE_LIST_DIGEST_H
#define CRIGATE_CORE_LIST_DIGEST_H

#include "translate/pieces.h"

#define LIST_SECRET_SIZE 192

struct list_secret {
    uint8_t bytes[LIST_SECRET_SIZE];
};

/* All zeros is that of an empty list. */
struct list_digest {
    uint64_t halves[2];
    size_t length; /* of the list */
};

/* From the kernel's random numbers. */
void list_secret_random(struct list_secret *secret);

/* Adds the fields at the highest level of a message; what is no field at all is added as it is. */
void list_digest_add(struct list_digest *digest, const struct list_secret *secret, struct bytes message);

/* The same for all pieces of a message that is cut between its fields. */
void list_digest_add_pieces(struct list_digest *digest, const struct list_secret *secret, struct pieces pieces);

/* A smaller digest, of an id and a number. */
uint64_t list_digest_of(const struct list_secret *secret, struct bytes id, uint64_t number);

static inline bool list_digest_equal(const struct list_digest *a, const struct list_digest *b)
{
    return a->halves[0] == b->halves[0] && a->halves[1] == b->halves[1] && a->length == b->length;
}

#endif
