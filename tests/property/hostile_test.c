/* Messages with mistakes in them: nothing crashes, nothing grows out of proportion, and decoders take what the gate lets through.
 */
#include "stub_reader.h"
#include "tests/cmocka.h"
#include "translate/convert/convert.h"
#include "translate/json/json.h"
#include "translate/walk/leniency.h"
#include "trial.h"

/* Room for defaults that conversions add, and for a name's mark on every byte or two. */
#define MOST_OUTPUT(in) (4096 + 8 * (in))
/* A decoder takes some 150 times an element's bytes. */
#define MOST_MEMORY(in) (65536 + 1024 * (in))

static unsigned damaged_taken, damaged_refused;

static void check_output(struct trial *trial, size_t in, struct bytes out, size_t memory)
{
    if (out.len > MOST_OUTPUT(in)) {
        trial_fail(trial, "%zu bytes became %zu", in, out.len);
    }
    if (memory > MOST_MEMORY(in)) {
        trial_fail(trial, "%zu bytes took %zu bytes of memory", in, memory);
    }
    /* A response is the runtime's to answer for: what need not change is not looked at. Callers are read in the newest dialect of
       their package, whose fields are all gated. */
    if (trial->request && dialects[trial->from].caller == trial->from) {
        json_object_put(trial_decode(trial, trial->to, out));
        if (!stub_reader_decode(trial, trial->to, out)) {
            trial_fail(trial, "protobuf-c does not take what the gate let through");
        }
    }
}

static void check_damaged(struct trial *trial)
{
    struct bytes message = trial_message(trial);
    static const struct leniency all = {.all = true};
    trial->names = random_below(&trial->random, 2) ? &trial_marking_names : NULL;
    trial->leniency = random_below(&trial->random, 2) ? &all : NULL;
    trial->abilities = random_below(&trial->random, 2) ? &trial_ignoring : NULL;
    for (int i = 0; i < 4; i++) {
        struct bytes damaged = random_damage(&trial->random, message, trial->arena);
        assert_non_null(damaged.data);
        struct bytes out;
        size_t before = arena_used(trial->arena);
        bool done = trial_convert(trial, trial->from, trial->to, damaged, &out);
        if (done) {
            check_output(trial, damaged.len, out, arena_used(trial->arena) - before);
        }
        damaged_taken += done;
        damaged_refused += !done;
    }
}

TEST(damaged_messages_are_refused_or_harmless)
{
    trial_for_each(200, check_damaged);
    assert_true(damaged_taken > 1000);
    assert_true(damaged_refused > 1000);
}

static void check_noise(struct trial *trial)
{
    uint8_t noise[64];
    size_t len = random_below(&trial->random, sizeof noise);
    for (size_t i = 0; i < len; i++) {
        noise[i] = (uint8_t)random_next(&trial->random);
    }
    struct bytes out;
    size_t before = arena_used(trial->arena);
    if (trial_convert(trial, trial->from, trial->to, bytes_of(noise, len), &out)) {
        check_output(trial, len, out, arena_used(trial->arena) - before);
    }
}

TEST(noise_is_refused_or_harmless)
{
    trial_for_each(500, check_noise);
}

/* Short of memory at any point: a clean refusal. */
static void check_short_memory(struct trial *trial)
{
    if (random_below(&trial->random, 8) != 0) {
        return;
    }
    struct bytes message = trial_message(trial);
    for (size_t cap = 0; cap < 8192; cap += 16 + random_below(&trial->random, 512)) {
        struct arena *small = arena_new(cap);
        assert_non_null(small);
        struct conversion conversion = {
            .method = trial->method, .from = trial->from, .to = trial->to, .arena = small, .names = &trial_marking_names};
        struct bytes out;
        struct error error = {0};
        (trial->request ? convert_request : convert_response)(&conversion, message, &out, &error);
        assert_true(error.code == STATUS_OK || error.code == STATUS_RESOURCE_EXHAUSTED || error.code == STATUS_INVALID_ARGUMENT);
        arena_unref(small);
    }
}

TEST(short_memory_is_told)
{
    trial_for_each(30, check_short_memory);
}
