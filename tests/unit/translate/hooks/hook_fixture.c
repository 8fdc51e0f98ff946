#include "tests/unit/translate/hooks/hook_fixture.h"

#include "tests/cmocka.h"
#include "translate/hooks/entries.h"

static const struct schema_message *message_of(enum model_kind kind)
{
    static const char *const names[MODEL_KIND_COUNT] = {
        [MODEL_POD] = "PodSandboxConfig",
        [MODEL_CONTAINER] = "ContainerConfig",
        [MODEL_RESOURCES] = "LinuxContainerResources",
    };
    return schema_message_by_name(DIALECT_MODEL, names[kind]);
}

struct bytes hook_config(struct exchange *exchange, enum model_kind kind, const char *json)
{
    return exchange_bytes(exchange, message_of(kind), json);
}

void hook_expect_config(enum model_kind kind, struct bytes bytes, const char *json)
{
    exchange_expect_message(message_of(kind), bytes, json);
}

struct bytes hook_variables(struct exchange *exchange, const char *const variables[])
{
    const struct hook_field *envs = hook_places[HOOK_CONTAINER_ENVS];
    struct bytes all = {0};
    for (size_t i = 0; variables[i]; i++) {
        size_t name = strcspn(variables[i], "=");
        struct bytes key = exchange_field(exchange, envs->message->fields[0].number, bytes_of(variables[i], name));
        struct bytes value = exchange_field(exchange, envs->message->fields[1].number, bytes_of_string(variables[i] + name + 1));
        all = exchange_join(exchange, all, exchange_field(exchange, envs->number, exchange_join(exchange, key, value)));
    }
    return all;
}

void hook_expect_variables(struct bytes container, const char *const variables[])
{
    struct arena *arena = arena_new((size_t)1 << 20);
    struct hook_entries entries;
    assert_non_null(arena);
    assert_true(hook_entries_read(hook_places[HOOK_CONTAINER_ENVS], container, arena, &entries));
    size_t count = 0;
    for (; variables[count]; count++) {
        assert_true(count < entries.count);
        const struct hook_entry *entry = &entries.items[count];
        struct bytes parts[] = {entry->key, bytes_of_string("="), entry->value};
        struct bytes found = arena_join(arena, parts, 3);
        if (!bytes_equal(found, bytes_of_string(variables[count]))) {
            fail_msg("%.*s in place of %s", BYTES_SHOWN(found, 100), variables[count]);
        }
    }
    assert_int_equal(entries.count, count);
    arena_unref(arena);
}

bool hook_merge(struct exchange *exchange, enum model_kind kind, struct bytes facts, struct bytes answer, struct bytes *merged,
                struct hook_changes *changes)
{
    bool pod = kind == MODEL_POD;
    struct hook_facts original = {.pod = pod ? facts : (struct bytes){0}, .container = pod ? (struct bytes){0} : facts};
    struct hook_facts answered = {.pod = pod ? answer : (struct bytes){0}, .container = pod ? (struct bytes){0} : answer};
    struct hook_facts current = original;
    exchange->error = (struct error){0};
    *changes = (struct hook_changes){0};
    bool done = hook_facts_merge(&original, &current, &answered, exchange->arena, changes, &exchange->error);
    *merged = pod ? current.pod : current.container;
    assert_int_equal(done, exchange->error.code == STATUS_OK);
    return done;
}

void hook_expect_merged(struct exchange *exchange, enum model_kind kind, const char *facts, const char *answer,
                        const char *merged, const char *changes)
{
    struct bytes result;
    struct hook_changes reported;
    if (!hook_merge(exchange, kind, hook_config(exchange, kind, facts), hook_config(exchange, kind, answer), &result,
                    &reported)) {
        fail_msg("refused: %s", exchange->error.message);
    }
    hook_expect_config(kind, result, merged);
    assert_string_equal(reported.text, changes);
    assert_true(reported.changed);
    assert_false(reported.overwrote);
}

void hook_expect_no_change(struct exchange *exchange, enum model_kind kind, const char *facts, const char *answer)
{
    struct bytes before = hook_config(exchange, kind, facts), result;
    struct hook_changes reported;
    if (!hook_merge(exchange, kind, before, hook_config(exchange, kind, answer), &result, &reported)) {
        fail_msg("refused: %s", exchange->error.message);
    }
    assert_ptr_equal(result.data, before.data);
    assert_int_equal(result.len, before.len);
    assert_string_equal(reported.text, "");
    assert_false(reported.changed);
}

void hook_expect_refused(struct exchange *exchange, enum model_kind kind, const char *facts, const char *answer,
                         const char *message)
{
    struct bytes before = hook_config(exchange, kind, facts), result;
    struct hook_changes reported;
    if (hook_merge(exchange, kind, before, hook_config(exchange, kind, answer), &result, &reported)) {
        fail_msg("not refused: %s", reported.text);
    }
    assert_string_equal(exchange->error.message, message);
    assert_int_equal(exchange->error.code, STATUS_INVALID_ARGUMENT);
    assert_ptr_equal(result.data, before.data);
    assert_int_equal(result.len, before.len);
    assert_false(reported.changed);
    assert_string_equal(reported.text, "");
}
