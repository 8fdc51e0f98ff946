/* Whatever a configuration holds, and whatever plugins answer: what they made of the facts, and nothing else, comes into the
   configuration. */
#include <stdio.h>

#include "tests/cmocka.h"
#include "translate/bytes/output.h"
#include "translate/hooks/facts.h"
#include "translate/hooks/table.h"
#include "trial.h"

#define PLUGINS 3

static unsigned changed, unchanged, damaged_taken, damaged_refused;

/* ---- random configurations and answers ---- */

/* Up to four variables with few names, so that names occur twice; with `any`, also such as plugins cannot be sent. */
static bool put_variables(struct trial *trial, bool any, struct walk_output *output)
{
    static const char *const names[] = {"A", "B", "C", "\xff"}, *const values[] = {"", "1", "2", "\xc3"};
    const struct hook_field *envs = hook_places[HOOK_CONTAINER_ENVS];
    uint32_t choices = any ? 4 : 3;
    for (uint32_t left = random_below(&trial->random, 5); left > 0; left--) {
        const char *name = names[random_below(&trial->random, choices)], *value = values[random_below(&trial->random, choices)];
        size_t opened = walk_output_open(output, envs->number, 4);
        if (opened == SIZE_MAX || !walk_output_put_field(output, envs->message->fields[0].number, bytes_of_string(name)) ||
            !walk_output_put_field(output, envs->message->fields[1].number, bytes_of_string(value)) ||
            !walk_output_close(output, opened, 4)) {
            return false;
        }
    }
    return true;
}

/* Some resources, all in range. Half of all fields are not said. */
static bool put_resources(struct trial *trial, struct walk_output *output)
{
    static const char *const cpusets[] = {"0", "0-3", "1,5-7"};
    const struct hook_message *resources = hook_places[HOOK_CONTAINER_RESOURCES]->message;
    size_t linux_opened = walk_output_open(output, hook_places[HOOK_CONTAINER_LINUX]->number, 0);
    size_t opened =
        linux_opened == SIZE_MAX ? SIZE_MAX : walk_output_open(output, hook_places[HOOK_CONTAINER_RESOURCES]->number, 0);
    bool put = opened != SIZE_MAX;
    for (uint8_t i = 0; put && i < resources->field_count; i++) {
        const struct hook_field *field = &resources->fields[i];
        const struct hook_range *range = &field->range;
        if (field->word == HOOK_NUMBER && random_below(&trial->random, 2)) {
            int64_t special = range->also ? range->also : range->clears;
            int64_t number =
                special && random_below(&trial->random, 3) == 0 ? special : range->least + random_below(&trial->random, 3);
            put = walk_output_put_number(output, field->number, (uint64_t)number);
        } else if (field->word == HOOK_CPUSET && random_below(&trial->random, 2)) {
            put = walk_output_put_field(output, field->number, bytes_of_string(cpusets[random_below(&trial->random, 3)]));
        }
    }
    return put && walk_output_close(output, opened, 0) && walk_output_close(output, linux_opened, 0);
}

static struct bytes random_answer(struct trial *trial)
{
    struct walk_output output;
    bool put = walk_output_start(&output, trial->arena, 0);
    put = put && (random_below(&trial->random, 2) || put_variables(trial, false, &output));
    put = put && (random_below(&trial->random, 3) == 0 || put_resources(trial, &output));
    assert_true(put);
    return walk_output_finish(&output);
}

static struct bytes random_config(struct trial *trial)
{
    const struct schema_message *schema = schema_message_by_name(DIALECT_MODEL, "ContainerConfig");
    struct bytes message = random_message(&trial->random, schema, &trial->shape, trial->arena);
    struct walk_output output;
    assert_true(walk_output_start(&output, trial->arena, message.len));
    assert_true(put_variables(trial, true, &output) && walk_output_put(&output, message.data, message.len) &&
                put_variables(trial, true, &output));
    return walk_output_finish(&output);
}

/* ---- what must hold ---- */

static struct bytes apply(struct trial *trial, struct bytes config, struct bytes before, struct bytes after)
{
    struct bytes out;
    if (!hook_facts_apply(MODEL_CONTAINER, config, before, after, trial->arena, &out, &trial->error)) {
        trial_fail(trial, "not applied: %s", trial->error.message);
    }
    return out;
}

static struct bytes facts_of(struct trial *trial, struct bytes config)
{
    struct bytes facts;
    if (!hook_facts_of(MODEL_CONTAINER, config, trial->arena, &facts, &trial->error)) {
        trial_fail(trial, "no facts: %s", trial->error.message);
    }
    return facts;
}

/* Facts are the same if neither changes a configuration in which the other is. */
static void expect_same_facts(struct trial *trial, struct bytes left, struct bytes right)
{
    static const uint8_t none[1];
    struct bytes config = bytes_of(none, 0);
    if (apply(trial, config, left, right).data != none || apply(trial, config, right, left).data != none) {
        trial_fail(trial, "the configuration has not the facts that were merged");
    }
}

/* The fields that plugins do not see, in their order. */
static struct bytes hidden(struct trial *trial, struct bytes config)
{
    struct walk_output output;
    struct wire_reader reader = wire_reader_of(config);
    struct wire_field found;
    assert_true(walk_output_start(&output, trial->arena, config.len));
    while (reader.at < reader.end) {
        assert_true(wire_read_field(&reader, &found));
        if (!hook_field_by_number(hook_messages[MODEL_CONTAINER], found.number)) {
            assert_true(walk_output_put(&output, found.start, (size_t)(found.end - found.start)));
        }
    }
    return walk_output_finish(&output);
}

/* What was merged is in the configuration, and all else is what it was. */
static void check_applied(struct trial *trial, struct bytes config, struct bytes before, struct bytes after)
{
    struct bytes applied = apply(trial, config, before, after);
    expect_same_facts(trial, facts_of(trial, applied), after);
    if (!bytes_equal(hidden(trial, config), hidden(trial, applied))) {
        trial_fail(trial, "a hidden field changed");
    }
}

static void check_plugins(struct trial *trial)
{
    struct bytes config = random_config(trial);
    struct hook_facts original = {.container = facts_of(trial, config)}, current = original;
    for (size_t i = 0; i < PLUGINS; i++) {
        struct hook_facts before = current, answer = {.container = random_answer(trial)};
        struct hook_changes changes = {0};
        if (!hook_facts_merge(&original, &current, &answer, trial->arena, &changes, &trial->error)) {
            trial_fail(trial, "refused: %s", trial->error.message);
        }
        if (changes.changed == bytes_equal(before.container, current.container) || changes.changed != (changes.text[0] != 0)) {
            trial_fail(trial, "the changes are not reported: %s", changes.text);
        }
        changed += changes.changed;
        unchanged += !changes.changed;
    }
    check_applied(trial, config, original.container, current.container);
}

/* A plugin's answer with mistakes in it: facts are merged or stay. */
static void check_damaged(struct trial *trial)
{
    struct bytes config = random_config(trial);
    struct hook_facts original = {.container = facts_of(trial, config)}, current = original;
    struct hook_facts answer = {.container = random_damage(&trial->random, random_answer(trial), trial->arena)};
    struct hook_changes changes = {0};
    if (hook_facts_merge(&original, &current, &answer, trial->arena, &changes, &trial->error)) {
        check_applied(trial, config, original.container, current.container);
        damaged_taken++;
    } else {
        if (trial->error.code != STATUS_INVALID_ARGUMENT || changes.changed ||
            current.container.data != original.container.data) {
            trial_fail(trial, "refused, and not left alone: %s", trial->error.message);
        }
        trial->error = (struct error){0};
        damaged_refused++;
    }
}

static void check(struct trial *trial)
{
    if (trial->request && trial->from == DIALECT_MODEL && trial->to == DIALECT_MODEL) {
        trial->shape.unknown = true;
        check_plugins(trial);
        check_damaged(trial);
    }
}

TEST(what_plugins_make_of_facts_comes_into_the_configuration)
{
    trial_for_each(60, check);
    assert_true(changed > 1000 && unchanged > 100);
    assert_true(damaged_taken > 100 && damaged_refused > 100);
}
