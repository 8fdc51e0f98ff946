/* A table of items that have its links. */

#include "base/system/hash_table.h"
#include "tests/cmocka.h"

#define COUNT 10000

static struct item {
    uint64_t number;
    struct hash_link link;
    struct hash_link by_rest; /* in a second table, with few hashes */
} items[COUNT];

static uint64_t spread(uint64_t number)
{
    number *= UINT64_C(0x9e3779b97f4a7c15);
    return number ^ (number >> 29);
}

static struct item *item_of(struct hash_link *link)
{
    return HASH_ITEM(link, struct item, link);
}

static struct item *find(const struct hash_table *table, uint64_t number)
{
    struct hash_link *link = hash_table_find(table, spread(number));
    while (link && item_of(link)->number != number) {
        link = hash_link_next(link);
    }
    return link ? item_of(link) : NULL;
}

static void fill(struct hash_table *table)
{
    assert_true(hash_table_init(table));
    for (size_t i = 0; i < COUNT; i++) {
        items[i] = (struct item){.number = i};
        hash_table_add(table, &items[i].link, spread(i));
    }
    assert_int_equal(table->count, COUNT);
}

TEST(what_was_added_is_found_and_what_was_removed_is_not)
{
    struct hash_table table;
    fill(&table);
    for (size_t i = 0; i < COUNT; i += 3) {
        hash_table_remove(&table, &items[i].link);
    }
    assert_int_equal(table.count, COUNT - (COUNT + 2) / 3);
    for (size_t i = 0; i < COUNT; i++) {
        assert_ptr_equal(find(&table, i), i % 3 == 0 ? NULL : &items[i]);
    }
    assert_null(find(&table, COUNT));
    hash_table_clear(&table);
}

TEST(a_loop_meets_each_item_once_and_may_remove_it)
{
    struct hash_table table;
    fill(&table);
    size_t met = 0, sum = 0;
    HASH_TABLE_EACH(&table, link)
    {
        met++;
        sum += item_of(link)->number;
        if (item_of(link)->number % 2 == 0) {
            hash_table_remove(&table, link);
            *link = (struct hash_link){0};
        }
    }
    assert_int_equal(met, COUNT);
    assert_int_equal(sum, (size_t)COUNT * (COUNT - 1) / 2);
    met = 0;
    HASH_TABLE_EACH(&table, link)
    {
        met++;
        assert_int_equal(item_of(link)->number % 2, 1);
    }
    assert_int_equal(met, COUNT / 2);
    hash_table_clear(&table);
}

TEST(items_of_one_hash_are_all_found)
{
    struct hash_table table, rests;
    fill(&table);
    assert_true(hash_table_init(&rests));
    for (size_t i = 0; i < COUNT; i++) {
        hash_table_add(&rests, &items[i].by_rest, i % 3);
    }
    size_t met = 0;
    for (struct hash_link *link = hash_table_find(&rests, 1); link; link = hash_link_next(link)) {
        assert_int_equal(HASH_ITEM(link, struct item, by_rest)->number % 3, 1);
        met++;
    }
    assert_int_equal(met, COUNT / 3);
    assert_null(hash_table_find(&rests, 3));
    hash_table_clear(&rests);
    hash_table_clear(&table);
}

/* Chains stay short, and the table does not keep the memory of many items for few. */
TEST(the_table_fits_its_items)
{
    struct hash_table table;
    assert_true(hash_table_init(&table));
    size_t empty = hash_table_memory(&table);
    hash_table_clear(&table);
    fill(&table);
    assert_in_range(table.capacity, COUNT, 4 * COUNT);
    for (size_t i = 5; i < COUNT; i++) {
        hash_table_remove(&table, &items[i].link);
    }
    hash_table_shrink(&table);
    assert_int_equal(hash_table_memory(&table), empty);
    for (size_t i = 0; i < 5; i++) {
        assert_ptr_equal(find(&table, i), &items[i]);
    }
    hash_table_clear(&table);
}
