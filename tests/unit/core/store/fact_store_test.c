#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/fact_store.h"
#include "tests/cmocka.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_ALLOCATOR false /* mallinfo2 reports nothing */
#else
#define OWN_ALLOCATOR true
#endif

static struct bytes text(const char *string)
{
    return bytes_of_string(string);
}

static int begin(void **state)
{
    *state = fact_store_new();
    return *state ? 0 : -1;
}

static int end(void **state)
{
    fact_store_free(*state);
    return 0;
}

static void must_put_pod(struct fact_store *store, const char *id, bool parent_changed)
{
    struct known_pod pod = {.handler = text("kata"), .facts = text("facts of a pod"), .parent_changed = parent_changed};
    assert_true(fact_store_put_pod(store, text(id), &pod));
}

static void must_put_container(struct fact_store *store, const char *id, const char *pod_id, const char *environment)
{
    struct known_container container = {
        .pod_id = text(pod_id),
        .facts = text("facts of a container"),
        .environment = text(environment),
        .has_environment = environment != NULL,
    };
    assert_true(fact_store_put_container(store, text(id), &container));
}

static bool knows(const struct fact_store *store, enum id_kind kind, const char *id)
{
    struct known_pod pod;
    struct known_container container;
    return kind == ID_POD ? fact_store_pod(store, text(id), &pod) : fact_store_container(store, text(id), &container);
}

static void expect_bytes(struct bytes found, const char *expected)
{
    assert_int_equal(found.len, strlen(expected));
    assert_true(bytes_equal(found, text(expected)));
}

static void expect_counts(const struct fact_store *store, size_t pods, size_t containers)
{
    assert_int_equal(fact_store_count(store, ID_POD), pods);
    assert_int_equal(fact_store_count(store, ID_CONTAINER), containers);
}

EACH_TEST(begin, end)

TEST(what_is_put_is_found)
{
    struct fact_store *store = *state;
    must_put_pod(store, "p", true);
    must_put_container(store, "c", "p", "A=1");
    must_put_container(store, "bare", "p", NULL);
    must_put_container(store, "empty", "p", "");
    struct known_pod pod;
    assert_true(fact_store_pod(store, text("p"), &pod));
    expect_bytes(pod.handler, "kata");
    expect_bytes(pod.facts, "facts of a pod");
    assert_true(pod.parent_changed);
    assert_false(pod.stopped);
    struct known_container container;
    assert_true(fact_store_container(store, text("c"), &container));
    expect_bytes(container.pod_id, "p");
    expect_bytes(container.facts, "facts of a container");
    expect_bytes(container.environment, "A=1");
    assert_true(container.has_environment);
    assert_false(container.stopped);
    assert_true(fact_store_container(store, text("bare"), &container));
    assert_false(container.has_environment);
    assert_true(fact_store_container(store, text("empty"), &container));
    assert_true(container.has_environment);
    assert_int_equal(container.environment.len, 0);
    assert_false(knows(store, ID_POD, "c"));
    assert_false(knows(store, ID_CONTAINER, "p"));
    expect_counts(store, 1, 3);
}

TEST(a_later_one_takes_the_place)
{
    struct fact_store *store = *state;
    must_put_pod(store, "p", true);
    must_put_container(store, "c", "p", "A=1");
    size_t memory = fact_store_memory(store);
    must_put_pod(store, "p", false);
    must_put_container(store, "c", "q", NULL);
    assert_int_equal(fact_store_changed_parents(store), 0);
    assert_int_equal(fact_store_environment_memory(store), 0);
    assert_int_equal(fact_store_memory(store), memory - strlen("A=1"));
    expect_counts(store, 1, 1);
    fact_store_remove(store, ID_POD, text("p"));
    assert_true(knows(store, ID_CONTAINER, "c"));
    fact_store_remove(store, ID_POD, text("q"));
    expect_counts(store, 0, 0);
}

TEST(a_changed_copy_of_what_it_has_is_put_back)
{
    struct fact_store *store = *state;
    must_put_container(store, "c", "p", "A=1");
    struct known_container container;
    assert_true(fact_store_container(store, text("c"), &container));
    container.stopped = true;
    assert_true(fact_store_put_container(store, text("c"), &container));
    assert_true(fact_store_container(store, text("c"), &container));
    assert_true(container.stopped);
    expect_bytes(container.environment, "A=1");
    expect_bytes(container.facts, "facts of a container");
    fact_store_remove(store, ID_POD, container.pod_id);
    expect_counts(store, 0, 0);
}

TEST(a_stop_counts_once)
{
    struct fact_store *store = *state;
    must_put_pod(store, "p", false);
    must_put_container(store, "c", "p", NULL);
    for (size_t kind = 0; kind < ID_KIND_COUNT; kind++) {
        struct bytes id = text(kind == ID_POD ? "p" : "c");
        assert_true(fact_store_stop(store, (enum id_kind)kind, id));
        assert_false(fact_store_stop(store, (enum id_kind)kind, id));
        assert_false(fact_store_stop(store, (enum id_kind)kind, text("unknown")));
    }
    struct known_pod pod;
    assert_true(fact_store_pod(store, text("p"), &pod));
    assert_true(pod.stopped);
}

TEST(a_pod_goes_with_its_containers)
{
    struct fact_store *store = *state;
    must_put_container(store, "before-its-pod", "p", "A=1");
    must_put_pod(store, "p", true);
    must_put_pod(store, "q", false);
    must_put_container(store, "c", "p", NULL);
    must_put_container(store, "of-another", "q", NULL);
    must_put_container(store, "of-no-known-pod", "r", NULL);
    fact_store_remove(store, ID_POD, text("p"));
    expect_counts(store, 1, 2);
    assert_true(knows(store, ID_CONTAINER, "of-another"));
    assert_int_equal(fact_store_changed_parents(store), 0);
    assert_int_equal(fact_store_environment_memory(store), 0);
    fact_store_remove(store, ID_CONTAINER, text("of-another"));
    fact_store_remove(store, ID_CONTAINER, text("of-another"));
    fact_store_remove(store, ID_POD, text("r"));
    expect_counts(store, 1, 0);
    assert_true(knows(store, ID_POD, "q"));
}

static bool keep_one(void *state, struct bytes id)
{
    return bytes_equal(id, text(state));
}

TEST(what_is_not_retained_is_gone)
{
    struct fact_store *store = *state;
    for (int i = 0; i < 200; i++) {
        char pod[16];
        char container[16];
        snprintf(pod, sizeof pod, "p%d", i);
        must_put_pod(store, pod, false);
        for (int j = 0; j < 3; j++) {
            snprintf(container, sizeof container, "c%d-%d", i, j);
            must_put_container(store, container, pod, NULL);
        }
    }
    must_put_container(store, "of-no-known-pod", "r", NULL);
    fact_store_retain(store, ID_POD, keep_one, (char[]){"p77"});
    expect_counts(store, 1, 4);
    assert_true(knows(store, ID_CONTAINER, "c77-2"));
    fact_store_retain(store, ID_CONTAINER, keep_one, (char[]){"c77-1"});
    expect_counts(store, 1, 1);
    assert_true(knows(store, ID_POD, "p77"));
    assert_true(knows(store, ID_CONTAINER, "c77-1"));
}

TEST(only_changed_pods_outlive_the_last_plugin)
{
    struct fact_store *store = *state;
    must_put_pod(store, "p", true);
    must_put_pod(store, "q", false);
    must_put_container(store, "c", "p", "A=1");
    fact_store_forget_unchanged(store);
    expect_counts(store, 1, 0);
    assert_true(knows(store, ID_POD, "p"));
    assert_int_equal(fact_store_changed_parents(store), 1);
    assert_int_equal(fact_store_environment_memory(store), 0);
}

TEST(environments_go_alone)
{
    struct fact_store *store = *state;
    must_put_container(store, "c", "p", "A=1");
    must_put_container(store, "d", "p", "BB=22");
    size_t memory = fact_store_memory(store);
    assert_int_equal(fact_store_environment_memory(store), 8);
    assert_int_equal(fact_store_forget_environments(store), 8);
    assert_int_equal(fact_store_forget_environments(store), 0);
    assert_int_equal(fact_store_memory(store), memory - 8);
    struct known_container container;
    assert_true(fact_store_container(store, text("c"), &container));
    assert_false(container.has_environment);
    assert_int_equal(container.environment.len, 0);
    expect_bytes(container.facts, "facts of a container");
}

TEST(an_environment_comes_later)
{
    struct fact_store *store = *state;
    must_put_container(store, "c", "p", NULL);
    assert_false(fact_store_set_environment(store, text("d"), text("A=1")));
    assert_true(fact_store_set_environment(store, text("c"), text("A=1")));
    assert_true(fact_store_set_environment(store, text("c"), text("A=22")));
    struct known_container container;
    assert_true(fact_store_container(store, text("c"), &container));
    assert_true(container.has_environment);
    expect_bytes(container.environment, "A=22");
    assert_true(fact_store_set_environment(store, text("c"), bytes_of(container.environment.data, 3)));
    assert_true(fact_store_container(store, text("c"), &container));
    expect_bytes(container.environment, "A=2");
    assert_int_equal(fact_store_environment_memory(store), 3);
    fact_store_remove(store, ID_CONTAINER, text("c"));
    assert_int_equal(fact_store_environment_memory(store), 0);
}

TEST(what_is_too_big_is_not_kept)
{
    struct fact_store *store = *state;
    uint8_t *much = calloc(1, FACT_STORE_ENVIRONMENT_LIMIT + 1);
    assert_non_null(much);
    struct known_pod pod = {.facts = bytes_of(much, FACT_STORE_ENTRY_LIMIT - 1)};
    assert_true(fact_store_put_pod(store, text("p"), &pod));
    pod.facts.len++;
    assert_false(fact_store_put_pod(store, text("p"), &pod));
    assert_false(knows(store, ID_POD, "p"));
    struct known_container container = {
        .facts = text("facts"),
        .environment = bytes_of(much, FACT_STORE_ENVIRONMENT_LIMIT + 1),
        .has_environment = true,
    };
    assert_true(fact_store_put_container(store, text("c"), &container));
    struct known_container found;
    assert_true(fact_store_container(store, text("c"), &found));
    assert_false(found.has_environment);
    assert_true(fact_store_set_environment(store, text("c"), text("A=1")));
    assert_false(fact_store_set_environment(store, text("c"), bytes_of(much, FACT_STORE_ENVIRONMENT_LIMIT + 1)));
    assert_true(fact_store_container(store, text("c"), &found));
    expect_bytes(found.environment, "A=1");
    assert_false(fact_store_put_container(store, text(""), &container));
    assert_false(fact_store_put_container(store, bytes_of(much, FACT_STORE_LONGEST_ID + 1), &container));
    assert_true(fact_store_put_container(store, bytes_of(much, FACT_STORE_LONGEST_ID), &container));
    free(much);
}

TEST(all_together_are_bounded)
{
    struct fact_store *store = *state;
    size_t empty = fact_store_memory(store);
    uint8_t *much = calloc(1, FACT_STORE_ENTRY_LIMIT);
    assert_non_null(much);
    struct known_pod pod = {.facts = bytes_of(much, FACT_STORE_ENTRY_LIMIT - 8)};
    size_t count = 0;
    char id[16];
    do {
        snprintf(id, sizeof id, "%zu", count++);
    } while (fact_store_put_pod(store, text(id), &pod));
    free(much);
    assert_true(fact_store_text_memory(store) >= FACT_STORE_LIMIT - 2 * FACT_STORE_ENTRY_LIMIT);
    assert_true(fact_store_text_memory(store) <= FACT_STORE_LIMIT);
    fact_store_retain(store, ID_POD, keep_one, (char[]){"none"});
    assert_int_equal(fact_store_memory(store), empty);
    assert_int_equal(fact_store_text_memory(store), 0);
}

/* ---- sizes ---- */

static const char *long_id(char *id, char kind, size_t number)
{
    snprintf(id, 65, "%c%063zu", kind, number);
    return id;
}

TEST(a_full_node_takes_less_than_ten_mebibytes)
{
    struct fact_store *store = *state;
    static const uint8_t facts[900];
    char id[65];
    char pod_id[65];
    size_t before = mallinfo2().uordblks;
    for (size_t i = 0; i < 6000; i++) {
        struct known_pod pod = {.handler = text("kata"), .facts = bytes_of(facts, 900)};
        struct known_container container = {.facts = bytes_of(facts, 500)};
        if (i < 1000) {
            assert_true(fact_store_put_pod(store, text(long_id(id, 'p', i)), &pod));
            continue;
        }
        container.pod_id = text(long_id(pod_id, 'p', i % 1000));
        assert_true(fact_store_put_container(store, text(long_id(id, 'c', i)), &container));
    }
    size_t taken = mallinfo2().uordblks - before;
    size_t counted = fact_store_memory(store);
    printf("1,000 pods and 5,000 containers: %zu bytes counted, %zu taken\n", counted, taken);
    expect_counts(store, 1000, 5000);
    assert_true(counted < (size_t)10 * 1024 * 1024);
    if (OWN_ALLOCATOR) {
        assert_true(taken < (size_t)10 * 1024 * 1024);
        assert_true(taken < counted + counted / 20 && counted < taken + taken / 20);
    }
}

#define MANY 3000

/* Whatever is put and removed in whichever order, the store knows what a plain array knows. */
TEST(agrees_with_a_plain_array)
{
    struct fact_store *store = *state;
    bool *known = calloc(MANY, 1);
    assert_non_null(known);
    uint64_t random = 42;
    for (size_t step = 0; step < (size_t)20 * MANY; step++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        size_t number = (size_t)(random >> 33) % MANY;
        char id[65];
        char pod_id[65];
        if (random >> 63 || number % 10 == 0) {
            must_put_container(store, long_id(id, 'c', number), long_id(pod_id, 'p', number % 100), "A=1");
            known[number] = true;
        } else if (number % 400 == 1) {
            fact_store_remove(store, ID_POD, text(long_id(id, 'p', number % 100)));
            for (size_t i = number % 100; i < MANY; i += 100) {
                known[i] = false;
            }
        } else {
            fact_store_remove(store, ID_CONTAINER, text(long_id(id, 'c', number)));
            known[number] = false;
        }
    }
    size_t count = 0;
    for (size_t i = 0; i < MANY; i++) {
        char id[65];
        assert_int_equal(knows(store, ID_CONTAINER, long_id(id, 'c', i)), known[i]);
        count += known[i];
    }
    assert_true(count >= 1 && count < MANY);
    expect_counts(store, 0, count);
    assert_int_equal(fact_store_environment_memory(store), count * 3);
    free(known);
}

static void count_visit(void *state, struct bytes id)
{
    size_t *counts = state;
    assert_true(id.data[1] >= '0' && id.data[1] <= '2');
    counts[id.data[1] - '0']++;
}

TEST(each_is_visited_once)
{
    struct fact_store *store = *state;
    size_t counts[3] = {0};
    must_put_pod(store, "p0", false);
    must_put_pod(store, "p1", false);
    must_put_pod(store, "p2", false);
    must_put_container(store, "c1", "p1", NULL);
    fact_store_each(store, ID_POD, count_visit, counts);
    fact_store_each(store, ID_CONTAINER, count_visit, counts);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 2);
    assert_int_equal(counts[2], 1);
}
