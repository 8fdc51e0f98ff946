/* A digest that distinguishes lists regardless of the order of their items and of the entries of their maps (labels,
 * annotations): the order has no meaning, and runtimes written in Go, such as containerd, use a different one each time. Without
 * the secret, no one can construct two lists with the same digest; by chance, it happens once in 2^64 comparisons. Only if an id,
 * or a key of a map, occurs twice, the order of the two is not distinguished; no encoder writes that. */
#pragma once

#include "translate/bytes/pieces.h"
#include "translate/schema/id_kind.h"
#include "translate/schema/schema.h"

#define LIST_SECRET_SIZE 192

struct list_secret {
    uint8_t bytes[LIST_SECRET_SIZE];
};

/* From the kernel's random numbers. */
void list_secret_random(struct list_secret *secret);

/* How lists of a kind are digested. */
struct list_digester {
    const struct list_secret *secret; /* must outlive it */
    uint32_t items;                   /* number of the field that holds them */
    uint64_t maps;                    /* the fields of an item that are maps, as bits of their numbers */
};

struct list_digester list_digester_of(const struct list_secret *secret, enum id_kind kind, enum dialect dialect);

/* All zeros is that of an empty list. */
struct list_digest {
    uint64_t sum;
    size_t length; /* of the list */
};

/* Adds some items: fields of a list response. Bytes that are none count as they are. */
void list_digest_add(struct list_digest *digest, const struct list_digester *digester, struct bytes items);

/* The same for all pieces of a list that is cut between its items. */
void list_digest_add_pieces(struct list_digest *digest, const struct list_digester *digester, struct pieces pieces);

static inline bool list_digest_equal(const struct list_digest *a, const struct list_digest *b)
{
    return a->sum == b->sum && a->length == b->length;
}

/* The digest of an id and a number. */
uint64_t list_digest_of(const struct list_secret *secret, struct bytes id, uint64_t number);
