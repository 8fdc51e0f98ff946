/* What must hold of every message and every pair of dialects. */
#include "projection.h"
#include "tests/cmocka.h"
#include "tests/unit/translate/bytes/pieces_oracle.h"
#include "translate/json/json.h"
#include "translate/walk/table.h"
#include "trial.h"

/* ---- nothing gets lost but what a dialect lacks ---- */

static unsigned requests_made, requests_taken;
/* Of containers, whose configurations have the most to refuse. */
static unsigned containers_taken[DIALECT_COUNT][DIALECT_COUNT];

static void check_meaning(struct trial *trial)
{
    struct bytes in = trial_message(trial);
    struct bytes out;
    bool done = trial_convert(trial, trial->from, trial->to, in, &out);
    requests_made += trial->request;
    requests_taken += trial->request && done;
    containers_taken[trial->from][trial->to] +=
        trial->request && done && in.len > 20 && strcmp(trial->method->name, "CreateContainer") == 0;
    if (!done) {
        if (!trial->request) {
            trial_fail(trial, "refused: %s", trial->error.message);
        }
        return;
    }
    struct json_object *before = trial_decode(trial, trial->from, in);
    struct json_object *after = trial_decode(trial, trial->to, out);
    projection_apply(before, trial_schema(trial, trial->from), trial_schema(trial, trial->to));
    projection_apply(after, trial_schema(trial, trial->to), trial_schema(trial, trial->from));
    if (!json_object_equal(before, after)) {
        trial_fail(trial, "%s became %s", json_object_to_json_string(before), json_object_to_json_string(after));
    }
    json_object_put(after);
    json_object_put(before);
}

TEST(what_both_dialects_can_say_is_the_same_on_both_sides)
{
    trial_for_each(300, check_meaning);
    /* Refusing everything would be no proof. */
    assert_true(requests_taken > requests_made / 2);
    for (int pair = 0; pair < DIALECT_COUNT * DIALECT_COUNT; pair++) {
        assert_true(containers_taken[pair / DIALECT_COUNT][pair % DIALECT_COUNT] >= 20);
    }
}

/* ---- down and up again ---- */

static void check_settled(struct trial *trial)
{
    struct bytes there, back, again;
    if (trial->request) {
        return;
    }
    assert_true(trial_convert(trial, trial->from, trial->to, trial_message(trial), &there));
    assert_true(trial_convert(trial, trial->to, trial->from, there, &back));
    assert_true(trial_convert(trial, trial->from, trial->to, back, &again));
    struct json_object *once = trial_decode(trial, trial->to, there);
    struct json_object *twice = trial_decode(trial, trial->to, again);
    if (!json_object_equal(once, twice)) {
        trial_fail(trial, "%s became %s", json_object_to_json_string(once), json_object_to_json_string(twice));
    }
    json_object_put(twice);
    json_object_put(once);
}

TEST(what_has_arrived_once_arrives_the_same_again)
{
    trial_for_each(100, check_settled);
}

/* ---- the same dialect ---- */

static void check_identity(struct trial *trial)
{
    bool carried = !trial->request && walk_table_of_response(trial->method, trial->from, trial->from)->carry;
    if (trial->request || trial->from != trial->to || carried) {
        return;
    }
    struct bytes in = trial_message(trial);
    struct bytes out;
    assert_true(trial_convert(trial, trial->from, trial->to, in, &out));
    if (!bytes_equal(in, out)) {
        trial_fail(trial, "the bytes changed");
    }
}

TEST(responses_of_one_dialect_stay_byte_for_byte)
{
    trial_for_each(300, check_identity);
}

/* ---- lists ---- */

static struct bytes join(struct trial *trial, struct bytes first, struct bytes second)
{
    uint8_t *data = arena_alloc(trial->arena, first.len + second.len);
    assert_non_null(data);
    if (first.len > 0) {
        memcpy(data, first.data, first.len);
    }
    if (second.len > 0) {
        memcpy(data + first.len, second.data, second.len);
    }
    return bytes_of(data, first.len + second.len);
}

static void check_concatenation(struct trial *trial)
{
    if (trial->request || trial->method->merge != MERGE_CONCAT || trial->method->server_stream) {
        return;
    }
    trial->names = random_below(&trial->random, 2) ? &trial_marking_names : NULL;
    struct bytes first = trial_message(trial);
    struct bytes second = trial_message(trial);
    struct bytes first_out, second_out, both_out;
    assert_true(trial_convert(trial, trial->from, trial->to, first, &first_out));
    assert_true(trial_convert(trial, trial->from, trial->to, second, &second_out));
    assert_true(trial_convert(trial, trial->from, trial->to, join(trial, first, second), &both_out));
    if (!bytes_equal(join(trial, first_out, second_out), both_out)) {
        trial_fail(trial, "the whole is not the sum of its parts");
    }
}

/* Up to eight pieces, of which some are empty. */
static struct pieces cut(struct trial *trial, struct bytes message)
{
    enum { MOST_PIECES = 8 };
    size_t count = 1 + random_below(&trial->random, MOST_PIECES);
    struct bytes *each = arena_alloc(trial->arena, count * sizeof *each);
    assert_non_null(each);
    for (size_t i = 0; i < count; i++) {
        size_t len = i + 1 < count ? random_below(&trial->random, (uint32_t)message.len + 1) : message.len;
        each[i] = bytes_of(message.data, len);
        message = bytes_after(message, len);
    }
    return (struct pieces){.each = each, .count = count};
}

static void check_pieces(struct trial *trial)
{
    if (trial->request || trial->method->merge != MERGE_CONCAT || trial->method->server_stream) {
        return;
    }
    trial->names = random_below(&trial->random, 2) ? &trial_marking_names : NULL;
    struct bytes message = join(trial, trial_message(trial), trial_message(trial));
    struct bytes whole, run, joined = {0};
    struct pieces runs;
    struct error error = {0};
    assert_true(trial_convert(trial, trial->from, trial->to, message, &whole));
    assert_true(pieces_align(cut(trial, message), trial->arena, &runs, &error));
    for (size_t i = 0; i < runs.count; i++) {
        assert_true(trial_convert(trial, trial->from, trial->to, runs.each[i], &run));
        joined = join(trial, joined, run);
    }
    if (!bytes_equal(joined, whole)) {
        trial_fail(trial, "the whole is not what its pieces became");
    }
}

TEST(lists_may_be_converted_in_pieces)
{
    trial_for_each(300, check_pieces);
}

TEST(lists_may_be_joined_before_or_after)
{
    trial_for_each(300, check_concatenation);
}

/* ---- names ---- */

static void check_names(struct trial *trial)
{
    struct bytes in = trial_message(trial);
    struct bytes plain, marked;
    bool done = trial_convert(trial, trial->from, trial->to, in, &plain);
    trial->names = &trial_marking_names;
    if (trial_convert(trial, trial->from, trial->to, in, &marked) != done) {
        trial_fail(trial, "names decide whether it is refused");
    }
    if (!done) {
        return;
    }
    json_object_put(trial_decode(trial, trial->to, marked));
    if (marked.len < plain.len) {
        trial_fail(trial, "marked names take less room");
    }
}

TEST(names_change_nothing_else)
{
    trial_for_each(100, check_names);
}
