#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/store/last_known_copy.h"
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
#define CONTAINER(name, of)                                                                                                      \
    {                                                                                                                            \
        .id = (name), .pod = (of)                                                                                                \
    }
#define NONE ((const struct fixture_item[]){{0}})

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

static void must_list(enum id_kind kind, const struct fixture_item *items, uint64_t asked)
{
    struct error error = {0};
    struct bytes list = fixture_list(arena, kind, items);
    if (!last_known_set_list(store, kind, DIALECT_V1, pieces_of(&list), asked, 1000, &error)) {
        fail_msg("%s", error.message);
    }
}

static void list_now(enum id_kind kind, const struct fixture_item *items)
{
    must_list(kind, items, last_known_sequence(store));
}

static void must_create(enum id_kind kind, struct fixture_item item)
{
    struct error error = {0};
    if (!last_known_created(store, kind, DIALECT_V1, fixture_list(arena, kind, ITEMS(item)), &error)) {
        fail_msg("%s", error.message);
    }
}

static void create_pod(const char *id)
{
    must_create(ID_POD, (struct fixture_item)POD(id));
}

static void create_container(const char *id, const char *pod)
{
    must_create(ID_CONTAINER, (struct fixture_item)CONTAINER(id, pod));
}

static void removed(enum id_kind kind, const char *id)
{
    last_known_removed(store, kind, bytes_of_string(id));
}

static void must_status(enum id_kind kind, const char *id, int state, uint64_t asked)
{
    struct error error = {0};
    struct bytes status = fixture_status(arena, kind, id, state, 0);
    if (!last_known_set_status(store, kind, DIALECT_V1, status, asked, 1000, &error)) {
        fail_msg("%s", error.message);
    }
}

static void status_now(enum id_kind kind, const char *id, int state)
{
    must_status(kind, id, state, last_known_sequence(store));
}

static bool has_status(enum id_kind kind, const char *id)
{
    struct last_known_piece status;
    int64_t taken_at;
    return last_known_status(store, kind, bytes_of_string(id), &status, &taken_at);
}

/* The ids that are known; those of what was created come last, in no order that matters with one of them. */
static const char *known_of(const struct last_known *of, enum id_kind kind)
{
    struct list_filter all = {0};
    struct last_known_list list;
    struct last_known *mutable = (struct last_known *)(uintptr_t)of;
    if (!last_known_list(mutable, kind, &all, arena, &list, NULL)) {
        return "nothing known";
    }
    struct bytes joined = {0};
    for (size_t i = 0; i < list.count; i++) {
        joined = fixture_join(arena, joined, list.pieces[i].response);
    }
    return fixture_ids(arena, kind, joined);
}

static const char *known(enum id_kind kind)
{
    return known_of(store, kind);
}

static bool copy_record(void *state, const struct last_known_record *record)
{
    struct error error = {0};
    if (!last_known_restore(state, record, &error)) {
        fail_msg("%s", error.message);
    }
    return true;
}

/* ---- lists ---- */

EACH_TEST(begin, end)

TEST(nothing_known_is_not_known_to_be_empty)
{
    struct list_filter all = {0};
    struct last_known_list list;
    struct error error = {0};
    int64_t taken_at;
    assert_false(last_known_list(store, ID_POD, &all, arena, &list, &error));
    assert_int_equal(error.code, STATUS_UNAVAILABLE);
    assert_false(last_known_taken_at(store, ID_POD, &taken_at));
    list_now(ID_POD, NONE);
    assert_true(last_known_list(store, ID_POD, &all, arena, &list, &error));
    assert_int_equal(list.count, 0);
    assert_true(last_known_taken_at(store, ID_POD, &taken_at));
    assert_int_equal(taken_at, 1000);
    assert_false(last_known_list(store, ID_CONTAINER, &all, arena, &list, &error));
}

TEST(a_list_replaces_the_one_before)
{
    list_now(ID_POD, ITEMS(POD("a"), POD("b")));
    assert_string_equal(known(ID_POD), "a b");
    list_now(ID_POD, ITEMS(POD("b"), POD("c")));
    assert_string_equal(known(ID_POD), "b c");
}

TEST(an_older_list_that_comes_late_is_left_alone)
{
    uint64_t older = last_known_sequence(store);
    uint64_t newer = last_known_sequence(store);
    must_list(ID_POD, ITEMS(POD("new")), newer);
    must_list(ID_POD, ITEMS(POD("old")), older);
    assert_string_equal(known(ID_POD), "new");
}

TEST(what_was_created_is_added_until_it_is_listed)
{
    list_now(ID_POD, ITEMS(POD("a")));
    create_pod("b");
    assert_string_equal(known(ID_POD), "a b");
    list_now(ID_POD, ITEMS(POD("b"), POD("a")));
    assert_string_equal(known(ID_POD), "b a");
    list_now(ID_POD, ITEMS(POD("a")));
    assert_string_equal(known(ID_POD), "a");
}

TEST(what_was_created_after_the_list_was_asked_for_stays)
{
    uint64_t asked = last_known_sequence(store);
    create_pod("b");
    must_list(ID_POD, ITEMS(POD("a")), asked);
    assert_string_equal(known(ID_POD), "a b");
    list_now(ID_POD, ITEMS(POD("a")));
    assert_string_equal(known(ID_POD), "a");
}

TEST(what_was_created_is_shown_once)
{
    uint64_t asked = last_known_sequence(store);
    create_pod("b");
    must_list(ID_POD, ITEMS(POD("b"), POD("a")), asked);
    assert_string_equal(known(ID_POD), "b a");
    create_pod("a");
    create_pod("a");
    assert_string_equal(known(ID_POD), "b a");
}

TEST(what_was_removed_is_left_out)
{
    list_now(ID_POD, ITEMS(POD("a"), POD("b")));
    create_pod("c");
    removed(ID_POD, "a");
    removed(ID_POD, "c");
    removed(ID_POD, "");
    assert_string_equal(known(ID_POD), "b");
}

TEST(what_was_removed_after_the_list_was_asked_for_stays_away)
{
    uint64_t asked = last_known_sequence(store);
    removed(ID_POD, "a");
    must_list(ID_POD, ITEMS(POD("a"), POD("b")), asked);
    assert_string_equal(known(ID_POD), "b");
}

/* It is there: the removal did not do what it said. */
TEST(what_a_later_list_shows_is_there)
{
    list_now(ID_POD, ITEMS(POD("a")));
    removed(ID_POD, "a");
    list_now(ID_POD, ITEMS(POD("a")));
    assert_string_equal(known(ID_POD), "a");
    create_pod("b");
    removed(ID_POD, "b");
    create_pod("b");
    assert_string_equal(known(ID_POD), "a b");
}

TEST(a_pod_takes_its_containers_along)
{
    list_now(ID_POD, ITEMS(POD("p1"), POD("p2")));
    list_now(ID_CONTAINER, ITEMS(CONTAINER("c1", "p1"), CONTAINER("c2", "p2"), CONTAINER("c3", "p1")));
    create_container("c4", "p1");
    create_container("c5", "p2");
    status_now(ID_CONTAINER, "c1", 0);
    status_now(ID_CONTAINER, "c2", 0);
    removed(ID_POD, "p1");
    assert_string_equal(known(ID_CONTAINER), "c2 c5");
    assert_false(has_status(ID_CONTAINER, "c1"));
    assert_true(has_status(ID_CONTAINER, "c2"));
}

/* The list of containers was under way for long; meanwhile the pod went, and a list of pods came that says so. */
TEST(a_late_list_does_not_bring_containers_of_a_removed_pod)
{
    uint64_t asked = last_known_sequence(store);
    list_now(ID_POD, ITEMS(POD("p1"), POD("p2")));
    removed(ID_POD, "p1");
    list_now(ID_POD, ITEMS(POD("p2")));
    must_list(ID_CONTAINER, ITEMS(CONTAINER("c1", "p1"), CONTAINER("c2", "p2")), asked);
    assert_string_equal(known(ID_CONTAINER), "c2");
    list_now(ID_CONTAINER, ITEMS(CONTAINER("c2", "p2")));
    assert_string_equal(known(ID_CONTAINER), "c2");
}

/* A list of containers that was asked for after the pod's removal is the truth, whichever late list came between. */
TEST(containers_go_at_the_time_of_their_pod)
{
    uint64_t before = last_known_sequence(store);
    removed(ID_POD, "p1");
    uint64_t after = last_known_sequence(store);
    must_list(ID_CONTAINER, ITEMS(CONTAINER("c1", "p1")), before);
    assert_string_equal(known(ID_CONTAINER), "");
    must_list(ID_CONTAINER, ITEMS(CONTAINER("c1", "p1")), after);
    assert_string_equal(known(ID_CONTAINER), "c1");
}

/* The later list was answered first inside the runtime, before the pod was made; the earlier one shows it already. */
TEST(lists_may_overtake_each_other_inside_the_runtime)
{
    uint64_t earlier = last_known_sequence(store);
    uint64_t later = last_known_sequence(store);
    create_pod("a");
    must_list(ID_POD, ITEMS(POD("a")), earlier);
    assert_string_equal(known(ID_POD), "a");
    must_list(ID_POD, NONE, later);
    assert_string_equal(known(ID_POD), "a");
}

TEST(what_is_forgotten_is_not_known)
{
    list_now(ID_POD, ITEMS(POD("a")));
    status_now(ID_POD, "a", 0);
    uint64_t asked = last_known_sequence(store);
    last_known_forget(store);
    assert_string_equal(known(ID_POD), "nothing known");
    assert_false(has_status(ID_POD, "a"));
    must_list(ID_POD, ITEMS(POD("a")), asked);
    must_status(ID_POD, "a", 0, asked);
    assert_string_equal(known(ID_POD), "nothing known");
    assert_false(has_status(ID_POD, "a"));
    assert_true(last_known_gave_up(store, ID_POD));
    list_now(ID_POD, ITEMS(POD("b")));
    assert_string_equal(known(ID_POD), "b");
    assert_false(last_known_gave_up(store, ID_POD));
    assert_true(last_known_gave_up(store, ID_CONTAINER));
}

TEST(that_all_was_forgotten_is_not_forgotten)
{
    assert_false(last_known_gave_up(store, ID_POD));
    last_known_forget(store);
    list_now(ID_POD, ITEMS(POD("a")));
    struct last_known *copy = last_known_new(LAST_KNOWN_DEFAULT_LIMIT);
    assert_non_null(copy);
    assert_true(last_known_each(store, copy_record, copy));
    assert_string_equal(known_of(copy, ID_POD), "a");
    assert_true(last_known_gave_up(copy, ID_CONTAINER));
    last_known_free(copy);
}

TEST(a_filter_is_applied)
{
    list_now(ID_POD, ITEMS(POD("a1"), STOPPED("a2"), STOPPED("b")));
    create_pod("a3");
    create_pod("b3");
    struct list_filter filter = {.id = bytes_of_string("a")};
    struct last_known_list list;
    assert_true(last_known_list(store, ID_POD, &filter, arena, &list, NULL));
    assert_int_equal(list.count, 1);
    assert_string_equal(fixture_ids(arena, ID_POD, list.pieces[0].response), "a1 a2 a3");
    filter = (struct list_filter){.has_state = true, .state = 1};
    assert_true(last_known_list(store, ID_POD, &filter, arena, &list, NULL));
    assert_string_equal(fixture_ids(arena, ID_POD, list.pieces[0].response), "a2 b");
}

TEST(each_dialect_has_its_piece)
{
    struct bytes old = fixture_list(arena, ID_POD, ITEMS(POD("old")));
    assert_true(last_known_set_list(store, ID_POD, DIALECT_V1_9, pieces_of(&old), last_known_sequence(store), 5, NULL));
    create_pod("new");
    struct list_filter all = {0};
    struct last_known_list list;
    assert_true(last_known_list(store, ID_POD, &all, arena, &list, NULL));
    assert_int_equal(list.count, 2);
    assert_int_equal(list.pieces[0].dialect, DIALECT_V1_9);
    assert_string_equal(fixture_ids(arena, ID_POD, list.pieces[0].response), "old");
    assert_int_equal(list.pieces[1].dialect, DIALECT_V1);
    assert_string_equal(fixture_ids(arena, ID_POD, list.pieces[1].response), "new");
    assert_int_equal(list.taken_at, 5);
}

TEST(malformed_bytes_change_nothing)
{
    list_now(ID_POD, ITEMS(POD("a")));
    uint64_t version = last_known_version(store);
    struct error error = {0};
    struct bytes bad = bytes_of("\x0A\x05\x0A", 3);
    assert_false(last_known_set_list(store, ID_POD, DIALECT_V1, pieces_of(&bad), last_known_sequence(store), 1, &error));
    assert_int_equal(error.code, STATUS_INTERNAL);
    assert_false(last_known_created(store, ID_POD, DIALECT_V1, bad, &error));
    assert_false(last_known_created(store, ID_POD, DIALECT_V1, bytes_of(NULL, 0), &error));
    assert_false(last_known_created(store, ID_POD, DIALECT_V1, fixture_list(arena, ID_POD, ITEMS(POD("x"), POD("y"))), &error));
    assert_int_equal(error.code, STATUS_INTERNAL);
    assert_false(last_known_set_status(store, ID_POD, DIALECT_V1, bad, last_known_sequence(store), 1, &error));
    assert_string_equal(known(ID_POD), "a");
    assert_int_equal(last_known_version(store), version);
}

/* ---- statuses ---- */

TEST(a_status_is_kept_as_it_was)
{
    struct bytes answer = fixture_status(arena, ID_POD, "a", 1, 20);
    struct last_known_piece status;
    int64_t taken_at;
    assert_false(has_status(ID_POD, "a"));
    assert_true(last_known_set_status(store, ID_POD, DIALECT_V1_12, answer, last_known_sequence(store), 77, NULL));
    assert_true(last_known_status(store, ID_POD, bytes_of_string("a"), &status, &taken_at));
    assert_int_equal(status.dialect, DIALECT_V1_12);
    assert_true(bytes_equal(status.response, answer));
    assert_int_equal(taken_at, 77);
    assert_false(has_status(ID_CONTAINER, "a"));
}

TEST(a_status_goes_with_what_it_is_about)
{
    list_now(ID_POD, ITEMS(POD("a"), POD("b"), POD("c")));
    status_now(ID_POD, "a", 0);
    status_now(ID_POD, "b", 0);
    status_now(ID_POD, "c", 0);
    uint64_t asked = last_known_sequence(store);
    removed(ID_POD, "a");
    assert_false(has_status(ID_POD, "a"));
    must_status(ID_POD, "a", 0, asked);
    assert_false(has_status(ID_POD, "a"));
    list_now(ID_POD, ITEMS(POD("b")));
    assert_true(has_status(ID_POD, "b"));
    assert_false(has_status(ID_POD, "c"));
}

TEST(a_list_with_another_state_refutes_a_status)
{
    uint64_t before = last_known_sequence(store);
    status_now(ID_POD, "a", 0);
    status_now(ID_POD, "b", 0);
    must_list(ID_POD, ITEMS(STOPPED("a"), POD("b")), before);
    assert_true(has_status(ID_POD, "a"));
    list_now(ID_POD, ITEMS(STOPPED("a"), POD("b")));
    assert_false(has_status(ID_POD, "a"));
    assert_true(has_status(ID_POD, "b"));
    must_status(ID_POD, "a", 0, before);
    assert_false(has_status(ID_POD, "a"));
}

/* However often it came before. */
TEST(the_same_list_again_still_refutes)
{
    for (int i = 0; i < 3; i++) {
        list_now(ID_POD, ITEMS(POD("a"), STOPPED("b")));
    }
    status_now(ID_POD, "a", 0);
    status_now(ID_POD, "b", 0);
    uint64_t before = last_known_sequence(store);
    list_now(ID_POD, ITEMS(POD("a"), STOPPED("b")));
    assert_true(has_status(ID_POD, "a"));
    assert_false(has_status(ID_POD, "b"));
    list_now(ID_POD, ITEMS(POD("a"), STOPPED("b")));
    must_status(ID_POD, "b", 0, before);
    assert_false(has_status(ID_POD, "b"));
    create_pod("c");
    assert_string_equal(known(ID_POD), "a b c");
    list_now(ID_POD, ITEMS(POD("a"), STOPPED("b")));
    assert_string_equal(known(ID_POD), "a b");
    removed(ID_POD, "a");
    assert_string_equal(known(ID_POD), "b");
    list_now(ID_POD, ITEMS(POD("a"), STOPPED("b")));
    assert_string_equal(known(ID_POD), "a b");
}

TEST(a_status_of_what_was_just_created_stays)
{
    uint64_t asked = last_known_sequence(store);
    create_pod("a");
    status_now(ID_POD, "a", 0);
    must_list(ID_POD, NONE, asked);
    assert_true(has_status(ID_POD, "a"));
    list_now(ID_POD, NONE);
    assert_false(has_status(ID_POD, "a"));
}

/* ---- bounds ---- */

static void restart_with_limit(size_t limit)
{
    last_known_free(store);
    store = last_known_new(limit);
    assert_non_null(store);
}

TEST(statuses_go_first_the_oldest_before_others)
{
    restart_with_limit(100000);
    list_now(ID_POD, ITEMS(POD("kept")));
    for (int i = 0; i < 100; i++) {
        char id[16];
        snprintf(id, sizeof id, "pod-%d", i);
        struct bytes status = fixture_status(arena, ID_POD, id, 0, 10000);
        assert_true(last_known_set_status(store, ID_POD, DIALECT_V1, status, last_known_sequence(store), 1, NULL));
        assert_true(last_known_memory(store) < 101000);
    }
    assert_true(has_status(ID_POD, "pod-99"));
    assert_true(has_status(ID_POD, "pod-93"));
    assert_false(has_status(ID_POD, "pod-80"));
    assert_string_equal(known(ID_POD), "kept");
}

TEST(beyond_the_limit_nothing_is_known)
{
    restart_with_limit(4000);
    list_now(ID_CONTAINER, ITEMS(CONTAINER("c", "p")));
    status_now(ID_POD, "a", 0);
    uint64_t asked = last_known_sequence(store);
    struct fixture_item many[200] = {{0}};
    for (size_t i = 0; i < 199; i++) {
        many[i].id = "0123456789012345678901234567890123456789";
    }
    struct error error = {0};
    struct bytes list = fixture_list(arena, ID_POD, many);
    assert_false(last_known_set_list(store, ID_POD, DIALECT_V1, pieces_of(&list), last_known_sequence(store), 1, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    assert_string_equal(known(ID_POD), "nothing known");
    assert_string_equal(known(ID_CONTAINER), "nothing known");
    assert_false(has_status(ID_POD, "a"));
    must_list(ID_POD, ITEMS(POD("a")), asked);
    assert_string_equal(known(ID_POD), "nothing known");
    list_now(ID_POD, ITEMS(POD("a")));
    assert_string_equal(known(ID_POD), "a");
}

/* Without lists, changes are kept for those that are under way; but not without end. */
TEST(changes_are_bounded)
{
    restart_with_limit(50000);
    uint64_t asked = last_known_sequence(store);
    bool gave_up = false;
    for (int i = 0; i < 1000; i++) {
        char id[16];
        snprintf(id, sizeof id, "pod-%d", i);
        struct fixture_item pod = POD(id);
        last_known_created(store, ID_POD, DIALECT_V1, fixture_list(arena, ID_POD, ITEMS(pod)), NULL);
        removed(ID_CONTAINER, id);
        gave_up |= last_known_gave_up(store, ID_POD);
        assert_true(last_known_memory(store) < 51000);
    }
    assert_true(gave_up);
    must_list(ID_POD, NONE, asked);
    assert_string_equal(known(ID_POD), "nothing known");
}

TEST(an_answer_that_is_too_big_is_refused)
{
    list_now(ID_POD, ITEMS(POD("a"), POD("b")));
    struct list_filter all = {0};
    struct last_known_list list;
    struct error error = {0};
    struct arena *small = arena_new(16);
    assert_non_null(small);
    assert_false(last_known_list(store, ID_POD, &all, small, &list, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    arena_unref(small);
}

/* ---- repetitions ---- */

/* The number of the list that this one would repeat if it were asked for now; 0 for none. */
static uint64_t repeated_by(const struct fixture_item *items)
{
    struct bytes list = fixture_list(arena, ID_CONTAINER, items);
    const struct last_known_repetition repetition =
        last_known_repetition(store, ID_CONTAINER, DIALECT_V1, last_known_sequence(store));
    struct list_digest digest = {0};
    if (repetition.number > 0) {
        list_digest_add(&digest, &repetition.digester, list);
    }
    return repetition.number > 0 && list_digest_equal(&digest, &repetition.digest) ? repetition.number : 0;
}

TEST(a_list_repeats_one_with_the_same_items_in_any_order)
{
    const struct fixture_item a = {.id = "a", .state = 1}, b = {.id = "b", .state = 1}, ended = {.id = "b", .state = 2};
    assert_int_equal(repeated_by(ITEMS(a, b)), 0);
    list_now(ID_CONTAINER, ITEMS(a, b));
    uint64_t number = repeated_by(ITEMS(a, b));
    assert_int_not_equal(number, 0);
    assert_int_equal(repeated_by(ITEMS(b, a)), number);
    assert_int_equal(repeated_by(ITEMS(a)), 0);
    assert_int_equal(repeated_by(ITEMS(a, b, b)), 0);
    assert_int_equal(repeated_by(ITEMS(a, ended)), 0);
    list_now(ID_CONTAINER, ITEMS(b, a));
    assert_int_equal(repeated_by(ITEMS(a, b)), number);
    list_now(ID_CONTAINER, ITEMS(a, ended));
    assert_int_equal(repeated_by(ITEMS(a, b)), 0);
    list_now(ID_CONTAINER, ITEMS(a, b));
    assert_int_not_equal(repeated_by(ITEMS(a, b)), 0);
    assert_int_not_equal(repeated_by(ITEMS(a, b)), number);
    assert_int_equal(last_known_repetition(store, ID_CONTAINER, DIALECT_V1_9, last_known_sequence(store)).number, 0);
    assert_int_equal(last_known_repetition(store, ID_POD, DIALECT_V1, last_known_sequence(store)).number, 0);
    last_known_forget(store);
    assert_int_equal(repeated_by(ITEMS(a, b)), 0);
}

/* Entries of maps have no order, but belong to their item. */
TEST(the_order_of_labels_says_nothing)
{
    const struct fixture_label one = {"k", "1"}, two = {"l", "2"};
    list_now(ID_CONTAINER, ITEMS({.id = "a", .labels = {one, two}}, {.id = "b"}));
    uint64_t number = repeated_by(ITEMS({.id = "a", .labels = {two, one}}, {.id = "b"}));
    assert_int_not_equal(number, 0);
    assert_int_equal(repeated_by(ITEMS({.id = "b"}, {.id = "a", .labels = {one, two}})), number);
    assert_int_equal(repeated_by(ITEMS({.id = "a", .labels = {one}}, {.id = "b", .labels = {two}})), 0);
    assert_int_equal(repeated_by(ITEMS({.id = "b", .labels = {one, two}}, {.id = "a"})), 0);
    assert_int_equal(repeated_by(ITEMS({.id = "a", .labels = {one, one}}, {.id = "b"})), 0);
}

/* What was learned since the list that could make another picture of it. */
TEST(news_have_to_be_looked_at_once)
{
    const struct fixture_item a = {.id = "a", .state = 1}, b = {.id = "b", .state = 1};
    const struct fixture_item *both = ITEMS(a, b);
    list_now(ID_CONTAINER, both);
    status_now(ID_CONTAINER, "a", 1);
    assert_int_equal(repeated_by(both), 0);
    list_now(ID_CONTAINER, both);
    assert_int_not_equal(repeated_by(both), 0);
    /* What the list says as well is no news. */
    status_now(ID_CONTAINER, "a", 1);
    assert_int_not_equal(repeated_by(both), 0);
    status_now(ID_CONTAINER, "a", 2);
    assert_int_equal(repeated_by(both), 0);
    list_now(ID_CONTAINER, both);
    assert_int_not_equal(repeated_by(both), 0);
    status_now(ID_CONTAINER, "unlisted", 1);
    assert_int_equal(repeated_by(both), 0);
    list_now(ID_CONTAINER, both);
    assert_int_not_equal(repeated_by(both), 0);
    removed(ID_CONTAINER, "a");
    assert_int_equal(repeated_by(both), 0);
    list_now(ID_CONTAINER, both);
    assert_int_not_equal(repeated_by(both), 0);
    create_container("c", "pod");
    assert_int_equal(repeated_by(both), 0);
}

/* ---- versions ---- */

TEST(the_version_tells_what_is_worth_writing)
{
    list_now(ID_POD, ITEMS(POD("a"), POD("b")));
    uint64_t version = last_known_version(store);
    list_now(ID_POD, ITEMS(POD("b"), POD("a")));
    assert_int_equal(last_known_version(store), version);
    list_now(ID_POD, ITEMS(POD("b"), STOPPED("a")));
    assert_int_not_equal(last_known_version(store), version);
    version = last_known_version(store);
    status_now(ID_POD, "b", 0);
    assert_int_not_equal(last_known_version(store), version);
    version = last_known_version(store);
    status_now(ID_POD, "b", 0);
    assert_int_equal(last_known_version(store), version);
    create_pod("c");
    assert_int_not_equal(last_known_version(store), version);
    version = last_known_version(store);
    list_now(ID_POD, ITEMS(POD("b"), STOPPED("a")));
    assert_int_not_equal(last_known_version(store), version);
    version = last_known_version(store);
    removed(ID_POD, "a");
    assert_int_not_equal(last_known_version(store), version);
}

/* ---- a copy elsewhere ---- */

static bool stop_at_once(void *state, const struct last_known_record *record)
{
    (void)record;
    ++*(int *)state;
    return false;
}

TEST(a_copy_knows_the_same)
{
    list_now(ID_POD, ITEMS(POD("p1"), POD("p2"), POD("p3")));
    status_now(ID_POD, "p1", 0);
    list_now(ID_POD, ITEMS(POD("p1"), POD("p2"), POD("p3")));
    list_now(ID_CONTAINER, ITEMS(CONTAINER("c1", "p1"), CONTAINER("c2", "p2")));
    create_pod("p4");
    create_container("c4", "p4");
    status_now(ID_CONTAINER, "c2", 0);
    status_now(ID_CONTAINER, "c1", 0);
    removed(ID_POD, "p2");
    struct last_known *copy = last_known_new(LAST_KNOWN_DEFAULT_LIMIT);
    assert_non_null(copy);
    assert_true(last_known_each(store, copy_record, copy));
    assert_string_equal(known_of(copy, ID_POD), "p1 p3 p4");
    assert_string_equal(known_of(copy, ID_CONTAINER), "c1 c4");
    last_known_free(store);
    store = copy;
    assert_true(has_status(ID_POD, "p1"));
    assert_true(has_status(ID_CONTAINER, "c1"));
    assert_false(has_status(ID_CONTAINER, "c2"));
    list_now(ID_POD, ITEMS(POD("p3")));
    assert_string_equal(known(ID_POD), "p3");
    assert_false(has_status(ID_POD, "p1"));
    int visits = 0;
    assert_false(last_known_each(store, stop_at_once, &visits));
    assert_int_equal(visits, 1);
}

TEST(records_from_outside_are_checked)
{
    const struct bytes bad_name = bytes_of("\x0A\x07\x0A\x01p\x12\x02\x08\x01", 9);
    const struct bytes good = fixture_list(arena, ID_POD, ITEMS(POD("a")));
    const struct last_known_record bad[] = {
        {.part = LAST_KNOWN_GIVEN_UP},
        {.part = LAST_KNOWN_LIST, .dialect = DIALECT_V1, .content = bad_name},
        {.part = LAST_KNOWN_LIST, .dialect = DIALECT_V1, .content = good, .sequence = UINT64_MAX},
        {.part = LAST_KNOWN_CREATED, .dialect = DIALECT_V1, .content = bad_name},
        {.part = LAST_KNOWN_CREATED, .dialect = DIALECT_V1},
        {.part = LAST_KNOWN_REMOVED},
        {.part = LAST_KNOWN_STATUS, .dialect = DIALECT_V1},
        {.part = LAST_KNOWN_STATUS, .dialect = DIALECT_V1, .content = bad_name},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct error error = {0};
        assert_false(last_known_restore(store, &bad[i], &error));
        assert_int_equal(error.code, STATUS_INTERNAL);
    }
    struct last_known_record list = {.part = LAST_KNOWN_LIST, .dialect = DIALECT_V1, .content = good};
    const struct last_known_record given_up = {.part = LAST_KNOWN_GIVEN_UP, .sequence = 5};
    assert_true(last_known_restore(store, &given_up, NULL));
    assert_false(last_known_restore(store, &list, NULL));
    list.sequence = 5;
    assert_true(last_known_restore(store, &list, NULL));
    assert_false(last_known_restore(store, &list, NULL));
    assert_false(last_known_restore(store, &given_up, NULL));
}

/* ---- against a plain model ---- */

#define PODS 40

/* A runtime that never lies: each id is held or not. Lists are asked for and answered some steps later; whatever the order, what
   is known differs from the truth by nothing but what nobody told. */
TEST(random_histories_end_in_the_truth)
{
    uint64_t random = 7;
    bool held[PODS] = {false};
    char ids[PODS][16];
    struct {
        uint64_t asked;
        struct bytes answer; /* what the runtime said at some time after it was asked */
    } waiting[4] = {{0}};
    for (size_t i = 0; i < PODS; i++) {
        snprintf(ids[i], sizeof ids[i], "id-%02zu", i);
    }
    list_now(ID_POD, NONE);
    for (size_t step = 0; step < 20000; step++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        size_t pod = (size_t)(random >> 40) % PODS;
        size_t slot = (size_t)(random >> 50) % 4;
        switch ((random >> 33) % 5) {
        case 0:
        case 1:
            if (held[pod]) {
                removed(ID_POD, ids[pod]);
            } else {
                create_pod(ids[pod]);
            }
            held[pod] = !held[pod];
            break;
        case 2:
            waiting[slot].asked = last_known_sequence(store);
            waiting[slot].answer = (struct bytes){0};
            break;
        case 3: {
            struct fixture_item items[PODS + 1] = {{0}};
            for (size_t i = 0, count = 0; i < PODS; i++) {
                items[count].id = held[i] ? ids[i] : NULL;
                count += held[i];
            }
            waiting[slot].answer = fixture_list(arena, ID_POD, items);
            break;
        }
        default:
            if (waiting[slot].asked && waiting[slot].answer.data) {
                assert_true(last_known_set_list(store, ID_POD, DIALECT_V1, pieces_of(&waiting[slot].answer), waiting[slot].asked,
                                                1, NULL));
                waiting[slot].asked = 0;
            }
        }
        const char *seen = known(ID_POD);
        size_t count = 0;
        for (size_t i = 0; i < PODS; i++) {
            count += held[i];
            assert_int_equal(strstr(seen, ids[i]) != NULL, held[i]);
        }
        assert_int_equal(strlen(seen), count ? count * 6 - 1 : 0);
        if (arena_used(arena) > (size_t)128 * 1024 * 1024) {
            arena_unref(arena);
            arena = arena_new((size_t)256 * 1024 * 1024);
            memset(waiting, 0, sizeof waiting);
        }
    }
}

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

TEST(what_it_costs)
{
    enum { COUNT = 10000 };
    struct fixture_item *items = calloc(COUNT + 1, sizeof *items);
    assert_non_null(items);
    for (size_t i = 0; i < COUNT; i++) {
        char id[65];
        snprintf(id, sizeof id, "%064zx", i * 0x9E3779B97F4A7C15);
        items[i] = (struct fixture_item){.id = arena_string(arena, bytes_of_string(id)), .pod = "0123456789abcdef", .state = 1};
        items[i].labels[0] = (struct fixture_label){"io.kubernetes.container.name", "a-container-with-a-name"};
        items[i].labels[1] = (struct fixture_label){"io.kubernetes.pod.namespace", "a-namespace"};
        status_now(ID_CONTAINER, items[i].id, 1);
    }
    struct bytes list = fixture_list(arena, ID_CONTAINER, items);
    uint64_t asked = last_known_sequence(store);
    double start = milliseconds();
    assert_true(last_known_set_list(store, ID_CONTAINER, DIALECT_V1, pieces_of(&list), asked, 1, NULL));
    double set = milliseconds();
    struct list_filter all = {0};
    struct last_known_list answer;
    assert_true(last_known_list(store, ID_CONTAINER, &all, arena, &answer, NULL));
    double answered = milliseconds();
    assert_int_equal(answer.pieces[0].response.len, list.len);
    printf("%d containers (%zu kB): kept in %.2f ms, answered in %.2f ms\n", COUNT, list.len / 1000, set - start, answered - set);
    free(items);
}
