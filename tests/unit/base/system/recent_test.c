/* A bounded table of what was remembered last. */
#include "base/system/recent.h"
#include "tests/cmocka.h"

#define CAPACITY 1024

/* Each value is the hash of itself, spread as a hash is. */
static uint64_t values[CAPACITY];

static uint64_t spread(uint64_t number)
{
    number *= UINT64_C(0x9e3779b97f4a7c15);
    return number ^ (number >> 29);
}

/* Counts the places that were looked at. */
static size_t find(const struct recent *recent, uint64_t value, size_t *looks)
{
    size_t place = recent_first(recent, value);
    while (place != RECENT_NONE && values[place] != value) {
        (*looks)++;
        place = recent_next(recent, place);
    }
    return place;
}

TEST(the_newest_are_found_and_no_others)
{
    struct recent recent;
    size_t looks = 0;
    assert_true(recent_init(&recent, CAPACITY));
    for (uint64_t i = 0; i < 5 * CAPACITY; i++) {
        assert_int_equal(find(&recent, spread(i), &looks), RECENT_NONE);
        values[recent_add(&recent, spread(i))] = spread(i);
        assert_int_equal(values[find(&recent, spread(i), &looks)], spread(i));
        uint64_t oldest = i < CAPACITY ? 0 : i - CAPACITY + 1;
        assert_int_equal(values[find(&recent, spread(oldest), &looks)], spread(oldest));
        if (oldest > 0) {
            assert_int_equal(find(&recent, spread(oldest - 1), &looks), RECENT_NONE);
        }
    }
    recent_clear(&recent);
}

TEST(a_full_table_is_not_searched)
{
    struct recent recent;
    size_t looks = 0;
    assert_true(recent_init(&recent, CAPACITY));
    for (uint64_t i = 0; i < 2 * CAPACITY; i++) {
        values[recent_add(&recent, spread(i))] = spread(i);
    }
    for (uint64_t i = 0; i < CAPACITY; i++) {
        assert_int_equal(find(&recent, spread(i), &looks), RECENT_NONE);
    }
    assert_true(looks <= 2 * CAPACITY);
    recent_clear(&recent);
}

TEST(things_of_one_hash_are_all_found)
{
    struct recent recent;
    assert_true(recent_init(&recent, 4));
    for (size_t i = 0; i < 6; i++) {
        recent_add(&recent, 7);
    }
    size_t seen = 0;
    for (size_t place = recent_first(&recent, 7); place != RECENT_NONE; place = recent_next(&recent, place)) {
        seen |= (size_t)1 << place;
    }
    assert_int_equal(seen, 15);
    assert_int_equal(recent_first(&recent, 6), RECENT_NONE);
    recent_clear(&recent);
}
