#include "translate/koordinator/pairs.h"

#include <stdlib.h>

#include "translate/bytes/wire.h"
#include "translate/hooks/text.h"

enum { PAIR_KEY = 1, PAIR_VALUE = 2 };

struct pair {
    struct bytes key;
    struct bytes value;
    size_t at; /* its place among the pairs of the message */
};

static bool malformed(struct error *error)
{
    return error_set(error, STATUS_INTERNAL, "a map is malformed");
}

static bool count_pairs(struct bytes message, uint32_t number, size_t *count)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    *count = 0;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field) || (field.number == number && field.type != WIRE_LENGTH)) {
            return false;
        }
        *count += field.number == number;
    }
    return true;
}

/* The last key and value count. */
static bool read_pair(struct bytes entry, struct pair *pair)
{
    struct wire_reader reader = wire_reader_of(entry);
    struct wire_field field;
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

/* As many as were counted. */
static bool read_pairs(struct bytes message, uint32_t number, struct pair *pairs)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    size_t count = 0;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        if (field.number != number) {
            continue;
        }
        struct pair *pair = &pairs[count];
        pair->at = count++;
        if (!read_pair(field.payload, pair)) {
            return false;
        }
    }
    return true;
}

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    int order = bytes_compare(a->key, b->key);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

/* Kubelets often send them sorted. */
static void sort_pairs(struct pair *pairs, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (compare_pairs(&pairs[i - 1], &pairs[i]) > 0) {
            qsort(pairs, count, sizeof *pairs, compare_pairs);
            return;
        }
    }
}

static bool put_pair(struct walk_output *output, uint32_t number, const struct pair *pair)
{
    size_t expected = pair->key.len + pair->value.len;
    size_t opened = walk_output_open(output, number, expected);
    return opened != SIZE_MAX && walk_output_put_field(output, PAIR_KEY, pair->key) &&
           walk_output_put_field(output, PAIR_VALUE, pair->value) && walk_output_close(output, opened, expected);
}

bool pairs_move(struct bytes message, uint32_t from, uint32_t to, struct walk_output *output, struct error *error)
{
    size_t count;
    if (!count_pairs(message, from, &count)) {
        return malformed(error);
    }
    if (count == 0) {
        return true;
    }
    struct pair *pairs = arena_zalloc(output->arena, count * sizeof *pairs);
    if (!pairs) {
        return error_no_memory(error);
    }
    if (!read_pairs(message, from, pairs)) {
        return malformed(error);
    }
    sort_pairs(pairs, count);
    for (size_t i = 0; i < count; i++) {
        bool last = i + 1 == count || !bytes_equal(pairs[i].key, pairs[i + 1].key);
        bool sent = last && hook_text_can_be_sent(pairs[i].key) && hook_text_can_be_sent(pairs[i].value);
        if (sent && !put_pair(output, to, &pairs[i])) {
            return error_no_memory(error);
        }
    }
    return true;
}
