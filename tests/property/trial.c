#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "tests/cmocka.h"
#include "translate/abilities/abilities.h"
#include "translate/bytes/image_id.h"
#include "translate/convert/convert.h"
#include "translate/json/json.h"

#define ARENA_CAP ((size_t)64 * 1024 * 1024)

void trial_fail(const struct trial *trial, const char *format, ...)
{
    char what[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fail_msg("%s %s from %s to %s, seed %llu: %s", trial->method->name, trial->request ? "request" : "response",
             dialects[trial->from].name, dialects[trial->to].name, (unsigned long long)trial->seed, what);
    abort();
}

/* Full and sparse, small and big messages in turn; sparse ones are those that an older dialect can say. */
static struct random_shape shape_of(struct random *random)
{
    static const unsigned densities[] = {2, 5, 15, 40, 90};
    return (struct random_shape){
        .density = densities[random_below(random, 5)],
        .elements = 5 + random_below(random, 250),
        .unknown = random_below(random, 2) == 0,
    };
}

static void run(struct trial *trial, trial_check *check)
{
    trial->random = random_from(trial->seed);
    trial->shape = shape_of(&trial->random);
    trial->names = NULL;
    trial->leniency = NULL;
    trial->arena = arena_new(ARENA_CAP);
    assert_non_null(trial->arena);
    check(trial);
    arena_unref(trial->arena);
}

/* Another one each time, unless CRIGATE_SEED says which; told once, so that a run can be seen again. */
static uint64_t first_seed(void)
{
    static uint64_t seed;
    if (seed == 0) {
        const char *given = getenv("CRIGATE_SEED");
        uint32_t any = 0;
        if (!given) {
            assert_int_equal(getrandom(&any, sizeof any, 0), sizeof any);
        }
        seed = given ? strtoull(given, NULL, 10) : any;
        seed = seed > 0 ? seed : 1;
        print_message("random messages from seed %llu; the same again with CRIGATE_SEED=%llu\n", (unsigned long long)seed,
                      (unsigned long long)seed);
    }
    return seed;
}

void trial_for_each(unsigned rounds, trial_check *check)
{
    struct trial trial = {.seed = first_seed()};
    for (uint16_t i = 0; i < method_count; i++) {
        trial.method = &methods[i];
        for (int pair = 0; pair < DIALECT_COUNT * DIALECT_COUNT; pair++) {
            trial.from = (enum dialect)(pair / DIALECT_COUNT);
            trial.to = (enum dialect)(pair % DIALECT_COUNT);
            if (!methods[i].in[trial.from].path || !methods[i].in[trial.to].path) {
                continue;
            }
            for (unsigned round = 0; round < 2 * rounds; round++) {
                trial.request = round % 2 == 0;
                trial.seed++;
                run(&trial, check);
            }
        }
    }
}

const struct schema_message *trial_schema(const struct trial *trial, enum dialect dialect)
{
    const struct method_in_dialect *in = &trial->method->in[dialect];
    return trial->request ? in->request : in->response;
}

struct bytes trial_message(struct trial *trial)
{
    struct bytes message = random_message(&trial->random, trial_schema(trial, trial->from), &trial->shape, trial->arena);
    assert_non_null(message.data);
    return message;
}

const struct ability_set trial_ignoring = {.name = "known 1.0", .entries = UINT64_MAX};

bool trial_convert(struct trial *trial, enum dialect from, enum dialect to, struct bytes in, struct bytes *out)
{
    struct conversion conversion = {.method = trial->method,
                                    .from = from,
                                    .to = to,
                                    .arena = trial->arena,
                                    .names = trial->names,
                                    .leniency = trial->leniency,
                                    .abilities = trial->abilities};
    trial->error = (struct error){0};
    bool done = (trial->request ? convert_request : convert_response)(&conversion, in, out, &trial->error);
    trial->report = conversion.report;
    /* With that much memory, exhaustion would mean that a decoder saw what the gate let through. */
    enum status_code refusal = trial->request ? STATUS_INVALID_ARGUMENT : STATUS_INTERNAL;
    if (trial->error.code != (done ? STATUS_OK : refusal)) {
        trial_fail(trial, "%s \"%s\"", status_code_name(trial->error.code), trial->error.message);
    }
    return done;
}

struct json_object *trial_decode(const struct trial *trial, enum dialect dialect, struct bytes bytes)
{
    struct error error = {0};
    struct json_object *json = json_from_message(trial_schema(trial, dialect), bytes, JSON_EXACT, &error);
    if (!json) {
        trial_fail(trial, "it is no message of %s: %s", dialects[dialect].name, error.message);
    }
    return json;
}

static bool mark(void *state, enum name_kind kind, bool carried, struct bytes name, struct arena *arena,
                 struct mapped_name *mapped, struct error *error)
{
    (void)kind;
    (void)carried;
    (void)arena;
    (void)error;
    mapped_name_same(mapped, name);
    if (name.len > 0 && !image_id_is_digest(name)) {
        mapped->front = bytes_of_string(TRIAL_MARK);
    }
    return true;
}

const struct names trial_marking_names = {.kinds = ~0U, .map = mark};
