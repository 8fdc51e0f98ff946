#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/last_known.h"
#include "tests/cmocka.h"
#include "tests/unit/translate/lists/list_fixture.h"
#include "translate/lists/item.h"

#define ITEMS(...) ((const struct fixture_item[]){__VA_ARGS__, {0}})
#define POD(name)                                                                                                                \
    {                                                                                                                            \
        .id = (name)                                                                                                             \
    }
#define STOPPED(name)                                                                                                            \
    {                                                                                                                            \
        .id = (name), .state = 1                                                                                                 \
    }

static struct arena *arena;
static struct last_known *store;

static int begin(void **state)
{
    arena = arena_new((size_t)256 * 1024 * 1024);
    store = last_known_new(LAST_KNOWN_DEFAULT_LIMIT);
    return arena && store ? 0 : -1;
}

static int end(void **state)
{
    last_known_free(store);
    arena_unref(arena);
    return 0;
}

static void set(struct last_known *of, struct bytes list, uint64_t asked)
{
    struct error error = {0};
    if (!last_known_set_list(of, ID_POD, DIALECT_V1, pieces_of(&list), asked, 1000, &error)) {
        fail_msg("%s", error.message);
    }
}

/* Nobody else keeps the bytes: two slices with a cut somewhere, which lies in an item. */
static void hold_bytes(struct last_known *of, struct bytes list, const struct list_digest *digest, uint64_t asked)
{
    size_t cut = list.len / 2;
    grpc_slice slices[] = {
        grpc_slice_from_copied_buffer((const char *)list.data, cut),
        grpc_slice_from_copied_buffer((const char *)list.data + cut, list.len - cut),
    };
    assert_true(last_known_hold_list(of, ID_POD, DIALECT_V1, slices, 2, digest, asked, 1000));
    grpc_slice_unref(slices[0]);
    grpc_slice_unref(slices[1]);
}

/* Does what happens to a list that comes: it is compared if there is one to compare it with. Returns whether it repeats that. */
static bool take_in(struct last_known *of, struct bytes list, uint64_t asked)
{
    const struct last_known_repetition repetition = last_known_repetition(of, ID_POD, DIALECT_V1, asked);
    struct list_digest digest = {0};
    if (repetition.number > 0) {
        list_digest_add(&digest, &repetition.digester, list);
    }
    if (repetition.number > 0 && list_digest_equal(&digest, &repetition.digest)) {
        last_known_repeated(of, ID_POD, asked, 1000);
        return true;
    }
    hold_bytes(of, list, repetition.number > 0 ? &digest : NULL, asked);
    return false;
}

static bool comes(const struct fixture_item *items)
{
    return take_in(store, fixture_list(arena, ID_POD, items), last_known_sequence(store));
}

static const char *known_of(struct last_known *of)
{
    struct list_filter all = {0};
    struct last_known_list list;
    if (!last_known_list(of, ID_POD, &all, arena, &list, NULL)) {
        return "nothing known";
    }
    struct bytes joined = {0};
    for (size_t i = 0; i < list.count; i++) {
        joined = fixture_join(arena, joined, list.pieces[i].response);
    }
    return fixture_ids(arena, ID_POD, joined);
}

static bool has_status(struct last_known *of, const char *id)
{
    struct last_known_piece status;
    int64_t taken_at;
    return last_known_status(of, ID_POD, bytes_of_string(id), &status, &taken_at);
}

static void status_comes(struct last_known *of, const char *id, uint64_t asked)
{
    struct error error = {0};
    if (!last_known_set_status(of, ID_POD, DIALECT_V1, fixture_status(arena, ID_POD, id, 0, 0), asked, 1000, &error)) {
        fail_msg("%s", error.message);
    }
}

/* ---- one list ---- */

EACH_TEST(begin, end)

TEST(whoever_asks_gets_the_held_list)
{
    int64_t taken_at = 0;
    assert_false(comes(ITEMS(POD("a"), POD("b"))));
    assert_true(last_known_taken_at(store, ID_POD, &taken_at));
    assert_int_equal(taken_at, 1000);
    assert_false(comes(ITEMS(POD("b"), POD("c"), POD("d"))));
    assert_string_equal(known_of(store), "b c d");
    uint64_t version = last_known_version(store);
    assert_false(comes(ITEMS(POD("b"), POD("c"), STOPPED("d"))));
    assert_int_not_equal(last_known_version(store), version);
}

TEST(a_newer_list_replaces_the_held_one)
{
    uint64_t first = last_known_sequence(store);
    uint64_t second = last_known_sequence(store);
    take_in(store, fixture_list(arena, ID_POD, ITEMS(POD("b"))), second);
    take_in(store, fixture_list(arena, ID_POD, ITEMS(POD("a"))), first);
    assert_string_equal(known_of(store), "b");
    comes(ITEMS(POD("c")));
    comes(ITEMS(POD("d")));
    assert_string_equal(known_of(store), "d");
}

TEST(what_happens_after_a_held_list_is_not_undone_by_it)
{
    struct error error = {0};
    comes(ITEMS(POD("a"), POD("b")));
    last_known_removed(store, ID_POD, bytes_of_string("a"));
    assert_string_equal(known_of(store), "b");
    uint64_t asked = last_known_sequence(store);
    assert_true(last_known_created(store, ID_POD, DIALECT_V1, fixture_list(arena, ID_POD, ITEMS(POD("c"))), &error));
    last_known_removed(store, ID_POD, bytes_of_string("b"));
    take_in(store, fixture_list(arena, ID_POD, ITEMS(POD("b"), POD("d"))), asked);
    assert_string_equal(known_of(store), "d c");
}

TEST(a_held_list_ends_statuses_that_it_contradicts)
{
    comes(ITEMS(POD("a"), POD("b")));
    status_comes(store, "a", last_known_sequence(store));
    status_comes(store, "b", last_known_sequence(store));
    comes(ITEMS(POD("a"), STOPPED("b")));
    assert_true(has_status(store, "a"));
    assert_false(has_status(store, "b"));
    uint64_t late = last_known_sequence(store);
    comes(ITEMS(POD("a"), POD("b"), POD("c")));
    status_comes(store, "b", late);
    assert_false(has_status(store, "b"));
}

TEST(forgetting_drops_a_held_list)
{
    comes(ITEMS(POD("a")));
    last_known_forget(store);
    assert_string_equal(known_of(store), "nothing known");
}

/* ---- failures ---- */

TEST(a_malformed_list_is_reported_once_and_changes_nothing)
{
    const struct bytes wrong_type = bytes_of("\x0A\x02\x08\x01", 4); /* an id that is a number */
    struct error error = {0};
    comes(ITEMS(POD("a")));
    assert_string_equal(known_of(store), "a");
    hold_bytes(store, wrong_type, NULL, last_known_sequence(store));
    assert_string_equal(known_of(store), "a");
    assert_false(last_known_settle(store, &error));
    assert_int_equal(error.code, STATUS_INTERNAL);
    assert_true(last_known_settle(store, &error));
    hold_bytes(store, bytes_of("\x0A\x7F\x0A", 3), NULL, last_known_sequence(store)); /* it is truncated */
    assert_false(last_known_settle(store, &error));
    assert_int_equal(error.code, STATUS_INTERNAL);
    assert_string_equal(known_of(store), "a");
}

TEST(without_room_nothing_is_known)
{
    struct error error = {0};
    char long_id[4000];
    memset(long_id, 'x', sizeof long_id - 1);
    long_id[sizeof long_id - 1] = '\0';
    last_known_free(store);
    store = last_known_new(2000);
    comes(ITEMS(POD("a")));
    assert_string_equal(known_of(store), "a");
    comes(ITEMS(POD(long_id)));
    assert_false(last_known_settle(store, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    assert_string_equal(known_of(store), "nothing known");
    assert_true(last_known_gave_up(store, ID_POD));
}

/* ---- several lists ---- */

TEST(a_list_that_repeats_the_known_one_replaces_a_held_one)
{
    set(store, fixture_list(arena, ID_POD, ITEMS(POD("a"))), last_known_sequence(store));
    assert_false(comes(ITEMS(POD("b"))));
    assert_true(comes(ITEMS(POD("a"))));
    assert_string_equal(known_of(store), "a");
}

TEST(a_list_that_repeats_the_held_one_makes_it_the_known_one)
{
    set(store, fixture_list(arena, ID_POD, ITEMS(POD("a"))), last_known_sequence(store));
    assert_false(comes(ITEMS(POD("a"), POD("b"))));
    assert_false(comes(ITEMS(POD("b"), POD("a"))));
    assert_true(comes(ITEMS(POD("a"), POD("b"))));
    assert_true(comes(ITEMS(POD("b"), POD("a"))));
}

static uint64_t to_compare_with(void)
{
    return last_known_repetition(store, ID_POD, DIALECT_V1, last_known_sequence(store)).number;
}

TEST(lists_that_change_each_time_are_not_compared_until_one_repeats)
{
    struct error error = {0};
    set(store, fixture_list(arena, ID_POD, ITEMS(POD("a"))), last_known_sequence(store));
    assert_int_not_equal(to_compare_with(), 0);
    comes(ITEMS(POD("b")));
    assert_int_not_equal(to_compare_with(), 0);
    comes(ITEMS(POD("c")));
    comes(ITEMS(POD("d")));
    assert_int_equal(to_compare_with(), 0);
    assert_true(last_known_settle(store, &error));
    assert_int_equal(to_compare_with(), 0);
    comes(ITEMS(POD("d")));
    assert_int_equal(to_compare_with(), 0);
    assert_true(last_known_settle(store, &error));
    assert_int_not_equal(to_compare_with(), 0);
    assert_true(comes(ITEMS(POD("d"))));
}

/* ---- beside a store that holds nothing ---- */

#define PODS 12

struct history {
    struct last_known *plain; /* takes each list at once */
    bool there[PODS];
    char ids[PODS][8];
    uint64_t random;
};

static size_t draw(struct history *history, size_t below)
{
    history->random = history->random * 6364136223846793005 + 1442695040888963407;
    return (size_t)(history->random >> 33) % below;
}

static void change_pod(struct history *history, size_t pod)
{
    struct error error = {0};
    struct last_known *const stores[] = {store, history->plain};
    for (size_t i = 0; i < 2; i++) {
        if (history->there[pod]) {
            last_known_removed(stores[i], ID_POD, bytes_of_string(history->ids[pod]));
        } else {
            struct bytes item = fixture_list(arena, ID_POD, ITEMS(POD(history->ids[pod])));
            assert_true(last_known_created(stores[i], ID_POD, DIALECT_V1, item, &error));
        }
    }
    history->there[pod] = !history->there[pod];
}

static struct bytes list_of(struct history *history)
{
    struct fixture_item items[PODS + 1] = {{0}};
    for (size_t i = 0, count = 0; i < PODS; i++) {
        items[count] = (struct fixture_item){.id = history->there[i] ? history->ids[i] : NULL, .state = (int)draw(history, 2)};
        count += history->there[i];
    }
    return fixture_list(arena, ID_POD, items);
}

/* The items of what is known, in an order that does not depend on how it was learned. */
static struct list_digest digest_of(struct last_known *of)
{
    struct list_secret secret = {{0}};
    struct list_filter all = {0};
    struct last_known_list list;
    struct list_digest digest = {0};
    const struct list_digester digester = list_digester_of(&secret, ID_POD, DIALECT_V1);
    assert_true(last_known_list(of, ID_POD, &all, arena, &list, NULL));
    for (size_t i = 0; i < list.count; i++) {
        list_digest_add(&digest, &digester, list.pieces[i].response);
    }
    return digest;
}

/* Lists are answered some steps after they were asked for, in any order; what is known is looked at only now and then, so that
   some lists are held until another one comes, and others until something happens. */
TEST(holding_lists_makes_no_difference)
{
    struct history history = {.plain = last_known_new(LAST_KNOWN_DEFAULT_LIMIT), .random = 11};
    struct {
        uint64_t asked; /* 0: no list is under way */
        struct bytes answer;
    } under_way[3] = {{0}};
    size_t looks = 0;
    assert_non_null(history.plain);
    for (size_t i = 0; i < PODS; i++) {
        snprintf(history.ids[i], sizeof history.ids[i], "pod-%zu", i);
    }
    set(store, list_of(&history), last_known_sequence(store));
    set(history.plain, list_of(&history), last_known_sequence(history.plain));
    for (size_t step = 0; step < 50000; step++) {
        size_t which = draw(&history, 3), what = draw(&history, 16);
        if (what < 2) {
            change_pod(&history, draw(&history, PODS));
        } else if (under_way[which].asked == 0) {
            under_way[which].asked = last_known_sequence(store);
            assert_int_equal(last_known_sequence(history.plain), under_way[which].asked);
            under_way[which].answer = list_of(&history);
        } else if (what < 15) {
            take_in(store, under_way[which].answer, under_way[which].asked);
            set(history.plain, under_way[which].answer, under_way[which].asked);
            under_way[which].asked = 0;
        } else {
            const struct list_digest one = digest_of(store), other = digest_of(history.plain);
            assert_true(list_digest_equal(&one, &other));
            looks++;
        }
        if (arena_used(arena) > (size_t)128 * 1024 * 1024) {
            arena_unref(arena);
            arena = arena_new((size_t)256 * 1024 * 1024);
            memset(under_way, 0, sizeof under_way);
        }
    }
    assert_true(looks > 500);
    last_known_free(history.plain);
}
