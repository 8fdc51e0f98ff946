#include <stdio.h>
#include <string.h>

#include "core/events/table.h"
#include "tests/cmocka.h"
#include "tests/unit/translate/lists/list_fixture.h"

/* Stages as bits. */
enum { C = 1 << STAGE_CREATED, S = 1 << STAGE_STARTED, T = 1 << STAGE_STOPPED, D = 1 << STAGE_DELETED };

struct fixture {
    struct arena *arena;
    struct event_table *table;
    const struct event_tale *heard;
    size_t heard_count;
};

static int begin(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.arena = arena_new((size_t)64 * 1024 * 1024), .table = event_table_new()};
    *state = &fixture;
    return fixture.arena && fixture.table ? 0 : -1;
}

static int end(void **state)
{
    struct fixture *fixture = *state;
    event_table_free(fixture->table);
    arena_unref(fixture->arena);
    return 0;
}

static struct bytes text(const char *string)
{
    return bytes_of_string(string);
}

static unsigned untold(const struct fixture *fixture, enum id_kind kind, const char *id, enum container_stage stage)
{
    return event_table_untold(fixture->table, kind, text(id), stage, false);
}

static void told(struct fixture *fixture, enum id_kind kind, const char *id, const char *pod, enum container_stage stage)
{
    assert_true(event_table_told(fixture->table, kind, text(id), text(pod), stage));
}

/* The tales of a comparison as text: "p1 created; c1 stopped (gone)". */
static const char *compare_asked(struct fixture *fixture, const struct fixture_item *pods, const struct fixture_item *containers,
                                 uint64_t containers_asked, uint64_t pods_asked)
{
    static char tales[1024];
    struct event_comparison comparison;
    struct error error = {0};
    struct event_lists lists = {
        .dialect = DIALECT_MODEL,
        .containers = fixture_list(fixture->arena, ID_CONTAINER, containers),
        .pods = fixture_list(fixture->arena, ID_POD, pods),
        .containers_asked = containers_asked,
        .pods_asked = pods_asked,
        .heard = fixture->heard,
        .heard_count = fixture->heard_count,
    };
    assert_true(event_table_compare(fixture->table, &lists, fixture->arena, &comparison, &error));
    static const char *const stages[STAGE_COUNT] = {
        [STAGE_CREATED] = "created", [STAGE_STARTED] = "started", [STAGE_STOPPED] = "stopped", [STAGE_DELETED] = "deleted"};
    tales[0] = '\0';
    for (size_t i = 0; i < comparison.tale_count; i++) {
        const struct event_tale *tale = &comparison.tales[i];
        size_t length = strlen(tales);
        snprintf(tales + length, sizeof tales - length, "%s%.*s %s%s", length > 0 ? "; " : "", (int)tale->id.len,
                 (const char *)tale->id.data, stages[tale->stage], tale->pod_is_gone ? " (gone)" : "");
    }
    return tales;
}

static const char *compare(struct fixture *fixture, const struct fixture_item *pods, const struct fixture_item *containers)
{
    uint64_t containers_asked = event_table_ask(fixture->table);
    return compare_asked(fixture, pods, containers, containers_asked, event_table_ask(fixture->table));
}

EACH_TEST(begin, end)

TEST(each_step_is_told_once)
{
    struct fixture *fixture = *state;
    static const unsigned bits[] = {C, S, T, D};
    for (enum container_stage stage = STAGE_CREATED; stage < STAGE_COUNT; stage++) {
        assert_int_equal(untold(fixture, ID_CONTAINER, "c", stage), bits[stage]);
        told(fixture, ID_CONTAINER, "c", "p", stage);
        for (enum container_stage before = STAGE_CREATED; before <= stage; before++) {
            assert_int_equal(untold(fixture, ID_CONTAINER, "c", before), 0);
        }
    }
    assert_int_equal(event_table_count(fixture->table), 0);
}

TEST(what_must_have_been_is_told_first)
{
    struct fixture *fixture = *state;
    assert_int_equal(untold(fixture, ID_CONTAINER, "c", STAGE_STARTED), C | S);
    assert_int_equal(untold(fixture, ID_CONTAINER, "c", STAGE_STOPPED), C | S | T);
    assert_int_equal(event_table_untold(fixture->table, ID_CONTAINER, text("c"), STAGE_STOPPED, true), C | T);
    assert_int_equal(untold(fixture, ID_POD, "p", STAGE_DELETED), C | S | T | D);
    told(fixture, ID_CONTAINER, "c", "p", STAGE_CREATED);
    /* Perhaps it was never started. */
    assert_int_equal(untold(fixture, ID_CONTAINER, "c", STAGE_DELETED), D);
    told(fixture, ID_CONTAINER, "c", "p", STAGE_STARTED);
    assert_int_equal(untold(fixture, ID_CONTAINER, "c", STAGE_DELETED), T | D);
}

TEST(lists_show_what_is_new)
{
    struct fixture *fixture = *state;
    const struct fixture_item pods[] = {{"p1", NULL, 0, {{0}}}, {"p2", NULL, 1, {{0}}}, {0}};
    const struct fixture_item containers[] = {
        {"c1", "p1", 0, {{0}}}, {"c2", "p1", 1, {{0}}}, {"c3", "p2", 2, {{0}}}, {"c4", "p1", 3, {{0}}}, {0}};
    assert_string_equal(
        compare(fixture, pods, containers),
        "p1 started; c1 created; c2 created; c4 created; c2 started; p2 started; c3 created; c3 stopped; p2 stopped");
    for (size_t i = 0; pods[i].id; i++) {
        told(fixture, ID_POD, pods[i].id, pods[i].id, i == 0 ? STAGE_STARTED : STAGE_STOPPED);
    }
    told(fixture, ID_CONTAINER, "c1", "p1", STAGE_CREATED);
    told(fixture, ID_CONTAINER, "c2", "p1", STAGE_STARTED);
    told(fixture, ID_CONTAINER, "c3", "p2", STAGE_STOPPED);
    told(fixture, ID_CONTAINER, "c4", "p1", STAGE_CREATED);
    assert_string_equal(compare(fixture, pods, containers), "");
}

/* The event of its deletion may come while the statuses of what lists show are still being asked for. */
TEST(what_lists_have_shown_is_told_before_the_deletion)
{
    struct fixture *fixture = *state;
    const struct fixture_item pods[] = {{"p", NULL, 0, {{0}}}, {0}};
    const struct fixture_item containers[] = {
        {"never-started", "p", 0, {{0}}}, {"running", "p", 1, {{0}}}, {"exited", "p", 2, {{0}}}, {0}};
    told(fixture, ID_POD, "p", "p", STAGE_STARTED);
    for (size_t i = 0; i < 3; i++) {
        told(fixture, ID_CONTAINER, containers[i].id, "p", STAGE_CREATED);
    }
    compare(fixture, pods, containers);
    assert_int_equal(untold(fixture, ID_CONTAINER, "never-started", STAGE_DELETED), D);
    assert_int_equal(untold(fixture, ID_CONTAINER, "running", STAGE_DELETED), S | T | D);
    assert_int_equal(untold(fixture, ID_CONTAINER, "exited", STAGE_DELETED), S | T | D);
    assert_int_equal(event_table_untold(fixture->table, ID_CONTAINER, text("running"), STAGE_STOPPED, true), S | T);
}

TEST(what_lists_lack_is_gone_containers_before_their_pod)
{
    struct fixture *fixture = *state;
    const struct fixture_item pods[] = {{"p1", NULL, 0, {{0}}}, {"p2", NULL, 0, {{0}}}, {0}};
    const struct fixture_item containers[] = {{"c1", "p1", 1, {{0}}}, {"c2", "p2", 1, {{0}}}, {"c3", "p2", 1, {{0}}}, {0}};
    compare(fixture, pods, containers);
    for (size_t i = 0; i < 3; i++) {
        told(fixture, ID_CONTAINER, containers[i].id, containers[i].pod, STAGE_STARTED);
    }
    told(fixture, ID_POD, "p1", "p1", STAGE_STARTED);
    told(fixture, ID_POD, "p2", "p2", STAGE_STARTED);
    const struct fixture_item pods_later[] = {{"p2", NULL, 0, {{0}}}, {0}};
    const struct fixture_item containers_later[] = {{"c1", "p1", 1, {{0}}}, {"c3", "p2", 1, {{0}}}, {0}};
    /* c1 is in the list of containers, which was a little too early. */
    assert_string_equal(compare(fixture, pods_later, containers_later), "c1 deleted (gone); p1 deleted (gone); c2 deleted");
}

TEST(what_came_after_a_list_was_asked_for_is_not_missing_in_it)
{
    struct fixture *fixture = *state;
    const struct fixture_item none[] = {{0}};
    uint64_t containers_asked = event_table_ask(fixture->table);
    uint64_t pods_asked = event_table_ask(fixture->table);
    told(fixture, ID_POD, "p", "p", STAGE_STARTED);
    told(fixture, ID_CONTAINER, "c", "p", STAGE_STARTED);
    assert_string_equal(compare_asked(fixture, none, none, containers_asked, pods_asked), "");
    assert_string_equal(compare(fixture, none, none), "c deleted (gone); p deleted (gone)");
}

TEST(what_is_deleted_does_not_come_back_by_an_old_list)
{
    struct fixture *fixture = *state;
    const struct fixture_item pods[] = {{"p", NULL, 0, {{0}}}, {0}};
    const struct fixture_item containers[] = {{"c", "p", 1, {{0}}}, {0}};
    told(fixture, ID_POD, "p", "p", STAGE_DELETED);
    told(fixture, ID_CONTAINER, "c", "p", STAGE_DELETED);
    assert_string_equal(compare(fixture, pods, containers), "");
    assert_int_equal(untold(fixture, ID_CONTAINER, "c", STAGE_STOPPED), 0);
}

TEST(only_so_many_deletions_are_remembered)
{
    struct fixture *fixture = *state;
    char id[16];
    for (unsigned i = 0; i <= EVENT_TABLE_DELETED; i++) {
        snprintf(id, sizeof id, "c%u", i);
        told(fixture, ID_CONTAINER, id, "p", STAGE_DELETED);
    }
    assert_false(event_table_knows(fixture->table, text("c0")));
    assert_true(event_table_knows(fixture->table, text("c1")));
    assert_true(event_table_knows(fixture->table, text(id)));
    assert_int_equal(event_table_count(fixture->table), 0);
}

TEST(a_pod_is_remembered_as_it_was_listed_until_it_is_deleted)
{
    struct fixture *fixture = *state;
    const struct fixture_item pods[] = {{"p", NULL, 0, {{0}}}, {0}};
    const struct fixture_item none[] = {{0}};
    struct container_event_pod seen;
    compare(fixture, pods, none);
    assert_true(event_table_seen_pod(fixture->table, text("p"), &seen));
    assert_true(seen.is_item);
    assert_true(seen.message.len > 0);
    told(fixture, ID_POD, "p", "p", STAGE_DELETED);
    assert_false(event_table_seen_pod(fixture->table, text("p"), &seen));
}

TEST(what_pods_look_like_is_remembered_within_bounds)
{
    struct fixture *fixture = *state;
    static uint8_t big[EVENT_TABLE_SEEN];
    struct container_event_pod seen = {.dialect = DIALECT_MODEL, .message = bytes_of(big, sizeof big)};
    told(fixture, ID_POD, "p1", "p1", STAGE_STARTED);
    told(fixture, ID_POD, "p2", "p2", STAGE_STARTED);
    event_table_see_pod(fixture->table, text("p1"), &seen);
    assert_true(event_table_seen_pod(fixture->table, text("p1"), &seen));
    seen.message.len = 1;
    event_table_see_pod(fixture->table, text("p2"), &seen);
    assert_false(event_table_seen_pod(fixture->table, text("p2"), &seen));
    told(fixture, ID_POD, "p1", "p1", STAGE_DELETED);
    seen.message = bytes_of(big, 1);
    event_table_see_pod(fixture->table, text("p2"), &seen);
    assert_true(event_table_seen_pod(fixture->table, text("p2"), &seen));
}

TEST(what_was_over_before_is_never_told_unless_it_lives_on)
{
    struct fixture *fixture = *state;
    const struct fixture_item none[] = {{0}};
    const struct fixture_item pods[] = {{"p", NULL, 0, {{0}}}, {0}};
    const struct fixture_item containers[] = {{"c2", "p", 1, {{0}}}, {0}};
    event_table_was_before(fixture->table, ID_CONTAINER, text("c1"), STAGE_CREATED);
    event_table_was_before(fixture->table, ID_CONTAINER, text("c1"), STAGE_STARTED);
    event_table_was_before(fixture->table, ID_CONTAINER, text("c2"), STAGE_CREATED);
    assert_false(event_table_knows(fixture->table, text("c1")));
    assert_int_equal(untold(fixture, ID_CONTAINER, "c1", STAGE_STARTED), 0);
    /* What lists lack of it is no news, what they show is. */
    assert_string_equal(compare(fixture, none, none), "");
    assert_string_equal(compare(fixture, pods, containers), "p started; c2 started");
    assert_true(event_table_knows(fixture->table, text("c2")));
    assert_false(event_table_knows(fixture->table, text("c1")));
    told(fixture, ID_CONTAINER, "c2", "p", STAGE_STARTED);
    /* From a step that was told it goes on as all others do, and old events of what is known change nothing. */
    event_table_was_before(fixture->table, ID_CONTAINER, text("c2"), STAGE_DELETED);
    assert_int_equal(untold(fixture, ID_CONTAINER, "c2", STAGE_STOPPED), T);
    event_table_was_before(fixture->table, ID_CONTAINER, text("c1"), STAGE_DELETED);
    assert_int_equal(untold(fixture, ID_CONTAINER, "c1", STAGE_DELETED), 0);
    assert_int_equal(event_table_count(fixture->table), 2);
}

TEST(what_was_heard_of_is_told_with_what_lists_show)
{
    struct fixture *fixture = *state;
    const struct fixture_item pods[] = {{"p", NULL, 0, {{0}}}, {0}};
    const struct fixture_item containers[] = {{"c2", "p", 1, {{0}}}, {0}};
    const struct event_tale heard[] = {
        {.kind = ID_CONTAINER, .stage = STAGE_CREATED, .id = text("c1"), .pod = text("p")},
        {.kind = ID_CONTAINER, .stage = STAGE_DELETED, .id = text("c1"), .pod = text("p")},
        {.kind = ID_CONTAINER, .stage = STAGE_STARTED, .id = text("c2"), .pod = text("p")},
    };
    fixture->heard = heard;
    fixture->heard_count = sizeof heard / sizeof *heard;
    assert_string_equal(compare(fixture, pods, containers),
                        "p started; c1 created; c2 created; c2 started; c2 started; c1 deleted");
    for (size_t i = 0; i < fixture->heard_count; i++) {
        assert_true(event_table_told(fixture->table, heard[i].kind, heard[i].id, heard[i].pod, heard[i].stage));
    }
    assert_string_equal(compare(fixture, pods, containers), "p started");
}

TEST(malformed_lists_are_told)
{
    struct fixture *fixture = *state;
    struct event_comparison comparison;
    struct error error = {0};
    struct event_lists lists = {.dialect = DIALECT_MODEL, .containers = text("\xff\xff"), .pods_asked = 2, .containers_asked = 1};
    assert_false(event_table_compare(fixture->table, &lists, fixture->arena, &comparison, &error));
    assert_int_equal(error.code, STATUS_INTERNAL);
}

TEST(members_of_a_pod_are_found)
{
    struct fixture *fixture = *state;
    const struct fixture_item containers[] = {{"c1", "b", 0, {{0}}}, {"c2", "a", 0, {{0}}}, {"c3", "b", 0, {{0}}}, {0}};
    struct event_comparison comparison;
    struct error error = {0};
    struct event_lists lists = {
        .dialect = DIALECT_MODEL, .containers = fixture_list(fixture->arena, ID_CONTAINER, containers), .containers_asked = 1};
    size_t count;
    assert_true(event_table_compare(fixture->table, &lists, fixture->arena, &comparison, &error));
    const struct event_member *members = event_comparison_members(&comparison, text("b"), &count);
    assert_int_equal(count, 2);
    assert_true(bytes_equal(members[0].id, text("c1")) && bytes_equal(members[1].id, text("c3")));
    assert_null(event_comparison_members(&comparison, text("c"), &count));
    assert_int_equal(count, 0);
}
