/* SipHash-2-4: a hash whose values only who knows the key can predict. For tables of names that others choose; with a key that is
 * known, a checksum. */
#pragma once

#include "base/bytes/bytes.h"

struct hash_key {
    uint64_t halves[2];
};

/* A key from the kernel's random numbers. */
struct hash_key hash_key_random(void);

uint64_t keyed_hash(const struct hash_key *key, struct bytes bytes);
