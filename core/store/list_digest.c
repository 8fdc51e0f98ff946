#include "core/store/list_digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/system/keyed_hash.h"
#include "translate/bytes/wire.h"
#include "translate/lists/item.h"

#define MOST_NUMBERS 64 /* of fields; CRI's items have less than half of that */

_Static_assert(LIST_SECRET_SIZE >= XXH3_SECRET_SIZE_MIN, "xxHash wants a longer secret");

void list_secret_random(struct list_secret *secret)
{
    for (size_t at = 0; at < sizeof secret->bytes; at += sizeof(struct hash_key)) {
        const struct hash_key random = hash_key_random();
        memcpy(secret->bytes + at, &random, sizeof random);
    }
}

struct list_digester list_digester_of(const struct list_secret *secret, enum id_kind kind, enum dialect dialect)
{
    const struct schema_field *items = list_items_field(kind, dialect);
    struct list_digester digester = {.secret = secret, .items = items ? items->number : 0};
    for (uint16_t i = 0; items && i < items->message->field_count; i++) {
        const struct schema_field *field = &items->message->fields[i];
        if (field->map && field->number < MOST_NUMBERS) {
            digester.maps |= UINT64_C(1) << field->number;
        }
    }
    return digester;
}

static inline uint64_t hash(const struct list_digester *digester, const uint8_t *from, const uint8_t *to)
{
    return XXH3_64bits_withSecret(from, (size_t)(to - from), digester->secret->bytes, sizeof digester->secret->bytes);
}

static inline bool is_entry(const struct list_digester *digester, const struct wire_field *field)
{
    return field->number < MOST_NUMBERS && (digester->maps >> field->number & 1U) && field->type == WIRE_LENGTH;
}

/* What is not an entry of a map has an order. */
#define ORDERED(sum, hash) ((sum)*UINT64_C(0x9E3779B97F4A7C15) + (hash))

/* Entries of maps count one by one, what is between them as a whole. Both sums are hashed again, so that entries cannot change
   places between items. */
static uint64_t digest_of_item(const struct list_digester *digester, struct bytes item)
{
    struct wire_reader reader = wire_reader_of(item);
    struct wire_field field;
    const uint8_t *rest = reader.at;
    uint64_t sums[] = {0, 0};
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        if (is_entry(digester, &field)) {
            sums[0] += hash(digester, field.start, field.end);
            sums[1] = rest < field.start ? ORDERED(sums[1], hash(digester, rest, field.start)) : sums[1];
            rest = field.end;
        }
    }
    sums[1] = rest < reader.end ? ORDERED(sums[1], hash(digester, rest, reader.end)) : sums[1];
    return hash(digester, (const uint8_t *)sums, (const uint8_t *)(sums + 2));
}

void list_digest_add(struct list_digest *digest, const struct list_digester *digester, struct bytes items)
{
    struct wire_reader reader = wire_reader_of(items);
    struct wire_field field;
    digest->length += items.len;
    while (reader.at < reader.end) {
        const uint8_t *start = reader.at;
        if (!wire_read_field(&reader, &field)) {
            digest->sum += hash(digester, start, reader.end);
            return;
        }
        bool item = field.number == digester->items && field.type == WIRE_LENGTH;
        digest->sum += item ? digest_of_item(digester, field.payload) : hash(digester, field.start, field.end);
    }
}

void list_digest_add_pieces(struct list_digest *digest, const struct list_digester *digester, struct pieces pieces)
{
    for (size_t i = 0; i < pieces.count; i++) {
        list_digest_add(digest, digester, pieces.each[i]);
    }
}

uint64_t list_digest_of(const struct list_secret *secret, struct bytes id, uint64_t number)
{
    uint64_t word = XXH3_64bits_withSecret(id.data, id.len, secret->bytes, sizeof secret->bytes) + number;
    return XXH3_64bits_withSecret(&word, sizeof word, secret->bytes, sizeof secret->bytes);
}
