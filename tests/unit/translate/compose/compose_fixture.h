/* One composition, played without a runtime: what is asked, and what becomes of the answers. */
#pragma once

#include "tests/unit/translate/message_fixture.h"
#include "translate/compose/compose.h"

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER_HEX "f123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID "sha256:" HEX
#define DIGEST "docker.io/library/a@sha256:" OTHER_HEX

/* An answer to a question that must be asked. */
struct script {
    const char *question;
    const char *answer;  /* JSON */
    struct bytes *bytes; /* in place of JSON */
};

/* One composition, and how it ended. */
struct trial {
    struct exchange *exchange;
    const char *method;
    enum compose_occasion occasion;
    enum dialect caller;
    const char *request;  /* JSON of the caller's dialect */
    const char *received; /* JSON of the model's, or NULL */
    struct script script[COMPOSE_QUESTIONS + 1];
    struct compose_settings settings;
    struct compose_memory *memory;
    const struct node *node;
    int64_t elapsed;
    int64_t now;
    const char *reported_name; /* NULL: Docker's */
    const char *failure;       /* the first answer's message */
    /* Written. */
    struct composing composing;
    struct error error;
    size_t asked;
};

/* What trials without a memory of their own learn; empty at the beginning of each test. */
extern struct compose_memory trial_memory;

/* For cmocka's setup and teardown: *state becomes a struct exchange. */
int trial_begin(void **state);
int trial_end(void **state);

/* Plays the part of core/: answers questions as the script has it, in that order. Whether the function succeeded. */
bool trial_run(struct trial *trial);

/* Calls the function once more, with the answers that are in trial->composing. */
bool trial_step(struct trial *trial);

/* Run, and expect an answer as JSON of the model, the runtime's own answer, or this failure. */
void trial_expect_answer(struct trial *trial, const char *json);
void trial_expect_nothing(struct trial *trial);
void trial_expect_failure(struct trial *trial, enum status_code code, const char *message);

/* Statistics of pods, with these three lists as answers. */
struct trial trial_of_pod_stats(struct exchange *exchange, const char *pods, const char *containers, const char *stats);

/* A call that failed with UNKNOWN; the question and its answer may be NULL. */
struct trial trial_of_unknown(struct exchange *exchange, const char *method, const char *request, const char *question,
                              const char *answer);
