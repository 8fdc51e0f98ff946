#include "translate/abilities/abilities.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "translate/bytes/wire.h"

/* ---- by name and version ---- */

/* Whatever the case, and whatever blanks follow. */
static bool is_reported_as(const struct ability_runtime *runtime, const char *name)
{
    for (const char *const *reported = runtime->reports; *reported; reported++) {
        size_t len = strlen(*reported);
        if (strncasecmp(*reported, name, len) == 0 && name[len + strspn(name + len, " \t\r\n")] == '\0') {
            return true;
        }
    }
    return false;
}

/* The runtime of that name that speaks the dialect, or NULL. */
static const struct ability_runtime *find_runtime(const char *name, enum dialect dialect)
{
    for (uint8_t i = 0; i < ability_runtime_count; i++) {
        if ((ability_runtimes[i].dialects >> dialect & 1U) && is_reported_as(&ability_runtimes[i], name)) {
            return &ability_runtimes[i];
        }
    }
    return NULL;
}

/* Whether that version of the runtime ignores it; NULL: whether any does. */
static bool ignores(const struct ability *ability, size_t runtime, const struct version *version)
{
    for (uint8_t i = 0; i < ability->ignored_by_count; i++) {
        const struct ability_ignored *ignored = &ability->ignored_by[i];
        if (ignored->runtime == runtime &&
            (ignored->range_count == 0 || !version || version_is_in(version, ignored->ranges, ignored->range_count))) {
            return true;
        }
    }
    return false;
}

/* What comes from a runtime may hold anything. */
static void copy_name(struct ability_set *set, const char *name, const char *version)
{
    snprintf(set->name, sizeof set->name, "%s%s%s", name, version ? " " : "", version ? version : "");
    for (char *at = set->name; *at; at++) {
        *at = *at > ' ' && *at <= '~' ? *at : ' ';
    }
}

void ability_set_make(struct ability_set *set, const char *name, const char *version, enum dialect dialect)
{
    *set = (struct ability_set){0};
    const struct ability_runtime *runtime = find_runtime(name, dialect);
    struct version numbers = {0};
    bool read = version_read(version, &numbers);
    set->runtime = runtime;
    set->unread = runtime && runtime->versioned && !read;
    if (!runtime) {
        copy_name(set, name, NULL);
    } else if (set->unread) {
        copy_name(set, runtime->name, "of an unknown version");
    } else {
        copy_name(set, runtime->name, runtime->versioned ? version : NULL);
    }
    for (uint8_t i = 0; i < ability_entry_count; i++) {
        const struct ability *ability = &ability_entries[i];
        bool sent = ability->dialects >> dialect & 1U;
        if (sent && !runtime && ability->class == ABILITY_CONFINEMENT) {
            set->unsure |= UINT64_C(1) << i;
        } else if (sent && runtime && ignores(ability, (size_t)(runtime - ability_runtimes), set->unread ? NULL : &numbers)) {
            set->entries |= UINT64_C(1) << i;
        }
    }
}

/* ---- what it reports ---- */

/* The message of a field of a message, or NULL. */
static const struct schema_message *message_of(const struct schema_message *message, const char *field)
{
    const struct schema_field *found = schema_field_by_name(message, field);
    return found ? found->message : NULL;
}

/* The places of features in an answer to Status. */
struct features {
    const struct schema_message *status;
    const struct schema_message *handler;
    const struct schema_message *of_handler;
    const struct schema_message *of_runtime;
};

/* Of a dialect that has none, all but `status` are NULL. */
static struct features features_in(enum dialect dialect)
{
    const struct schema_message *status = schema_message_by_name(dialect, "StatusResponse");
    const struct schema_message *handler = message_of(status, "runtime_handlers");
    return (struct features){
        .status = status,
        .handler = handler,
        .of_handler = message_of(handler, "features"),
        .of_runtime = message_of(status, "features"),
    };
}

static const struct schema_message *features_of(const struct features *features, const struct ability *ability)
{
    switch (ability->reported) {
    case ABILITY_REPORTED_NOWHERE:
        break;
    case ABILITY_REPORTED_BY_HANDLER:
        return features->of_handler;
    case ABILITY_REPORTED_BY_RUNTIME:
        return features->of_runtime;
    }
    return NULL;
}

bool ability_set_is_reported(const struct ability_set *set, enum dialect dialect)
{
    struct features features = features_in(dialect);
    for (uint8_t i = 0; i < ability_entry_count; i++) {
        if ((set->entries >> i & 1U) &&
            schema_field_by_name(features_of(&features, &ability_entries[i]), ability_entries[i].feature)) {
            return true;
        }
    }
    return false;
}

/* The entries of the set whose feature is true in a message of features. */
static uint64_t reported_in(const struct ability_set *set, const struct features *features, const struct schema_message *message,
                            struct bytes in)
{
    uint64_t reported = 0;
    for (uint8_t i = 0; i < ability_entry_count; i++) {
        struct wire_field value;
        if ((set->entries >> i & 1U) && message && features_of(features, &ability_entries[i]) == message &&
            wire_last_field(in, schema_number_by_name(message, ability_entries[i].feature), WIRE_VARINT, &value) &&
            value.value != 0) {
            reported |= UINT64_C(1) << i;
        }
    }
    return reported;
}

static void learn_handler(struct ability_set *set, const struct features *features, struct bytes handler)
{
    struct bytes name = wire_last_payload(handler, schema_number_by_name(features->handler, "name"));
    struct bytes said = wire_last_payload(handler, schema_number_by_name(features->handler, "features"));
    uint64_t reported = reported_in(set, features, features->of_handler, said);
    if (reported == 0 || name.len >= ABILITY_HANDLER_SIZE || set->handler_count == ABILITY_HANDLERS_MAX ||
        memchr(name.len > 0 ? name.data : (const uint8_t *)"", '\0', name.len)) {
        return;
    }
    snprintf(set->handlers[set->handler_count].handler, ABILITY_HANDLER_SIZE, "%.*s", BYTES_SHOWN(name, ABILITY_HANDLER_SIZE));
    set->handlers[set->handler_count++].reported = reported;
    set->reported_by_any |= reported;
}

void ability_set_learn(struct ability_set *set, enum dialect dialect, struct bytes status)
{
    struct features features = features_in(dialect);
    set->handler_count = 0;
    set->reported_by_any = 0;
    uint32_t handlers = schema_number_by_name(features.status, "runtime_handlers");
    struct wire_reader reader = wire_reader_of(status);
    struct wire_field field;
    while (features.handler && reader.at < reader.end && wire_read_field(&reader, &field)) {
        if (field.number == handlers && field.type == WIRE_LENGTH) {
            learn_handler(set, &features, field.payload);
        }
    }
    struct bytes said = wire_last_payload(status, schema_number_by_name(features.status, "features"));
    set->reported = reported_in(set, &features, features.of_runtime, said);
}

uint64_t ability_set_for(const struct ability_set *set, const struct bytes *handler)
{
    uint64_t reported = set->reported;
    for (size_t i = 0; handler && i < set->handler_count; i++) {
        bool named = bytes_equal(*handler, bytes_of_string(set->handlers[i].handler));
        reported |= named ? set->handlers[i].reported : 0;
    }
    return set->entries & ~(handler ? reported : reported | set->reported_by_any);
}
