/* Every entry of translate/runtimes.yaml, at every place of a request that it is about, for every runtime that it names: a value
   that asks for something is refused or counted, a default passes. A new entry is tried without another line here, unless it has
   a new function `asks`, which needs a row in `samples`. */
#include <stdio.h>
#include <string.h>

#include "generated/functions.h"
#include "tests/cmocka.h"
#include "tests/unit/translate/message_fixture.h"
#include "translate/abilities/abilities.h"
#include "translate/bytes/wire.h"
#include "translate/walk/text_table.h"

/* A message with a value that asks for something, and with one that does not; %s is the field's JSON name. */
static const struct sample {
    ability_asks *asks;
    const char *asking, *harmless;
    enum dialect since; /* the first one that has such values; older ones may have the field */
} samples[] = {
    {asks_user_namespace, "{'%s': {'mode': 'POD'}}", "{'%s': {'mode': 'NODE'}}", DIALECT_V1_9},
    {asks_huge_pages, "{'%s': [{'pageSize': '2MB', 'limit': '4096'}]}", "{'%s': [{'pageSize': '2MB'}, {'pageSize': '1GB'}]}",
     DIALECT_V1_9},
    {asks_cgroup_setting, "{'%s': {'memory.high': '1000'}}", "{'%s': {'memory.oom.group': '1', 'memory.swap.max': '0'}}",
     DIALECT_V1_9},
    {asks_swap, "{'%s': '2000', 'memoryLimitInBytes': '1000'}", "{'%s': '1000', 'memoryLimitInBytes': '1000'}", DIALECT_V1_9},
    {asks_sctp_host_port, "{'%s': 'SCTP', 'hostPort': 80}", "{'%s': 'SCTP', 'containerPort': 80}", DIALECT_V1_12},
    {asks_localhost_profile, "{'%s': {'profileType': 'Localhost', 'localhostRef': '/a'}}",
     "{'%s': {'profileType': 'RuntimeDefault'}}", DIALECT_V1_9},
};

/* One entry at one place. */
struct trial {
    struct exchange *exchange;
    const struct ability *ability;
    uint64_t entry; /* its bit */
    const struct method *method;
    enum dialect dialect;
    const struct ability_ignored *ignored;
    char version[64];
};

static size_t trials;

static const struct sample *sample_of(const struct ability *ability)
{
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        if (samples[i].asks == ability->asks) {
            return &samples[i];
        }
    }
    fail_msg("%s: its function `asks` has no row in samples", translation_rules[ability->rule].field);
    return NULL;
}

/* ---- requests ---- */

static struct bytes varint_field(struct exchange *exchange, const struct schema_field *field, uint8_t value)
{
    uint8_t bytes[WIRE_MAX_VARINT + 1];
    size_t size = wire_put_varint(bytes, (uint64_t)field->number << 3 | WIRE_VARINT);
    bytes[size++] = value;
    return exchange_join(exchange, bytes_of(bytes, size), (struct bytes){0});
}

/* The field alone, by its type: with a value that is no default, or with the default. */
static struct bytes plain_value(struct exchange *exchange, const struct schema_field *field, bool asking)
{
    if (field->map && asking) {
        return exchange_field(exchange, field->number, exchange_bytes(exchange, field->message, "{'key': 'k', 'value': 'v'}"));
    }
    if (field->type == FIELD_MESSAGE || field->repeated) {
        return asking ? exchange_field(exchange, field->number, (struct bytes){0}) : (struct bytes){0};
    }
    if (schema_wire_type(field) == WIRE_LENGTH) {
        return exchange_field(exchange, field->number, bytes_of_string(asking ? "x" : ""));
    }
    assert_int_equal(schema_wire_type(field), WIRE_VARINT);
    return varint_field(exchange, field, asking);
}

/* The message that has the field. */
static struct bytes message_with(const struct trial *trial, const struct schema_message *message,
                                 const struct schema_field *field, bool asking)
{
    char text[256];
    if (!trial->ability->asks) {
        if (field->repeated && field->type != FIELD_MESSAGE && asking) {
            return exchange_field(trial->exchange, field->number, bytes_of_string("\x01"));
        }
        return plain_value(trial->exchange, field, asking);
    }
    const struct sample *sample = sample_of(trial->ability);
    const char *json = asking ? sample->asking : sample->harmless;
    const char *place = strstr(json, "%s");
    assert_non_null(place);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(place - json), json, field->json_name, place + 2);
    return exchange_bytes(trial->exchange, message, text);
}

/* ---- one trial ---- */

static bool convert(const struct trial *trial, const struct ability_set *set, struct bytes request, struct bytes *out)
{
    trial->exchange->abilities = set;
    return exchange_request(trial->exchange, trial->method->name, trial->dialect, trial->dialect, request, out);
}

static void complain(const struct trial *trial, const char *what)
{
    fail_msg("%s in %s of %s to %s %s: %s: %s", translation_rules[trial->ability->rule].field, trial->method->name,
             dialects[trial->dialect].name, ability_runtimes[trial->ignored->runtime].name, trial->version, what,
             trial->exchange->error.message);
}

static void must_pass(const struct trial *trial, const struct ability_set *set, struct bytes request, uint32_t ignored)
{
    struct bytes without, with;
    if (!convert(trial, NULL, request, &without)) {
        complain(trial, "its dialect refuses it");
    }
    if (!convert(trial, set, request, &with)) {
        complain(trial, "it is refused");
    }
    if (trial->exchange->report.rules[trial->ability->rule].ignored != ignored || trial->exchange->report.ignored != ignored) {
        complain(trial, "it is counted otherwise");
    }
    assert_true(bytes_equal(with, without));
}

static void must_be_refused(const struct trial *trial, const struct ability_set *set, struct bytes request, const char *setting)
{
    struct bytes out;
    char text[256];
    if (convert(trial, set, request, &out)) {
        complain(trial, "it passes");
    }
    snprintf(text, sizeof text, "%s: [%s]}\"", setting, translation_rules[trial->ability->rule].field);
    const struct error *error = &trial->exchange->error;
    if (error->code != STATUS_INVALID_ARGUMENT || !strstr(error->message, text) || !strstr(error->message, set->name) ||
        !strstr(error->message, trial->ability->why)) {
        complain(trial, "it is refused otherwise");
    }
}

static void try_asking(const struct trial *trial, const struct ability_set *set, struct bytes request)
{
    struct leniency *leniency = &trial->exchange->leniency;
    const char *field = translation_rules[trial->ability->rule].field;
    struct error error = {0};
    if (trial->ability->class == ABILITY_CONFINEMENT) {
        must_be_refused(trial, set, request, "{lenient");
        assert_true(leniency_add(leniency, field, &error));
        must_pass(trial, set, request, 1);
    } else {
        must_pass(trial, set, request, 1);
        assert_true(leniency_add_strict(leniency, field, &error));
        must_be_refused(trial, set, request, "{strict");
    }
    *leniency = (struct leniency){0};
    leniency->all = true;
    must_pass(trial, set, request, 1);
    leniency->all = false;
}

/* What a runtime of that version ignores; it must have the entry. */
static struct ability_set set_of(const struct trial *trial)
{
    struct ability_set set;
    ability_set_make(&set, ability_runtimes[trial->ignored->runtime].reports[0], trial->version, trial->dialect);
    if (!(set.entries & trial->entry)) {
        complain(trial, "it is not in the set");
    }
    return set;
}

static void try_reported(const struct trial *trial, struct ability_set *set, struct bytes request)
{
    if (trial->ability->reported == ABILITY_REPORTED_NOWHERE || !ability_set_is_reported(set, trial->dialect)) {
        return;
    }
    char feature[64], status[256];
    const char *message = trial->ability->reported == ABILITY_REPORTED_BY_HANDLER ? "RuntimeHandlerFeatures" : "RuntimeFeatures";
    const struct schema_field *field =
        schema_field_by_name(schema_message_by_name(trial->dialect, message), trial->ability->feature);
    assert_non_null(field);
    snprintf(feature, sizeof feature, "'features': {'%s': true}", field->json_name);
    bool by_handler = trial->ability->reported == ABILITY_REPORTED_BY_HANDLER;
    snprintf(status, sizeof status, "%s%s%s", by_handler ? "{'runtimeHandlers': [{" : "{", feature, by_handler ? "}]}" : "}");
    ability_set_learn(set, trial->dialect, exchange_response_bytes(trial->exchange, "Status", trial->dialect, status));
    must_pass(trial, set, request, 0);
}

static void try_request(const struct trial *trial, struct bytes asking, struct bytes harmless)
{
    struct ability_set set = set_of(trial);
    try_asking(trial, &set, asking);
    must_pass(trial, &set, harmless, 0);
    try_reported(trial, &set, asking);
    if (ability_runtimes[trial->ignored->runtime].versioned) {
        ability_set_make(&set, ability_runtimes[trial->ignored->runtime].reports[0], "unknown", trial->dialect);
        try_asking(trial, &set, asking);
    }
    trials++;
}

/* ---- all of them ---- */

/* The way down to a field. */
struct way {
    const struct way *outer;
    const struct schema_field *field;
};

static struct bytes wrap(struct exchange *exchange, const struct way *way, struct bytes message)
{
    for (; way; way = way->outer) {
        message = exchange_field(exchange, way->field->number, message);
    }
    return message;
}

static void try_below(const struct trial *trial, const struct ability_table *table, const struct way *way)
{
    for (uint16_t i = 0; i < table->message->field_count; i++) {
        const struct schema_field *field = &table->message->fields[i];
        if (table->steps[i].entries & trial->entry) {
            try_request(trial, wrap(trial->exchange, way, message_with(trial, table->message, field, true)),
                        wrap(trial->exchange, way, message_with(trial, table->message, field, false)));
        }
        if (table->steps[i].below & trial->entry) {
            try_below(trial, table->steps[i].into, &(struct way){way, field});
        }
    }
}

static void try_version(struct trial *trial, const struct version *version)
{
    snprintf(trial->version, sizeof trial->version, "v%u.%u.%u-rc.1+x", version->major, version->minor, version->patch);
    for (uint16_t i = 0; i < method_count; i++) {
        const struct ability_table *table = ability_requests[i].in[trial->dialect];
        if ((ability_requests[i].entries & trial->entry) && table) {
            trial->method = &methods[i];
            try_below(trial, table, NULL);
        }
    }
}

static void try_ignored(struct trial *trial)
{
    static const struct version any = {20, 10, 24};
    if (trial->ignored->range_count == 0) {
        try_version(trial, &any);
    }
    for (uint8_t i = 0; i < trial->ignored->range_count; i++) {
        struct version first = trial->ignored->ranges[i].from;
        first.patch += first.major == 0 && first.minor == 0 && first.patch == 0;
        try_version(trial, &first);
    }
}

EACH_TEST(exchange_begin, exchange_end)

TEST(each_entry_holds_for_each_runtime_that_it_names)
{
    for (uint8_t i = 0; i < ability_entry_count; i++) {
        const struct ability *ability = &ability_entries[i];
        size_t before = trials;
        for (uint8_t j = 0; j < ability->ignored_by_count; j++) {
            const struct ability_ignored *ignored = &ability->ignored_by[j];
            size_t so_far = trials;
            for (unsigned dialect = 0; dialect < DIALECT_COUNT; dialect++) {
                struct trial trial = {*state, ability, UINT64_C(1) << i, NULL, (enum dialect)dialect, ignored, ""};
                bool has_values = !ability->asks || dialect >= sample_of(ability)->since;
                if (has_values && ability->dialects & ability_runtimes[ignored->runtime].dialects & 1U << dialect) {
                    try_ignored(&trial);
                }
            }
            if (trials == so_far) {
                fail_msg("%s: nothing was tried for %s", translation_rules[ability->rule].field,
                         ability_runtimes[ignored->runtime].name);
            }
        }
        assert_true(trials > before);
    }
}

/* The first version behind a range is not of that range; another one of the entry may have it. */
TEST(a_range_ends)
{
    size_t tried = 0;
    for (uint8_t i = 0; i < ability_entry_count; i++) {
        for (uint8_t j = 0; j < ability_entries[i].ignored_by_count; j++) {
            const struct ability_ignored *ignored = &ability_entries[i].ignored_by[j];
            for (uint8_t k = 0; k < ignored->range_count; k++) {
                const struct version *behind = &ignored->ranges[k].before;
                bool in = version_is_in(behind, ignored->ranges, ignored->range_count);
                char version[64];
                struct ability_set set;
                snprintf(version, sizeof version, "%u.%u.%u", behind->major, behind->minor, behind->patch);
                ability_set_make(&set, ability_runtimes[ignored->runtime].reports[0], version, DIALECT_MODEL);
                assert_int_equal(set.entries >> i & 1U, in);
                tried++;
            }
        }
    }
    assert_true(tried > 0);
}
