/* One random message on its way between two dialects: what the property tests have in common. */
#pragma once

#include "tests/unit/translate/random_message.h"
#include "translate/schema/method.h"
#include "translate/walk/names.h"
#include "translate/walk/report.h"

struct json_object;

struct trial {
    uint64_t seed; /* of this trial alone */
    struct random random;
    struct random_shape shape;
    const struct method *method;
    bool request;
    enum dialect from, to;
    struct arena *arena;
    const struct names *names; /* NULL unless a test sets it, as the leniency */
    const struct leniency *leniency;
    const struct ability_set *abilities;
    struct report report; /* of the last conversion, as is the error */
    struct error error;
};

/* A runtime that ignores all that any runtime ignores. */
extern const struct ability_set trial_ignoring;

typedef void trial_check(struct trial *trial);

/* Calls `check` this many times for each method, direction and pair of dialects that both have the method. The messages are
   others in each run of the program, which prints the seed that makes them; CRIGATE_SEED in the environment brings them back. */
void trial_for_each(unsigned rounds, trial_check *check);

/* What the trial's message is called in that dialect. */
const struct schema_message *trial_schema(const struct trial *trial, enum dialect dialect);

/* A random message of the source dialect. */
struct bytes trial_message(struct trial *trial);

/* Converts; any failure must be one that the direction allows. */
bool trial_convert(struct trial *trial, enum dialect from, enum dialect to, struct bytes in, struct bytes *out);

/* The message as JSON, which the caller puts; the test fails when the bytes are not that message. */
struct json_object *trial_decode(const struct trial *trial, enum dialect dialect, struct bytes bytes);

/* Fails the test, saying all that is needed to see it again. */
_Noreturn void trial_fail(const struct trial *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A mapper that puts TRIAL_MARK in front of each name that is neither empty nor a digest. */
#define TRIAL_MARK "runtime__"
extern const struct names trial_marking_names;
