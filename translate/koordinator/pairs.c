#include "translate/koordinator/pairs.h"

#include <stdlib.h>

#include "translate/bytes/wire.h"
#include "translate/hooks/text.h"
#include "translate/hooks/usual_entry.h"

enum { PAIR_KEY = 1, PAIR_VALUE = 2 };

/* So many need no memory of the arena, and are sorted where they are. */
#define FEW 64

/* Of one message. Their order in memory is that of the message. */
struct pairs {
    struct pair *each;
    size_t count;
    size_t room;
};

static bool malformed(struct error *error)
{
    return error_set(error, STATUS_INTERNAL, "a map is malformed");
}

/* The last key and value count. */
bool pair_read(struct bytes entry, struct pair *pair)
{
    if (usual_entry_read(entry, &pair->key, &pair->value)) {
        pair->entry = entry;
        return true;
    }
    struct wire_reader reader = wire_reader_of(entry);
    struct wire_field field;
    *pair = (struct pair){0};
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field) || (field.number <= PAIR_VALUE && field.type != WIRE_LENGTH)) {
            return false;
        }
        if (field.number == PAIR_KEY) {
            pair->key = field.payload;
        } else if (field.number == PAIR_VALUE) {
            pair->value = field.payload;
        }
    }
    return true;
}

/* As many as there is room for; the others are counted. */
static bool read_pairs(struct bytes message, uint32_t number, struct pairs *pairs)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    pairs->count = 0;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field) || (field.number == number && field.type != WIRE_LENGTH)) {
            return false;
        }
        if (field.number != number) {
            continue;
        }
        if (pairs->count < pairs->room && !pair_read(field.payload, &pairs->each[pairs->count])) {
            return false;
        }
        pairs->count++;
    }
    return true;
}

/* By key, and those of one key in the order of the message. */
static int compare_pairs(const struct pair *a, const struct pair *b)
{
    int order = bytes_compare(a->key, b->key);
    return order != 0 ? order : (a > b) - (a < b);
}

static int compare(const void *left, const void *right)
{
    return compare_pairs(*(const struct pair *const *)left, *(const struct pair *const *)right);
}

static void sort(const struct pair **order, size_t count)
{
    if (count > FEW) {
        qsort(order, count, sizeof(const struct pair *), compare);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const struct pair *pair = order[i];
        size_t at = i;
        for (; at > 0 && compare_pairs(order[at - 1], pair) > 0; at--) {
            order[at] = order[at - 1];
        }
        order[at] = pair;
    }
}

static bool put_pair(struct walk_output *output, uint32_t number, const struct pair *pair)
{
    if (pair->entry.data) {
        return walk_output_put_field(output, number, pair->entry);
    }
    size_t expected = pair->key.len + pair->value.len;
    size_t opened = walk_output_open(output, number, expected);
    return opened != SIZE_MAX && walk_output_put_field(output, PAIR_KEY, pair->key) &&
           walk_output_put_field(output, PAIR_VALUE, pair->value) && walk_output_close(output, opened, expected);
}

/* Between the key and the value of a usual entry there is a tag and a length, which are not odd bytes either unless the value is
   empty or long. */
static bool can_be_sent(const struct pair *pair)
{
    return (pair->entry.data && hook_text_is_plain(bytes_after(pair->entry, (size_t)(pair->key.data - pair->entry.data)))) ||
           (hook_text_can_be_sent(pair->key) && hook_text_can_be_sent(pair->value));
}

bool pairs_put(struct walk_output *output, uint32_t number, const struct pair **order, size_t count, struct error *error)
{
    sort(order, count);
    for (size_t i = 0; i < count; i++) {
        bool last = i + 1 == count || !bytes_equal(order[i]->key, order[i + 1]->key);
        if (last && can_be_sent(order[i]) && !put_pair(output, number, order[i])) {
            return error_no_memory(error);
        }
    }
    return true;
}

static bool move_many(struct bytes message, uint32_t from, uint32_t to, size_t count, struct walk_output *output,
                      struct error *error)
{
    struct pairs pairs = {.each = arena_alloc(output->arena, count * sizeof *pairs.each), .room = count};
    const struct pair **order = arena_alloc(output->arena, count * sizeof(const struct pair *));
    if (!pairs.each || !order) {
        return error_no_memory(error);
    }
    if (!read_pairs(message, from, &pairs)) {
        return malformed(error);
    }
    for (size_t i = 0; i < count; i++) {
        order[i] = &pairs.each[i];
    }
    return pairs_put(output, to, order, count, error);
}

bool pairs_move(struct bytes message, uint32_t from, uint32_t to, struct walk_output *output, struct error *error)
{
    struct pair few[FEW];
    const struct pair *order[FEW];
    struct pairs pairs = {.each = few, .room = FEW};
    if (!read_pairs(message, from, &pairs)) {
        return malformed(error);
    }
    if (pairs.count > FEW) {
        return move_many(message, from, to, pairs.count, output, error);
    }
    for (size_t i = 0; i < pairs.count; i++) {
        order[i] = &few[i];
    }
    return pairs_put(output, to, order, pairs.count, error);
}
