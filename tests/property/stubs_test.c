/* Every message of every dialect, read by that dialect's own stubs of protobuf-c: they see what the tables say. */
#include <string.h>

#include "expectation.h"
#include "stub_reader.h"
#include "tests/cmocka.h"
#include "translate/bytes/packing.h"
#include "translate/walk/leniency.h"
#include "translate/walk/text_table.h"

/* ---- the tables of messages ---- */

static const ProtobufCType types[] = {
    [FIELD_DOUBLE] = PROTOBUF_C_TYPE_DOUBLE,   [FIELD_INT32] = PROTOBUF_C_TYPE_INT32,   [FIELD_INT64] = PROTOBUF_C_TYPE_INT64,
    [FIELD_UINT32] = PROTOBUF_C_TYPE_UINT32,   [FIELD_UINT64] = PROTOBUF_C_TYPE_UINT64, [FIELD_BOOL] = PROTOBUF_C_TYPE_BOOL,
    [FIELD_ENUM] = PROTOBUF_C_TYPE_ENUM,       [FIELD_STRING] = PROTOBUF_C_TYPE_STRING, [FIELD_BYTES] = PROTOBUF_C_TYPE_BYTES,
    [FIELD_MESSAGE] = PROTOBUF_C_TYPE_MESSAGE,
};

static void expect_values(const struct schema_enum *table, const ProtobufCEnumDescriptor *stubs)
{
    assert_int_equal(table->value_count, stubs->n_values);
    for (uint16_t i = 0; i < table->value_count; i++) {
        const ProtobufCEnumValue *value = protobuf_c_enum_descriptor_get_value_by_name(stubs, table->values[i].name);
        assert_non_null(value);
        assert_int_equal(table->values[i].number, value->value);
    }
}

static void expect_fields(const struct schema_message *table, const ProtobufCMessageDescriptor *stubs)
{
    assert_int_equal(table->field_count, stubs->n_fields);
    for (uint16_t i = 0; i < table->field_count; i++) {
        const struct schema_field *field = &table->fields[i];
        const ProtobufCFieldDescriptor *other = protobuf_c_message_descriptor_get_field(stubs, field->number);
        if (!other) {
            fail_msg("%s.%s: the stubs have no field %u", table->name, field->name, field->number);
        }
        assert_string_equal(field->name, other->name);
        assert_int_equal(types[field->type], other->type);
        assert_int_equal(field->repeated, other->label == PROTOBUF_C_LABEL_REPEATED);
        if (field->message) {
            expect_fields(field->message, other->descriptor);
        } else if (field->enumeration) {
            expect_values(field->enumeration, other->descriptor);
        }
    }
}

TEST(the_tables_have_the_fields_of_the_stubs)
{
    for (unsigned dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        unsigned found = 0;
        for (uint16_t i = 0; i < method_count; i++) {
            struct trial trial = {.method = &methods[i], .request = true};
            if (!methods[i].in[dialect].path) {
                continue;
            }
            expect_fields(methods[i].in[dialect].request, stub_reader_of(&trial, (enum dialect)dialect));
            trial.request = false;
            expect_fields(methods[i].in[dialect].response, stub_reader_of(&trial, (enum dialect)dialect));
            found++;
        }
        assert_int_equal(found, stub_reader_method_count((enum dialect)dialect));
    }
}

/* ---- messages ---- */

static unsigned kept, refused, met[TRANSLATION_DIFFERENCE_COUNT];

/* The message as the stubs read it, with what they do not know. The tables read the rest in the same way. */
static struct json_object *read(const struct trial *trial, enum dialect dialect, struct bytes bytes)
{
    const ProtobufCMessage *message = stub_reader_decode(trial, dialect, bytes);
    if (!message) {
        trial_fail(trial, "the stubs of %s cannot read it", dialects[dialect].name);
    }
    struct json_object *by_tables = trial_decode(trial, dialect, bytes);
    struct json_object *by_stubs = stub_reader_json(message, false);
    if (!json_object_equal(by_tables, by_stubs)) {
        trial_fail(trial, "by the tables of %s: %s; by its stubs: %s", dialects[dialect].name,
                   json_object_to_json_string(by_tables), json_object_to_json_string(by_stubs));
    }
    json_object_put(by_stubs);
    json_object_put(by_tables);
    return stub_reader_json(message, true);
}

/* The same as the stubs write it: scalars that were said twice, once. */
static struct bytes written_by_stubs(const struct trial *trial, struct bytes bytes)
{
    struct bytes packed;
    assert_true(arena_pack(trial->arena, stub_reader_decode(trial, trial->from, bytes), &packed));
    return packed;
}

/* A rule that rejects is expected where the stubs see its field; others are judged, which depends on values. */
static void check_refusal(const struct trial *trial, const struct expectation *expectation)
{
    if (trial->report.refused == 0) {
        trial_fail(trial, "refused by no rule: %s", trial->error.message);
    }
    uint16_t rule = (uint16_t)(trial->report.refused - 1);
    unsigned lacking = rule_texts[rule].differs | ~rule_texts[rule].has;
    bool judged = rule_texts[rule].action != RULE_REJECT && (lacking >> trial->to & 1U);
    if (!judged && !expectation->refused[rule]) {
        trial_fail(trial, "the stubs see no %s: %s", translation_rules[rule].field, trial->error.message);
    }
    met[rule]++;
    refused++;
}

static void check_losses(const struct trial *trial, const struct expectation *expectation)
{
    for (uint16_t rule = 0; rule < TRANSLATION_DIFFERENCE_COUNT; rule++) {
        const char *name = translation_rules[rule].field;
        if (expectation->refused[rule]) {
            trial_fail(trial, "%s is not refused", name);
        }
        if (expectation->dropped[rule]) {
            met[rule]++;
            if (trial->report.rules[rule].dropped + trial->report.rules[rule].let_through == 0) {
                trial_fail(trial, "%s is not counted", name);
            }
        }
    }
}

static void check_stubs(struct trial *trial)
{
    static const struct leniency all = {.all = true};
    trial->names = random_below(&trial->random, 2) ? &trial_marking_names : NULL;
    trial->leniency = random_below(&trial->random, 2) ? &all : NULL;
    struct bytes in = trial_message(trial);
    struct bytes out;
    bool done = trial_convert(trial, trial->from, trial->to, in, &out);
    if (!done) {
        in = written_by_stubs(trial, in);
        done = trial_convert(trial, trial->from, trial->to, in, &out);
    }
    struct expectation expectation = {.trial = trial};
    struct json_object *before = read(trial, trial->from, in);
    struct json_object *expected = expectation_of(&expectation, before);
    if (!done) {
        check_refusal(trial, &expectation);
    } else {
        check_losses(trial, &expectation);
        struct json_object *after = read(trial, trial->to, out);
        if (!json_object_equal(expected, after)) {
            trial_fail(trial, "%s became %s, not %s", json_object_to_json_string(before), json_object_to_json_string(after),
                       json_object_to_json_string(expected));
        }
        kept += json_object_object_length(after) > 0;
        json_object_put(after);
    }
    json_object_put(expected);
    json_object_put(before);
}

TEST(stubs_read_what_the_tables_say)
{
    trial_for_each(300, check_stubs);
    assert_true(kept > 10000);
    assert_true(refused > 1000);
    for (uint16_t rule = 0; rule < TRANSLATION_DIFFERENCE_COUNT; rule++) {
        bool loses = rule_texts[rule].action == RULE_DROP || rule_texts[rule].action == RULE_REJECT;
        if (loses && met[rule] == 0) {
            fail_msg("no message had %s", translation_rules[rule].field);
        }
    }
}
