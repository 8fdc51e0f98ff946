/* Some fields of a message, taken out and put back. */
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"
#include "translate/model/field_subset.h"

#define BIT(number) (UINT64_C(1) << (number))

static void expect(struct bytes bytes, const char *expected, size_t len)
{
    assert_int_equal(bytes.len, len);
    assert_memory_equal(bytes.data, expected, len);
}
#define EXPECT(bytes, expected) expect(bytes, expected, sizeof expected - 1)
#define MESSAGE(text) bytes_of(text, sizeof text - 1)

/* Fields 1 (twice), 2, 3 (twice), 70 and 4. */
#define FIRST "\x0A\x01"
#define WHOLE FIRST "a\x10\x05\x1A\x01x\x1A\x01y" FIRST "b\xB2\x04\x01z\x25\x01\x02\x03\x04"

EACH_TEST(arena_begin, arena_end)

TEST(only_the_subset_is_taken)
{
    struct bytes fields;
    assert_true(field_subset_take(MESSAGE(WHOLE), BIT(1) | BIT(4), arena, &fields));
    EXPECT(fields, FIRST "a" FIRST "b\x25\x01\x02\x03\x04");
    assert_true(field_subset_take(MESSAGE(WHOLE), BIT(9), arena, &fields));
    assert_int_equal(fields.len, 0);
    assert_true(field_subset_take((struct bytes){0}, BIT(1), arena, &fields));
    assert_int_equal(fields.len, 0);
    struct bytes whole = MESSAGE(WHOLE);
    assert_true(field_subset_take(whole, FIELD_SUBSET_ALL, arena, &fields));
    assert_ptr_equal(fields.data, whole.data);
}

TEST(what_is_put_back_unchanged_is_the_message_with_repetitions_together)
{
    struct bytes fields, changed;
    assert_true(field_subset_take(MESSAGE(WHOLE), BIT(2) | BIT(3), arena, &fields));
    assert_true(field_subset_put(MESSAGE(WHOLE), BIT(2) | BIT(3), fields, arena, &changed));
    EXPECT(changed, WHOLE);
    assert_true(field_subset_take(MESSAGE(WHOLE), BIT(1), arena, &fields));
    assert_true(field_subset_put(MESSAGE(WHOLE), BIT(1), fields, arena, &changed));
    EXPECT(changed, FIRST "a" FIRST "b\x10\x05\x1A\x01x\x1A\x01y\xB2\x04\x01z\x25\x01\x02\x03\x04");
}

TEST(new_fields_come_at_the_end_and_those_that_are_gone_leave_no_trace)
{
    struct bytes changed;
    assert_true(field_subset_put(MESSAGE(WHOLE), BIT(2) | BIT(3) | BIT(5), MESSAGE("\x28\x07\x1A\x01w"), arena, &changed));
    EXPECT(changed, FIRST "a\x1A\x01w" FIRST "b\xB2\x04\x01z\x25\x01\x02\x03\x04\x28\x07");
    assert_true(field_subset_put((struct bytes){0}, BIT(5), MESSAGE("\x28\x07"), arena, &changed));
    EXPECT(changed, "\x28\x07");
    assert_true(field_subset_put(MESSAGE(WHOLE), FIELD_SUBSET_ALL, MESSAGE("\x28\x07"), arena, &changed));
    EXPECT(changed, "\x28\x07");
}

TEST(the_arena_bounds_both)
{
    static const uint8_t big[5000] = {0x0A, 0x85, 0x27};
    struct arena *small = arena_new(4096);
    struct bytes out;
    assert_false(field_subset_take(bytes_of(big, sizeof big), BIT(1), small, &out));
    assert_false(field_subset_put(bytes_of(big, sizeof big), BIT(2), (struct bytes){0}, small, &out));
    arena_unref(small);
}
