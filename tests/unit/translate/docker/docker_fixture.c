#include "tests/unit/translate/docker/docker_fixture.h"

#include "tests/cmocka.h"

struct bytes docker_json(struct exchange *exchange, const char *text)
{
    char *copy = arena_string(exchange->arena, bytes_of_string(text));
    assert_non_null(copy);
    for (char *at = copy; *at; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    return bytes_of_string(copy);
}

struct docker_container docker_create(struct exchange *exchange, const char *name, const char *body)
{
    struct docker_container container;
    struct error error = {0};
    if (!docker_create_read(bytes_of_string(name), docker_json(exchange, body), exchange->arena, &container, &error)) {
        fail_msg("%s: %s", body, error.message);
    }
    return container;
}

static void expect_refusal(const struct error *error, const char *body, const char *message)
{
    if (error->code != STATUS_INVALID_ARGUMENT || !strstr(error->message, message)) {
        fail_msg("%s: %s, %s", body, status_code_name(error->code), error->message);
    }
}

void docker_expect_create_refused(struct exchange *exchange, const char *body, const char *message)
{
    struct docker_container container;
    struct error error = {0};
    if (docker_create_read(bytes_of_string(DOCKER_CONTAINER_NAME), docker_json(exchange, body), exchange->arena, &container,
                           &error)) {
        fail_msg("not refused: %s", body);
    }
    expect_refusal(&error, body, message);
}

static struct bytes facts_of(struct exchange *exchange, enum model_kind kind, const char *json)
{
    return json ? hook_config(exchange, kind, json) : (struct bytes){0};
}

/* Merges the answer into the facts of a request. */
static struct hook_facts merge(struct exchange *exchange, enum hook_point point, const struct hook_facts *facts,
                               struct docker_answer answer)
{
    struct hook_facts said = {.pod = facts_of(exchange, MODEL_POD, answer.pod),
                              .container = facts_of(exchange, MODEL_CONTAINER, answer.container)};
    struct hook_facts merged = *facts;
    struct hook_changes changes = {0};
    struct error error = {0};
    if (!hook_facts_limit(point, &said, exchange->arena, &error) ||
        !hook_facts_merge(facts, &merged, &said, exchange->arena, &changes, &error)) {
        fail_msg("not merged: %s", error.message);
    }
    return merged;
}

static bool write_created(struct exchange *exchange, const char *name, const char *body, struct docker_answer answer,
                          struct bytes *changed, struct error *error)
{
    struct docker_container container = docker_create(exchange, name, body);
    assert_true(container.kubernetes);
    enum hook_point point = container.of_pod ? HOOK_RUN_POD : HOOK_CREATE_CONTAINER;
    struct hook_facts merged = merge(exchange, point, &container.facts, answer);
    return docker_create_write(docker_json(exchange, body), &container, &container.facts, &merged, exchange->arena, changed,
                               error);
}

static void expect_text(struct exchange *exchange, struct bytes text, const char *expected)
{
    struct bytes wanted = docker_json(exchange, expected);
    if (!bytes_equal(text, wanted)) {
        fail_msg("\n%.*s\nis not\n%.*s", BYTES_SHOWN(text, 4000), BYTES_SHOWN(wanted, 4000));
    }
}

void docker_expect_created(struct exchange *exchange, const char *name, const char *body, struct docker_answer answer,
                           const char *expected)
{
    struct bytes changed;
    struct error error = {0};
    if (!write_created(exchange, name, body, answer, &changed, &error)) {
        fail_msg("%s: %s", body, error.message);
    }
    expect_text(exchange, changed, expected);
}

void docker_expect_created_refused(struct exchange *exchange, const char *name, const char *body, struct docker_answer answer,
                                   const char *message)
{
    struct bytes changed;
    struct error error = {0};
    assert_false(write_created(exchange, name, body, answer, &changed, &error));
    expect_refusal(&error, body, message);
}

void docker_expect_updated(struct exchange *exchange, const char *facts, const char *body, const char *answer,
                           const char *expected)
{
    struct bytes json = docker_json(exchange, body), resources, changed;
    struct hook_facts before = {.container = hook_config(exchange, MODEL_CONTAINER, facts)};
    struct error error = {0};
    if (!docker_update_read(json, exchange->arena, &resources, &error) ||
        !hook_facts_update(before.container, resources, exchange->arena, &before.container, &error)) {
        fail_msg("%s: %s", body, error.message);
    }
    struct hook_facts merged = merge(exchange, HOOK_UPDATE_CONTAINER, &before, (struct docker_answer){.container = answer});
    if (!docker_update_write(json, before.container, merged.container, exchange->arena, &changed, &error)) {
        fail_msg("%s: %s", body, error.message);
    }
    expect_text(exchange, changed, expected);
}
