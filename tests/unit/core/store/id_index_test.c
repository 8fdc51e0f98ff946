#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/system/keyed_hash.h"
#include "core/store/id_index.h"
#include "tests/cmocka.h"

#define CONTAINERD 0
#define KATA 1
#define VIRTLET 2

static struct id_index *new_index(void)
{
    struct id_index *index = id_index_new();
    assert_non_null(index);
    return index;
}

static void must_learn(struct id_index *index, enum id_kind kind, const char *id, unsigned runtime)
{
    struct error error = {0};
    if (!id_index_learn(index, kind, bytes_of_string(id), runtime, &error)) {
        fail_msg("%s: %s", id, error.message);
    }
}

static void expect_held(const struct id_index *index, enum id_kind kind, const char *id, unsigned expected)
{
    unsigned runtime = 999;
    assert_int_equal(id_index_find(index, kind, bytes_of_string(id), &runtime), ID_HELD);
    assert_int_equal(runtime, expected);
}

static void expect_unknown(const struct id_index *index, enum id_kind kind, const char *id)
{
    unsigned runtime = 999;
    assert_int_equal(id_index_find(index, kind, bytes_of_string(id), &runtime), ID_UNKNOWN);
    assert_int_equal(runtime, 999);
}

/* The 64 digits that a runtime would have made for that number. */
static const char *hex_id(char *text, size_t number)
{
    snprintf(text, 65, "%016zx%016zx%016zx%016zx", number * 0x9E3779B97F4A7C15, number, ~number, number * 31);
    return text;
}

/* The published test vectors of SipHash-2-4: key 00 01 … 0f, input 00 01 … */
TEST(hash_is_siphash)
{
    const struct hash_key key = {{0x0706050403020100, 0x0f0e0d0c0b0a0908}};
    uint8_t input[15];
    for (uint8_t i = 0; i < sizeof input; i++) {
        input[i] = i;
    }
    assert_true(keyed_hash(&key, bytes_of(NULL, 0)) == 0x726fdb47dd0e0e31);
    assert_true(keyed_hash(&key, bytes_of(input, 8)) == 0x93f5f5799a932462);
    assert_true(keyed_hash(&key, bytes_of(input, 15)) == 0xa129ca6149be45e5);
}

TEST(finds_what_was_learned)
{
    struct id_index *index = new_index();
    char digest[65];
    hex_id(digest, 7);
    must_learn(index, ID_POD, digest, CONTAINERD);
    must_learn(index, ID_CONTAINER, "3ff2ad2e-3f0a-4ad8-9b4c-7f3a0a4d8c11", VIRTLET);
    expect_held(index, ID_POD, digest, CONTAINERD);
    expect_held(index, ID_CONTAINER, "3ff2ad2e-3f0a-4ad8-9b4c-7f3a0a4d8c11", VIRTLET);
    expect_unknown(index, ID_CONTAINER, digest);
    expect_unknown(index, ID_POD, "3ff2ad2e-3f0a-4ad8-9b4c-7f3a0a4d8c11");
    expect_unknown(index, ID_POD, "");
    assert_int_equal(id_index_count(index, ID_POD, CONTAINERD), 1);
    assert_int_equal(id_index_count(index, ID_POD, 77), 0);
    id_index_free(index);
    id_index_free(NULL);
}

/* Only lower-case digits are stored packed: a different spelling is a different id. */
TEST(spelling_counts)
{
    struct id_index *index = new_index();
    char lower[65];
    char upper[65];
    memset(lower, 'a', 64);
    memset(upper, 'A', 64);
    lower[64] = upper[64] = '\0';
    must_learn(index, ID_POD, lower, CONTAINERD);
    must_learn(index, ID_POD, upper, KATA);
    expect_held(index, ID_POD, lower, CONTAINERD);
    expect_held(index, ID_POD, upper, KATA);
    lower[63] = '\0';
    expect_unknown(index, ID_POD, lower);
    id_index_free(index);
}

TEST(refuses_strange_ids_and_runtimes)
{
    struct id_index *index = new_index();
    char longest[ID_INDEX_LONGEST + 2];
    memset(longest, 'x', sizeof longest);
    struct error error = {0};
    assert_false(id_index_learn(index, ID_POD, bytes_of(longest, ID_INDEX_LONGEST + 1), 0, &error));
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    assert_false(id_index_learn(index, ID_POD, bytes_of(NULL, 0), 0, &error));
    assert_false(id_index_learn(index, ID_POD, bytes_of("a", 1), 65535, &error));
    assert_true(id_index_learn(index, ID_POD, bytes_of(longest, ID_INDEX_LONGEST), 0, &error));
    id_index_forget(index, ID_POD, bytes_of(NULL, 0), 0);
    id_index_free(index);
}

TEST(two_claims_are_a_dispute)
{
    struct id_index *index = new_index();
    must_learn(index, ID_POD, "a", CONTAINERD);
    struct error error = {0};
    assert_false(id_index_learn(index, ID_POD, bytes_of_string("a"), KATA, &error));
    assert_int_equal(error.code, STATUS_ALREADY_EXISTS);
    unsigned runtime;
    assert_int_equal(id_index_find(index, ID_POD, bytes_of_string("a"), &runtime), ID_DISPUTED);
    assert_int_equal(runtime, CONTAINERD);
    must_learn(index, ID_POD, "a", CONTAINERD);
    assert_int_equal(id_index_find(index, ID_POD, bytes_of_string("a"), &runtime), ID_DISPUTED);
    assert_int_equal(id_index_count(index, ID_POD, KATA), 0);
    id_index_forget(index, ID_POD, bytes_of_string("a"), KATA);
    expect_held(index, ID_POD, "a", CONTAINERD);
    id_index_free(index);
}

TEST(the_rival_inherits)
{
    struct id_index *index = new_index();
    must_learn(index, ID_POD, "a", CONTAINERD);
    assert_false(id_index_learn(index, ID_POD, bytes_of_string("a"), KATA, NULL));
    id_index_forget(index, ID_POD, bytes_of_string("a"), VIRTLET);
    id_index_forget(index, ID_POD, bytes_of_string("a"), CONTAINERD);
    expect_held(index, ID_POD, "a", KATA);
    assert_int_equal(id_index_count(index, ID_POD, CONTAINERD), 0);
    assert_int_equal(id_index_count(index, ID_POD, KATA), 1);
    id_index_forget(index, ID_POD, bytes_of_string("a"), KATA);
    expect_unknown(index, ID_POD, "a");
    id_index_free(index);
}

TEST(a_listing_forgets_what_it_lacks)
{
    struct id_index *index = new_index();
    must_learn(index, ID_POD, "gone", CONTAINERD);
    must_learn(index, ID_POD, "stays", CONTAINERD);
    must_learn(index, ID_CONTAINER, "another-kind", CONTAINERD);
    must_learn(index, ID_POD, "anothers", KATA);
    uint64_t listing = id_index_begin(index);
    must_learn(index, ID_POD, "made-meanwhile", CONTAINERD);
    must_learn(index, ID_POD, "stays", CONTAINERD);
    id_index_end(index, CONTAINERD, ID_POD, listing);
    expect_unknown(index, ID_POD, "gone");
    expect_held(index, ID_POD, "stays", CONTAINERD);
    expect_held(index, ID_POD, "made-meanwhile", CONTAINERD);
    expect_held(index, ID_CONTAINER, "another-kind", CONTAINERD);
    expect_held(index, ID_POD, "anothers", KATA);
    id_index_free(index);
}

TEST(listings_may_overlap)
{
    struct id_index *index = new_index();
    uint64_t first = id_index_begin(index);
    must_learn(index, ID_POD, "made-after-first", CONTAINERD);
    uint64_t second = id_index_begin(index);
    id_index_end(index, CONTAINERD, ID_POD, first);
    expect_held(index, ID_POD, "made-after-first", CONTAINERD);
    id_index_end(index, CONTAINERD, ID_POD, second);
    expect_unknown(index, ID_POD, "made-after-first");
    id_index_free(index);
}

TEST(a_listing_ends_a_dispute)
{
    struct id_index *index = new_index();
    must_learn(index, ID_POD, "a", CONTAINERD);
    assert_false(id_index_learn(index, ID_POD, bytes_of_string("a"), KATA, NULL));
    id_index_end(index, KATA, ID_POD, id_index_begin(index));
    expect_held(index, ID_POD, "a", CONTAINERD);
    assert_false(id_index_learn(index, ID_POD, bytes_of_string("a"), KATA, NULL));
    id_index_end(index, CONTAINERD, ID_POD, id_index_begin(index));
    expect_held(index, ID_POD, "a", KATA);
    id_index_forget_runtime(index, KATA);
    expect_unknown(index, ID_POD, "a");
    id_index_free(index);
}

#define MANY 20000

/* Whatever is learned and forgotten in whichever order, the index knows what a plain array knows. */
TEST(agrees_with_a_plain_array)
{
    struct id_index *index = new_index();
    uint8_t *holders = calloc(MANY, 1); /* 1 + runtime */
    assert_non_null(holders);
    uint64_t random = 42;
    for (size_t step = 0; step < (size_t)10 * MANY; step++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        size_t number = (size_t)(random >> 33) % MANY;
        unsigned runtime = (unsigned)(random >> 20) % 3;
        char text[65];
        if (number % 3 == 0) {
            snprintf(text, sizeof text, "pod-%zu", number);
        } else {
            hex_id(text, number);
        }
        if (holders[number]) {
            id_index_forget(index, ID_POD, bytes_of_string(text), holders[number] - 1U);
            holders[number] = 0;
        } else {
            must_learn(index, ID_POD, text, runtime);
            holders[number] = (uint8_t)(runtime + 1);
        }
        if (step == (size_t)5 * MANY) {
            id_index_forget_runtime(index, KATA);
            for (size_t i = 0; i < MANY; i++) {
                holders[i] = holders[i] == KATA + 1 ? 0 : holders[i];
            }
        }
    }
    size_t counts[3] = {0};
    for (size_t i = 0; i < MANY; i++) {
        char text[65];
        snprintf(text, sizeof text, "pod-%zu", i);
        const char *id = i % 3 == 0 ? text : hex_id(text, i);
        if (holders[i]) {
            expect_held(index, ID_POD, id, holders[i] - 1U);
            counts[holders[i] - 1]++;
        } else {
            expect_unknown(index, ID_POD, id);
        }
    }
    for (unsigned runtime = 0; runtime < 3; runtime++) {
        assert_int_equal(id_index_count(index, ID_POD, runtime), counts[runtime]);
    }
    free(holders);
    id_index_free(index);
}

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

TEST(costs_little)
{
    enum { COUNT = 10000 };
    char(*ids)[65] = malloc(COUNT * sizeof *ids);
    assert_non_null(ids);
    for (size_t i = 0; i < COUNT; i++) {
        hex_id(ids[i], i);
    }
    struct id_index *index = new_index();
    double start = milliseconds();
    uint64_t listing = id_index_begin(index);
    for (size_t i = 0; i < COUNT; i++) {
        must_learn(index, ID_CONTAINER, ids[i], CONTAINERD);
    }
    id_index_end(index, CONTAINERD, ID_CONTAINER, listing);
    double learned = milliseconds();
    for (size_t i = 0; i < COUNT; i++) {
        expect_held(index, ID_CONTAINER, ids[i], CONTAINERD);
    }
    double found = milliseconds();
    size_t each = id_index_memory(index) / COUNT;
    printf("%d ids: learned in %.2f ms, found in %.2f ms, %zu bytes each\n", COUNT, learned - start, found - learned, each);
    /* Just after the table grew it is emptiest. */
    for (size_t count = COUNT; count < 12289; count++) {
        char id[65];
        must_learn(index, ID_CONTAINER, hex_id(id, count), CONTAINERD);
    }
    assert_true(id_index_memory(index) / 12289 < 200);
    assert_true(each < 200);
    free(ids);
    id_index_free(index);
}

/* A runtime that lists without end fills its own share only, and what it took is given back. */
TEST(is_bounded)
{
    struct id_index *index = new_index();
    size_t empty = id_index_memory(index);
    struct error error = {0};
    char id[65];
    size_t count = 0;
    while (count < ID_INDEX_RUNTIME_LIMIT && id_index_learn(index, ID_POD, bytes_of_string(hex_id(id, count)), KATA, &error)) {
        count++;
    }
    assert_int_equal(count, ID_INDEX_RUNTIME_LIMIT);
    assert_false(id_index_learn(index, ID_CONTAINER, bytes_of_string("one-more"), KATA, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    must_learn(index, ID_POD, hex_id(id, 5), KATA);
    must_learn(index, ID_CONTAINER, "anothers", CONTAINERD);
    id_index_forget_runtime(index, KATA);
    expect_held(index, ID_CONTAINER, "anothers", CONTAINERD);
    assert_true(id_index_memory(index) < empty + 1024);
    id_index_free(index);
}

static void expect_beginning(const struct id_index *index, const char *beginning, enum id_answer expected, unsigned holder)
{
    unsigned runtime = 999;
    enum id_answer answer = id_index_find_beginning(index, ID_POD, bytes_of_string(beginning), &runtime);
    if (answer != expected || (expected == ID_HELD && runtime != holder)) {
        fail_msg("\"%s\": answer %d, runtime %u", beginning, (int)answer, runtime);
    }
}

TEST(a_beginning_is_good_when_one_id_alone_has_it)
{
    static const char one[] = "ab3d56789012345678901234567890123456789012345678901234567890abcd";
    static const char two[] = "ab3e56789012345678901234567890123456789012345678901234567890abcd";
    struct id_index *index = new_index();
    struct error error = {0};
    must_learn(index, ID_POD, one, KATA);
    must_learn(index, ID_POD, two, VIRTLET);
    must_learn(index, ID_POD, "abacus-and-more", CONTAINERD);
    must_learn(index, ID_CONTAINER, "ab3e", CONTAINERD);
    expect_beginning(index, "ab3d", ID_HELD, KATA);
    expect_beginning(index, "ab3d5", ID_HELD, KATA);
    expect_beginning(index, "ab3e", ID_HELD, VIRTLET);
    expect_beginning(index, "abac", ID_HELD, CONTAINERD);
    expect_beginning(index, "ab3", ID_SEVERAL, 0);
    expect_beginning(index, "a", ID_SEVERAL, 0);
    expect_beginning(index, "", ID_UNKNOWN, 0);
    expect_beginning(index, "AB3D", ID_UNKNOWN, 0);
    expect_beginning(index, "ab3f", ID_UNKNOWN, 0);
    expect_beginning(index, "ab3d57", ID_UNKNOWN, 0);
    expect_beginning(index, "ab3g", ID_UNKNOWN, 0);
    expect_beginning(index, "abacus-and-more-of-it", ID_UNKNOWN, 0);
    /* Two of one runtime are several, too; and a whole one is no beginning. */
    must_learn(index, ID_POD, "abacus-and-less", CONTAINERD);
    expect_beginning(index, "abac", ID_SEVERAL, 0);
    expect_beginning(index, one, ID_UNKNOWN, 0);
    assert_false(id_index_learn(index, ID_POD, bytes_of_string(one), VIRTLET, &error));
    expect_beginning(index, "ab3d", ID_DISPUTED, 0);
    expect_beginning(index, "ab3", ID_SEVERAL, 0);
    id_index_free(index);
}
