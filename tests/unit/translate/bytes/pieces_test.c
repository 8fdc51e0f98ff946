/* Messages in pieces: however a message is cut, its runs are whole fields, and together the message. */
#include <stdlib.h>

#include "tests/cmocka.h"
#include "tests/unit/fixture.h"
#include "tests/unit/translate/bytes/pieces_oracle.h"
#include "translate/bytes/wire.h"

#define BYTES(...) bytes_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define CAP ((size_t)64 * 1024)
#define MOST_PIECES 64

/* A field of each wire type: a varint, eight bytes, a string, an empty one, four bytes, and one with a long tag. */
static const uint8_t fields[] = {0x08, 0x96, 0x01, 0x11, 1,    2, 3, 4, 5, 6,    7,    8, 0x1A, 3,  'a',
                                 'b',  'c',  0x22, 0,    0x2D, 1, 2, 3, 4, 0xFA, 0x01, 2, 'd',  'e'};
static const struct bytes sample = {fields, sizeof fields};
#define SAMPLE_FIELDS 6

/* Where the pieces end is told by the bits of `cuts`, lowest first; behind some of them comes an empty piece. */
static struct pieces cut(struct bytes message, uint64_t cuts, struct bytes *each)
{
    struct pieces pieces = {.each = each};
    size_t from = 0;
    for (size_t at = 1; at <= message.len; at++) {
        if (at == message.len || (cuts >> at & 1U)) {
            each[pieces.count++] = bytes_of(message.data + from, at - from);
            from = at;
        }
        if (at % 7 == 0 && from == at) {
            each[pieces.count++] = (struct bytes){0};
        }
    }
    return pieces;
}

static size_t count_fields(struct bytes run)
{
    struct wire_reader reader = wire_reader_of(run);
    struct wire_field field;
    size_t count = 0;
    while (reader.at < reader.end) {
        assert_true(wire_read_field(&reader, &field));
        count++;
    }
    return count;
}

static void must_align(struct bytes message, struct pieces pieces, size_t expected)
{
    struct error error = {0};
    struct pieces aligned;
    struct arena *own = arena_new(CAP);
    assert_non_null(own);
    assert_true(pieces_align(pieces, own, &aligned, &error));
    assert_true(aligned.count <= 2 * pieces.count);
    size_t found = 0;
    for (size_t i = 0; i < aligned.count; i++) {
        assert_true(aligned.each[i].len > 0);
        found += count_fields(aligned.each[i]);
    }
    assert_int_equal(found, expected);
    assert_int_equal(pieces_length(aligned), message.len);
    assert_true(pieces_equal(aligned, message));
    arena_unref(own);
}

EACH_TEST(arena_begin, arena_end)

TEST(wherever_a_message_is_cut_its_runs_are_whole_fields)
{
    struct bytes message = sample, each[MOST_PIECES];
    for (size_t first = 0; first < message.len; first++) {
        for (size_t second = first; second < message.len; second++) {
            must_align(message, cut(message, UINT64_C(1) << first | UINT64_C(1) << second, each), SAMPLE_FIELDS);
        }
    }
    must_align(message, cut(message, UINT64_MAX, each), SAMPLE_FIELDS);
    srand(1);
    for (size_t i = 0; i < 2000; i++) {
        must_align(message, cut(message, (uint64_t)(unsigned)rand(), each), SAMPLE_FIELDS);
    }
}

TEST(wherever_a_message_is_cut_its_fields_are_counted)
{
    struct bytes message = sample, each[MOST_PIECES];
    for (size_t first = 0; first < message.len; first++) {
        for (size_t second = first; second < message.len; second++) {
            struct pieces pieces = cut(message, UINT64_C(1) << first | UINT64_C(1) << second, each);
            assert_true(pieces_has_more_fields(pieces, SAMPLE_FIELDS - 1));
            assert_false(pieces_has_more_fields(pieces, SAMPLE_FIELDS));
        }
    }
    struct bytes with_nothing[] = {{0}, message, {0}};
    assert_true(pieces_has_more_fields((struct pieces){with_nothing, 3}, SAMPLE_FIELDS - 1));
    assert_false(pieces_has_more_fields((struct pieces){with_nothing, 3}, SAMPLE_FIELDS));
    assert_false(pieces_has_more_fields((struct pieces){0}, 0));
    /* Where it is no message it ends. */
    struct bytes broken = bytes_of_string("\x0a\x7f");
    assert_false(pieces_has_more_fields(pieces_of(&broken), 0));
}

TEST(what_lies_in_one_piece_stays_where_it_is)
{
    struct error error = {0};
    struct pieces aligned;
    struct bytes message = sample;
    assert_true(pieces_align(pieces_of(&message), arena, &aligned, &error));
    assert_int_equal(aligned.count, 1);
    assert_ptr_equal(aligned.each[0].data, message.data);

    /* The string is cut: what is before and behind it stays. */
    struct bytes each[] = {bytes_of(message.data, 15), bytes_after(message, 15)};
    assert_true(pieces_align((struct pieces){each, 2}, arena, &aligned, &error));
    assert_int_equal(aligned.count, 3);
    assert_ptr_equal(aligned.each[0].data, message.data);
    assert_int_equal(aligned.each[1].len, 5);
    assert_true(aligned.each[1].data < message.data || aligned.each[1].data >= message.data + message.len);
    assert_ptr_equal(aligned.each[2].data, message.data + 17);
}

TEST(nothing_at_all_is_a_message)
{
    struct error error = {0};
    struct pieces aligned;
    struct bytes empty[2] = {{0}};
    assert_true(pieces_align((struct pieces){0}, arena, &aligned, &error));
    assert_int_equal(aligned.count, 0);
    assert_true(pieces_align((struct pieces){empty, 2}, arena, &aligned, &error));
    assert_int_equal(aligned.count, 0);
}

TEST(malformed_bytes_are_told_however_they_are_cut)
{
    const struct bytes bad[] = {
        BYTES(0x0A, 5, 'a', 'b'),                                                           /* ends before it should */
        BYTES(0x08, 1, 0x0A),                                                               /* no length */
        BYTES(0x08),                                                                        /* no number */
        BYTES(0x08, 0x80, 0x80),                                                            /* half a number */
        BYTES(0x0D, 1, 2, 3),                                                               /* three of four bytes */
        BYTES(0x09, 1, 2, 3, 4, 5, 6, 7),                                                   /* seven of eight */
        BYTES(0x0B, 0x0C),                                                                  /* a group */
        BYTES(0x0E, 0x00),                                                                  /* no wire type */
        BYTES(0x02, 0x00),                                                                  /* field 0 */
        BYTES(0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 'a'),       /* a length beyond all */
        BYTES(0x0A, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 'a'), /* of too many bytes */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        for (uint64_t cuts = 0; cuts < UINT64_C(1) << bad[i].len; cuts++) {
            struct bytes each[MOST_PIECES];
            struct error error = {0};
            struct pieces aligned;
            struct arena *own = arena_new(CAP);
            assert_false(pieces_align(cut(bad[i], cuts, each), own, &aligned, &error));
            assert_int_equal(error.code, STATUS_INTERNAL);
            arena_unref(own);
        }
    }
}

TEST(the_arena_bounds_what_is_put_together)
{
    static uint8_t big[CAP] = {0x0A, 0xFA, 0xFF, 0x03}; /* a field that fills it but for two bytes */
    struct bytes each[] = {bytes_of(big, sizeof big / 2), bytes_of(big + sizeof big / 2, sizeof big / 2)};
    struct error error = {0};
    struct pieces aligned;
    struct arena *small = arena_new(CAP / 2);
    assert_false(pieces_align((struct pieces){each, 2}, small, &aligned, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    arena_unref(small);
}

TEST(pieces_are_compared_and_copied_as_one)
{
    struct bytes each[] = {bytes_of_string("ab"), {0}, bytes_of_string("c")};
    const struct pieces pieces = {each, 3};
    assert_int_equal(pieces_length(pieces), 3);
    assert_true(pieces_equal(pieces, bytes_of_string("abc")));
    assert_false(pieces_equal(pieces, bytes_of_string("ab")));
    assert_false(pieces_equal(pieces, bytes_of_string("abcd")));
    assert_false(pieces_equal(pieces, bytes_of_string("abd")));
    assert_true(pieces_equal((struct pieces){0}, (struct bytes){0}));
    uint8_t out[3];
    assert_ptr_equal(pieces_copy(pieces, out), out + 3);
    assert_memory_equal(out, "abc", 3);
}
