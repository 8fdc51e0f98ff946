#include "codegen/checks.h"

#include <string.h>

#include "codegen/check_lists.h"
#include "codegen/memory.h"
#include "codegen/mistakes.h"

/* The input of the checks. */
struct check {
    const struct schema *schema;
    const struct differences *differences;
    const struct rules *rules;
};

static const char *dialect_name(const struct check *check, size_t dialect)
{
    return check->schema->dialects[dialect].name;
}

/* Whether any dialect has a field or an enum value of that name. */
static bool is_known(const struct check *check, const char *key)
{
    for (size_t i = 0; i < check->schema->dialect_count; i++) {
        const struct dialect *dialect = &check->schema->dialects[i];
        if (dialect_field(dialect, key) != NULL || dialect_value(dialect, key) != NULL) {
            return true;
        }
    }
    return false;
}

/* Differences without a rule */

static bool is_answered(const struct check *check, const struct difference *difference)
{
    const struct field_rule *rule = rules_field(check->rules, difference->key);
    return rule != NULL && rule->in[difference->dialect];
}

/* The dialects that differ in the same way as this difference and have no rule for it: "v1_9, v1_12". NULL if an earlier
   difference has reported it. */
static const char *dialects_alike(const struct check *check, size_t first)
{
    const struct differences *differences = check->differences;
    const char *names = NULL;
    for (size_t i = 0; i < differences->count; i++) {
        const struct difference *difference = &differences->entries[i];
        if (is_answered(check, difference) || strcmp(difference->text, differences->entries[first].text) != 0) {
            continue;
        }
        if (i < first) {
            return NULL;
        }
        const char *name = dialect_name(check, difference->dialect);
        names = names == NULL ? name : memory_format("%s, %s", names, name);
    }
    return names;
}

static void check_differences(const struct check *check)
{
    for (size_t i = 0; i < check->differences->count; i++) {
        const char *names = is_answered(check, &check->differences->entries[i]) ? NULL : dialects_alike(check, i);
        if (names != NULL) {
            mistake((struct place){check->rules->file, 0, 0}, "%s %s: add its rule to rules.yaml under fields", names,
                    check->differences->entries[i].text);
        }
    }
}

/* Rules */

/* The carry entry that handles a field towards and from a dialect, or NULL. */
static const struct carry_rule *find_carry(const struct check *check, const char *key, size_t dialect)
{
    for (size_t i = 0; i < check->rules->carry_count; i++) {
        const struct carry_rule *carry = &check->rules->carries[i];
        for (size_t j = 0; (carry->always || carry->in[dialect]) && j < carry->fields.count; j++) {
            if (strcmp(memory_format("%s.%s", carry->message, carry->fields.texts[j]), key) == 0) {
                return carry;
            }
        }
    }
    return NULL;
}

static void check_carried(const struct check *check, const struct field_rule *rule, size_t dialect)
{
    if (find_carry(check, rule->key, dialect) == NULL) {
        mistake(rule->place,
                "%s: do: carry: no entry under carry has %s among its fields and %s in its `in`: add one, or "
                "change the rule",
                rule->key, rule->key, dialect_name(check, dialect));
    }
}

/* Whether the bytes of one field can be read as the other. */
static bool same_wire(const struct field *a, const struct field *b)
{
    static const char *const texts[] = {"string", "bytes", NULL};
    static const char *const numbers[] = {"int32", "int64", "uint32", "uint64", "bool", NULL};
    static const char *const *const classes[] = {texts, numbers};
    if (a->repeated != b->repeated || field_same_shape(a, b)) {
        return a->repeated == b->repeated;
    }
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        bool has_a = false;
        bool has_b = false;
        for (const char *const *type = classes[i]; *type != NULL; type++) {
            has_a = has_a || strcmp(*type, a->type_name) == 0;
            has_b = has_b || strcmp(*type, b->type_name) == 0;
        }
        if (has_a && has_b) {
            return true;
        }
    }
    return false;
}

/* If number and type are equal, the bytes pass, whatever the name. */
static void check_renamed(const struct check *check, const struct field_rule *rule, size_t dialect)
{
    const struct field *field = dialect_field(schema_model(check->schema), rule->key);
    const struct field *other = field == NULL ? NULL : schema_counterpart(check->schema, dialect, rule->key);
    if (other != NULL && field_same_shape(field, other)) {
        mistake(rule->place, "%s: %s has it under another name only: write `do: copy`, not %s", rule->key,
                dialect_name(check, dialect), rule_action_name(rule->action));
    }
}

static void check_copied(const struct check *check, const struct field_rule *rule, size_t dialect)
{
    const struct field *field = dialect_field(schema_model(check->schema), rule->key);
    const struct field *other = field == NULL ? NULL : schema_counterpart(check->schema, dialect, rule->key);
    bool value = dialect_value(schema_model(check->schema), rule->key) != NULL;
    if (!value && (other == NULL || !same_wire(field, other))) {
        mistake(rule->place, "%s: do: copy: the bytes are not the same field in %s", rule->key, dialect_name(check, dialect));
    }
}

/* Whether a message contains another one, or values of an enum, at any depth. */
static bool holds(const struct message *message, const char *type_name)
{
    if (strcmp(message->name, type_name) == 0) {
        return true;
    }
    for (size_t i = 0; i < message->field_count; i++) {
        const struct field *field = &message->fields[i];
        if (strcmp(field->type_name, type_name) == 0 || (field->message != NULL && holds(field->message, type_name))) {
            return true;
        }
    }
    return false;
}

/* Whether a normalisation for the dialect sees the message or enum of a rule. */
static void check_judged(const struct check *check, const struct field_rule *rule, size_t dialect)
{
    const char *owner = memory_format("%.*s", (int)(strrchr(rule->key, '.') - rule->key), rule->key);
    for (size_t i = 0; i < check->rules->normalise_count; i++) {
        const struct normalise_rule *normalise = &check->rules->normalisations[i];
        for (size_t part = 0; normalise->down[dialect] && part < PART_COUNT; part++) {
            const struct message *message =
                dialect_message(schema_model(check->schema), model_part_message((enum model_part)part));
            if (normalise->on[part] && message != NULL && holds(message, owner)) {
                return;
            }
        }
    }
    mistake(rule->place,
            "%s: do: judged: no entry under normalise judges %s towards %s: write `down` in one, or reject or drop it", rule->key,
            owner, dialect_name(check, dialect));
}

static void check_rule_in(const struct check *check, const struct field_rule *rule, size_t dialect)
{
    static void (*const checks[RULE_ACTION_COUNT])(const struct check *, const struct field_rule *, size_t) = {
        [RULE_DROP] = check_renamed,  [RULE_REJECT] = check_renamed, [RULE_JUDGED] = check_judged,
        [RULE_CARRY] = check_carried, [RULE_COPY] = check_copied,
    };
    if (differences_of(check->differences, dialect, rule->key) == NULL) {
        mistake(rule->place, "%s: %s does not differ from the model in it: remove %s from `in`, or the rule", rule->key,
                dialect_name(check, dialect), dialect_name(check, dialect));
        return;
    }
    checks[rule->action](check, rule, dialect);
}

static void check_rules(const struct check *check)
{
    for (size_t i = 0; i < check->rules->field_count; i++) {
        const struct field_rule *rule = &check->rules->fields[i];
        if (!is_known(check, rule->key)) {
            mistake(rule->place, "%s is not a field or enum value of any dialect: remove it, or spell it as api.proto does",
                    rule->key);
            continue;
        }
        for (size_t dialect = 0; dialect < check->schema->dialect_count; dialect++) {
            if (rule->in[dialect]) {
                check_rule_in(check, rule, dialect);
            }
        }
    }
}

/* Normalisations */

/* If one normalisation refuses a field for one dialect that lacks it, a normalisation must refuse it for each of them. */
static void check_refused(const struct check *check, const struct field_rule *rule, const struct normalise_rule *by)
{
    for (size_t dialect = 0; dialect < check->schema->dialect_count; dialect++) {
        bool refused = !rule->in[dialect];
        for (size_t i = 0; i < check->rules->normalise_count; i++) {
            const struct normalise_rule *normalise = &check->rules->normalisations[i];
            refused = refused || (normalise->down[dialect] && texts_have(&normalise->refuses, rule->key));
        }
        if (!refused) {
            mistake(by->place, "%s: refuses: %s differs in %s as well, and no entry whose `down` has %s refuses it there",
                    by->with, rule->key, dialect_name(check, dialect), dialect_name(check, dialect));
        }
    }
}

/* It can only refuse what is `judged`, or what a carry function cannot distinguish. */
static void check_refuses(const struct check *check, const struct normalise_rule *normalise)
{
    if (normalise->listed && normalise->refuses.count == 0) {
        mistake(
            normalise->place,
            "%s: refuses nothing, so nobody would miss a dialect in its list: select them by what they `have` or `lack`, or by "
            "`package`",
            normalise->with);
    }
    for (size_t i = 0; i < normalise->refuses.count; i++) {
        const struct field_rule *rule = rules_field(check->rules, normalise->refuses.texts[i]);
        if (rule == NULL || (rule->action != RULE_JUDGED && rule->action != RULE_CARRY)) {
            mistake(normalise->place, "%s: refuses: %s has no rule under fields that is judged or carried", normalise->with,
                    normalise->refuses.texts[i]);
        } else {
            check_refused(check, rule, normalise);
        }
    }
}

/* Whether a part that it runs on has that field in the model. */
static bool has_field(const struct check *check, const struct normalise_rule *normalise, const char *name)
{
    const struct dialect *model = schema_model(check->schema);
    for (size_t part = 0; part < PART_COUNT; part++) {
        const struct message *message =
            normalise->on[part] ? dialect_message(model, model_part_message((enum model_part)part)) : NULL;
        if (message != NULL && message_field(message, name) != NULL) {
            return true;
        }
    }
    return false;
}

/* Fields that it does not name are not decoded for it. Resources are decoded as a whole. */
static void check_looks_at(const struct check *check, const struct normalise_rule *normalise)
{
    if (normalise->looks_at.count == 0 && (normalise->on[PART_POD] || normalise->on[PART_CONTAINER])) {
        mistake(normalise->place, "%s: write under looks_at which fields of the configuration it looks at", normalise->with);
    }
    for (size_t i = 0; i < normalise->looks_at.count; i++) {
        if (!has_field(check, normalise, normalise->looks_at.texts[i])) {
            mistake(normalise->place, "%s: looks_at: the newest dialect's configuration has no field %s", normalise->with,
                    normalise->looks_at.texts[i]);
        }
    }
}

/* Carries */

/* Whether the field of a carry differs in that dialect; if it does, its rule must be `do: carry`. */
static bool check_carry_field(const struct check *check, const struct carry_rule *carry, const char *key, size_t dialect)
{
    if (differences_of(check->differences, dialect, key) == NULL) {
        return false;
    }
    const struct field_rule *rule = rules_field(check->rules, key);
    if (rule != NULL && rule->in[dialect] && rule->action != RULE_CARRY) {
        mistake(rule->place, "%s: carry %s carries it for %s, so write `do: carry`, not %s", key, carry->with,
                dialect_name(check, dialect), rule_action_name(rule->action));
    }
    return true;
}

static void check_carry(const struct check *check, const struct carry_rule *carry)
{
    const struct message *message = dialect_message(schema_model(check->schema), carry->message);
    if (message == NULL) {
        mistake(carry->place, "%s: the model has no message %s", carry->with, carry->message);
        return;
    }
    for (size_t i = 0; i < carry->fields.count; i++) {
        if (message_field(message, carry->fields.texts[i]) == NULL) {
            mistake(carry->place, "%s: %s has no field %s in the model", carry->with, carry->message, carry->fields.texts[i]);
        }
    }
    for (size_t dialect = 0; dialect < check->schema->dialect_count; dialect++) {
        bool differs = false;
        for (size_t i = 0; (carry->always || carry->in[dialect]) && i < carry->fields.count; i++) {
            const char *key = memory_format("%s.%s", carry->message, carry->fields.texts[i]);
            differs = check_carry_field(check, carry, key, dialect) || differs;
        }
        if (carry->in[dialect] && !differs) {
            mistake(carry->place, "%s: %s does not differ from the model in these fields of %s: remove it from `in`", carry->with,
                    dialect_name(check, dialect), carry->message);
        }
    }
}

/* Configurations go through the model if they are fields of the request itself; codegen does not search deeper. */
static void check_configurations(const struct check *check)
{
    const struct dialect *model = schema_model(check->schema);
    for (size_t i = 0; i < model->message_count; i++) {
        const struct message *message = model->messages[i];
        for (size_t j = 0; !message->request && j < message->field_count; j++) {
            const char *type = message->fields[j].type_name;
            if (strcmp(type, model_part_message(PART_POD)) == 0 || strcmp(type, model_part_message(PART_CONTAINER)) == 0) {
                mistake((struct place){model->file, 0, 0},
                        "%s.%s is a %s outside a request: teach plan.c whether it goes through the model", message->name,
                        message->fields[j].name, type);
            }
        }
    }
}

void checks_run(const struct schema *schema, const struct differences *differences, const struct rules *rules)
{
    const struct check check = {schema, differences, rules};
    check_differences(&check);
    check_rules(&check);
    for (size_t i = 0; i < rules->carry_count; i++) {
        check_carry(&check, &rules->carries[i]);
    }
    for (size_t i = 0; i < rules->normalise_count; i++) {
        check_refuses(&check, &rules->normalisations[i]);
        check_looks_at(&check, &rules->normalisations[i]);
    }
    check_configurations(&check);
    check_lists(schema, rules);
}
