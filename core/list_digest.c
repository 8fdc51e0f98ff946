#include "core/list_digest.h"

#include <xxhash.h>

#include "core/keyed_hash.h"
#include "translate/wire.h"

_Static_assert(LIST_SECRET_SIZE >= XXH3_SECRET_SIZE_MIN, "xxHash wants a longer secret");

void list_secret_random(struct list_secret *secret)
{
    for (size_t at = 0; at < sizeof secret->bytes; at += sizeof(struct hash_key)) {
        const struct hash_key random = hash_key_random();
        memcpy(secret->bytes + at, &random, sizeof random);
    }
}

static void add(struct list_digest *digest, const struct list_secret *secret, const uint8_t *from, const uint8_t *to)
{
    XXH128_hash_t hash = XXH3_128bits_withSecret(from, (size_t)(to - from), secret->bytes, sizeof secret->bytes);
    digest->halves[0] += hash.low64;
    digest->halves[1] += hash.high64;
}

void list_digest_add(struct list_digest *digest, const struct list_secret *secret, struct bytes message)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    digest->length += message.len;
    for (const uint8_t *at = reader.at; at < reader.end; at = reader.at) {
        if (!wire_read_field(&reader, &field)) {
            reader.at = reader.end;
        }
        add(digest, secret, at, reader.at);
    }
}

void list_digest_add_pieces(struct list_digest *digest, const struct list_secret *secret, struct pieces pieces)
{
    for (size_t i = 0; i < pieces.count; i++) {
        list_digest_add(digest, secret, pieces.each[i]);
    }
}

uint64_t list_digest_of(const struct list_secret *secret, struct bytes id, uint64_t number)
{
    const uint64_t word = XXH3_64bits_withSecret(id.data, id.len, secret->bytes, sizeof secret->bytes) + number;
    return XXH3_64bits_withSecret(&word, sizeof word, secret->bytes, sizeof secret->bytes);
}
