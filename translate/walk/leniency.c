#include "translate/walk/leniency.h"

#include <stdio.h>
#include <string.h>

#include "translate/schema/method.h"
#include "translate/walk/report.h"
#include "translate/walk/text_table.h"

/* Longer than any path of a request. */
#define NAME_SIZE 256

bool leniency_refuse(const struct leniency *leniency, struct report *report, enum dialect to, uint16_t rule, const char *path,
                     const char *reason, struct error *error)
{
    if (leniency_lets_through(leniency, rule)) {
        char text[ERROR_MESSAGE_SIZE];
        snprintf(text, sizeof text, "the runtime's dialect %s %s", dialects[to].name, reason);
        report_let_through(report, rule);
        report_tell(report, &(struct loss){.rule = rule, .path = path, .reason = text, .let_through = true});
        return true;
    }
    report_refused(report, rule);
    return error_set(error, STATUS_INVALID_ARGUMENT,
                     "%s: the runtime's dialect %s %s; to send the request without it, set \"translation: {lenient: [%s]}\" for "
                     "this runtime in the runtime map",
                     path, dialects[to].name, reason, translation_rules[rule].field);
}

/* ---- names of rules ---- */

/* The rule of MESSAGE.FIELD; TRANSLATION_RULE_COUNT when there is none. */
static size_t rule_of(const char *message, size_t message_len, const char *field)
{
    size_t rule = 0;
    for (; rule < TRANSLATION_RULE_COUNT; rule++) {
        const char *key = translation_rules[rule].field;
        if (strncmp(key, message, message_len) == 0 && key[message_len] == '.' && strcmp(key + message_len + 1, field) == 0) {
            break;
        }
    }
    return rule;
}

/* What names are added to. */
struct adding {
    struct leniency *leniency;
    bool strict; /* to what is strict, rather than to what is let through */
};

static bool can_be_added(const struct adding *adding, size_t rule)
{
    return adding->strict ? translation_rules[rule].tuning : translation_rules[rule].refuses;
}

static bool add_rule(const struct adding *adding, size_t rule)
{
    bool added = rule < TRANSLATION_RULE_COUNT && can_be_added(adding, rule);
    if (added) {
        (adding->strict ? adding->leniency->strict : adding->leniency->rules)[rule] = true;
    }
    return added;
}

/* ---- paths ---- */

/* Whether a dialect that lacks values of an enum has the field that contains them. */
static bool is_lacking_in(size_t rule, const struct schema_message *message, uint16_t number)
{
    for (unsigned i = 0; i < DIALECT_COUNT; i++) {
        const struct schema_message *lacking =
            rule_texts[rule].differs >> i & 1U ? schema_message_by_name((enum dialect)i, message->name) : NULL;
        if (lacking && schema_field_by_number(lacking, number)) {
            return true;
        }
    }
    return false;
}

/* Adds the rules of one field: its own, and those of its values. */
static bool add_field(const struct adding *adding, const struct schema_message *message, const struct schema_field *field)
{
    const struct schema_message *model = schema_message_by_name(DIALECT_MODEL, message->name);
    const struct schema_field *named = model ? schema_field_by_number(model, field->number) : NULL;
    bool added = add_rule(adding, rule_of(message->name, strlen(message->name), named ? named->name : field->name));
    size_t len = field->enumeration ? strlen(field->enumeration->name) : 0;
    for (size_t i = 0; len > 0 && i < TRANSLATION_RULE_COUNT; i++) {
        const char *key = translation_rules[i].field;
        bool value = strncmp(key, field->enumeration->name, len) == 0 && key[len] == '.';
        if (value && is_lacking_in(i, message, field->number)) {
            added = add_rule(adding, i) || added;
        }
    }
    return added;
}

static const struct schema_field *field_of_name(const struct schema_message *message, const char *name, size_t len)
{
    for (uint16_t i = 0; i < message->field_count; i++) {
        if (strncmp(message->fields[i].name, name, len) == 0 && message->fields[i].name[len] == '\0') {
            return &message->fields[i];
        }
    }
    return NULL;
}

/* Follows a path down from a message, and adds the rules of the last field on it that has any. `known`: the path leads to a
 * field.
 */
static bool add_path(const struct adding *adding, const struct schema_message *message, const char *path, bool *known)
{
    size_t len = strcspn(path, ".[");
    const struct schema_field *field = field_of_name(message, path, len);
    if (!field) {
        return false;
    }
    const char *rest = path + len;
    if (*rest == '[') {
        rest += strcspn(rest, "]");
        rest += *rest == ']';
    }
    if (*rest == '\0') {
        *known = true;
        return add_field(adding, message, field);
    }
    bool below = false;
    bool added = *rest == '.' && field->message && add_path(adding, field->message, rest + 1, &below);
    *known = *known || below;
    return added || (below && add_field(adding, message, field));
}

/* ---- both ---- */

/* Why a known field cannot be added. */
static bool explain_known(const struct adding *adding, const char *name, size_t rule, struct error *error)
{
    if (adding->strict) {
        return error_set(error, STATUS_INVALID_ARGUMENT,
                         "%s cannot be strict: no known runtime accepts and ignores it, or such requests are refused anyway",
                         name);
    }
    bool differs = rule < TRANSLATION_DIFFERENCE_COUNT;
    return error_set(error, STATUS_INVALID_ARGUMENT, "no request is refused because of %s: %s", name,
                     differs ? "what a dialect lacks of it is left out or translated anyway"
                             : "it never needs to be let through");
}

static bool explain(const struct adding *adding, const char *name, bool known, struct error *error)
{
    size_t len = strcspn(name, ".");
    size_t rule = name[len] == '.' ? rule_of(name, len, name + len + 1) : TRANSLATION_RULE_COUNT;
    if (known || rule < TRANSLATION_RULE_COUNT) {
        return explain_known(adding, name, rule, error);
    }
    const char *last = strrchr(name, '.') ? strrchr(name, '.') + 1 : name;
    for (rule = 0; rule < TRANSLATION_RULE_COUNT; rule++) {
        const char *field = translation_rules[rule].field;
        if (can_be_added(adding, rule) && strcmp(strchr(field, '.') + 1, last) == 0) {
            return error_set(error, STATUS_INVALID_ARGUMENT, "there is no field \"%s\"; did you mean \"%s\"?", name, field);
        }
    }
    return error_set(error, STATUS_INVALID_ARGUMENT,
                     "there is no field \"%s\"; a refusal contains the name to use, such as \"%s\"", name,
                     translation_rules[RULE_Mount_recursive_read_only].field);
}

/* Whether a request field has that name as its message's name, such as Mount in "Mount.readonly". */
static bool is_known_field(const char *name)
{
    char message[NAME_SIZE];
    size_t len = strcspn(name, ".");
    if (name[len] != '.' || len >= sizeof message) {
        return false;
    }
    memcpy(message, name, len);
    message[len] = '\0';
    const struct schema_message *found = schema_message_by_name(DIALECT_MODEL, message);
    return found && field_of_name(found, name + len + 1, strlen(name + len + 1));
}

static bool add(const struct adding *adding, const char *name, struct error *error)
{
    size_t len = strcspn(name, ".");
    if (name[len] == '.' && add_rule(adding, rule_of(name, len, name + len + 1))) {
        return true;
    }
    bool known = is_known_field(name);
    bool added = false;
    for (uint16_t i = 0; i < method_count; i++) {
        for (unsigned dialect = 0; dialect < DIALECT_COUNT; dialect++) {
            const struct schema_message *request = methods[i].in[dialect].request;
            added = (request && add_path(adding, request, name, &known)) || added;
        }
    }
    return added || explain(adding, name, known, error);
}

bool leniency_add(struct leniency *leniency, const char *name, struct error *error)
{
    return add(&(struct adding){leniency, false}, name, error);
}

bool leniency_add_strict(struct leniency *leniency, const char *name, struct error *error)
{
    if (strcmp(name, LENIENCY_UNKNOWN) == 0) {
        leniency->strict_unknown = true;
        return true;
    }
    return add(&(struct adding){leniency, true}, name, error);
}
