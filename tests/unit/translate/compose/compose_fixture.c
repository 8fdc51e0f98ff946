#include "tests/unit/translate/compose/compose_fixture.h"

#include <string.h>

#include "tests/cmocka.h"

struct compose_memory trial_memory;

bool trial_step(struct trial *trial)
{
    trial->composing.outcome = COMPOSED_NOTHING;
    trial->error = (struct error){0};
    return composition_of(trial->composing.method, trial->occasion)(&trial->composing, &trial->error);
}

bool trial_run(struct trial *trial)
{
    const struct method *method = method_by_name(trial->method);
    const char *request = trial->request ? trial->request : "{}";
    struct bytes bytes = exchange_request_bytes(trial->exchange, trial->method, trial->caller, request);
    trial->composing = (struct composing){
        .method = method,
        .caller = trial->caller,
        .runtime = DIALECT_MODEL,
        .request = bytes,
        .sent = trial->caller == DIALECT_MODEL ? bytes : (struct bytes){0},
        .elapsed = trial->elapsed,
        .now = trial->now,
        .runtime_name = "main",
        .reported_name = trial->reported_name ? trial->reported_name : "docker",
        .failure = bytes_of_string(trial->failure),
        .settings = &trial->settings,
        .memory = trial->memory ? trial->memory : &trial_memory,
        .node = trial->node,
        .arena = trial->exchange->arena,
    };
    if (trial->received) {
        trial->composing.received = exchange_response_bytes(trial->exchange, trial->method, DIALECT_MODEL, trial->received);
    }
    trial->asked = 0;
    bool good = trial_step(trial);
    while (good && trial->composing.outcome == COMPOSED_QUESTION) {
        const struct script *script = &trial->script[trial->asked++];
        assert_non_null(script->question);
        assert_string_equal(trial->composing.question, script->question);
        trial->composing.answers[trial->composing.asked++] =
            script->bytes ? *script->bytes
                          : exchange_response_bytes(trial->exchange, script->question, DIALECT_MODEL, script->answer);
        good = trial_step(trial);
    }
    assert_int_equal(good, trial->error.code == STATUS_OK);
    return good;
}

void trial_expect_answer(struct trial *trial, const char *json)
{
    assert_true(trial_run(trial));
    assert_int_equal(trial->composing.outcome, COMPOSED_ANSWER);
    exchange_expect_message(trial->composing.method->in[DIALECT_MODEL].response, trial->composing.composed, json);
}

void trial_expect_nothing(struct trial *trial)
{
    assert_true(trial_run(trial));
    assert_int_equal(trial->composing.outcome, COMPOSED_NOTHING);
}

void trial_expect_failure(struct trial *trial, enum status_code code, const char *message)
{
    assert_false(trial_run(trial));
    assert_int_equal(trial->error.code, code);
    assert_string_equal(trial->error.message, message);
}

int trial_begin(void **state)
{
    compose_memory_clear(&trial_memory);
    return exchange_begin(state);
}

int trial_end(void **state)
{
    compose_memory_clear(&trial_memory);
    return exchange_end(state);
}

struct trial trial_of_pod_stats(struct exchange *exchange, const char *pods, const char *containers, const char *stats)
{
    return (struct trial){.exchange = exchange,
                          .method = "ListPodSandboxStats",
                          .occasion = COMPOSE_LACKING,
                          .caller = DIALECT_MODEL,
                          .script = {{.question = "ListPodSandbox", .answer = pods},
                                     {.question = "ListContainers", .answer = containers},
                                     {.question = "ListContainerStats", .answer = stats}}};
}

struct trial trial_of_unknown(struct exchange *exchange, const char *method, const char *request, const char *question,
                              const char *answer)
{
    return (struct trial){.exchange = exchange,
                          .method = method,
                          .occasion = COMPOSE_UNKNOWN,
                          .caller = DIALECT_V1_9,
                          .request = request,
                          .script = {{.question = question, .answer = answer}}};
}
