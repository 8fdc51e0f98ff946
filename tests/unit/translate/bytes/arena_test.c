#include <stdalign.h>

#include "tests/cmocka.h"
#include "translate/bytes/packing.h"

#define CAP 65536

TEST(memory_is_aligned_and_does_not_overlap)
{
    struct arena *arena = arena_new((size_t)1024 * 1024);
    assert_non_null(arena);
    uint8_t *pieces[200];
    for (size_t i = 0; i < 200; i++) {
        pieces[i] = arena_alloc(arena, i * 7);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        memset(pieces[i], (int)i, i * 7);
    }
    for (size_t i = 0; i < 200; i++) {
        for (size_t k = 0; k < i * 7; k++) {
            assert_int_equal(pieces[i][k], i & 0xFF);
        }
    }
    arena_unref(arena);
}

TEST(nothing_beyond_the_cap)
{
    struct arena *arena = arena_new(CAP);
    assert_null(arena_alloc(arena, CAP + 1));
    assert_null(arena_alloc(arena, SIZE_MAX));
    assert_null(arena_alloc(arena, SIZE_MAX - 8));
    assert_non_null(arena_alloc(arena, CAP / 2));
    assert_null(arena_alloc(arena, CAP / 2 + 1));
    assert_non_null(arena_alloc(arena, CAP / 2));
    assert_int_equal(arena_used(arena), CAP);
    assert_null(arena_alloc(arena, 1));
    arena_unref(arena);
}

TEST(many_empty_pieces_count_too)
{
    struct arena *arena = arena_new(CAP);
    size_t pieces = 0;
    while (arena_alloc(arena, 0)) {
        assert_true(++pieces <= CAP);
    }
    assert_true(pieces > 0);
    arena_unref(arena);
}

TEST(cleared_memory_is_zero)
{
    struct arena *arena = arena_new(CAP);
    memset(arena_alloc(arena, 64), 0xAA, 64);
    struct arena *other = arena_new(CAP);
    uint8_t *memory = arena_zalloc(other, 1000);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(memory[i], 0);
    }
    assert_null(arena_zalloc(other, CAP));
    arena_unref(other);
    arena_unref(arena);
}

TEST(copies_are_their_own)
{
    struct arena *arena = arena_new(CAP);
    char text[] = "pod";
    struct bytes copy = arena_copy(arena, bytes_of(text, 3));
    char *string = arena_string(arena, bytes_of(text, 3));
    text[0] = 'g';
    assert_true(bytes_equal(copy, bytes_of("pod", 3)));
    assert_string_equal(string, "pod");
    assert_string_equal(arena_string(arena, bytes_of(NULL, 0)), "");
    assert_int_equal(arena_copy(arena, bytes_of(NULL, 0)).len, 0);
    arena_unref(arena);
    arena = arena_new(2);
    copy = arena_copy(arena, bytes_of("pod", 3));
    assert_null(copy.data);
    assert_int_equal(copy.len, 3);
    assert_null(arena_string(arena, bytes_of("po", 2)));
    arena_unref(arena);
}

TEST(the_newest_piece_gives_its_tail_back)
{
    struct arena *arena = arena_new(CAP);
    uint8_t *piece = arena_alloc(arena, 4096);
    memset(piece, 1, 4096);
    size_t before = arena_used(arena);
    arena_trim(arena, piece, 4096, 100);
    assert_true(arena_used(arena) < before - 3900);
    uint8_t *next = arena_alloc(arena, 100);
    assert_true(next >= piece + 100 && next < piece + 200);
    /* It is not the newest any more. */
    before = arena_used(arena);
    arena_trim(arena, piece, 100, 0);
    assert_int_equal(arena_used(arena), before);
    arena_trim(arena, next, 100, 100);
    assert_int_equal(arena_used(arena), before);
    arena_unref(arena);
}

TEST(the_last_reference_frees)
{
    struct arena *arena = arena_new(CAP);
    char *text = arena_string(arena, bytes_of("still here", 10));
    assert_ptr_equal(arena_ref(arena), arena);
    arena_unref(arena);
    assert_string_equal(text, "still here");
    arena_unref(arena);
    arena_unref(NULL);
}
