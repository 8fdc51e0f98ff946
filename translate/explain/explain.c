#include "translate/explain/explain.h"

#include <string.h>

#include "translate/compose/compose.h"
#include "translate/walk/table.h"

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[VERDICT_COUNT] = {
        [VERDICT_REFUSED] = "refused",       [VERDICT_JUDGED] = "judged",    [VERDICT_CARRIED] = "carried",
        [VERDICT_NORMALISED] = "normalised", [VERDICT_DROPPED] = "left out", [VERDICT_SAME] = "same bytes",
    };
    return names[verdict];
}

const char *explain_lacking(const struct method *method)
{
    bool composed = composition_of(method, COMPOSE_LACKING) != NULL;
    if (method->merge == MERGE_EVENTS) {
        return "composed, or UNIMPLEMENTED";
    }
    if (method->list) {
        return composed ? "composed, or its list answers" : "its list answers";
    }
    switch (method->lacking) {
    case LACKING_OMIT:
        return composed ? "composed, or the others answer" : "the others answer";
    case LACKING_REFUSE:
        break;
    }
    return composed ? "composed, or UNIMPLEMENTED" : "UNIMPLEMENTED";
}

bool explain_dialect(const char *name, enum dialect *dialect)
{
    if (dialect_from_name(bytes_of_string(name), dialect)) {
        return true;
    }
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        if (strcmp(dialects[i].package, name) == 0) {
            *dialect = dialects[i].caller;
            return true;
        }
    }
    return false;
}

/* What to search for in the tables of one message: a rule's field. */
struct search {
    bool request;
    bool differs;        /* between the two sides */
    uint16_t rule;       /* index into translation_rules */
    const char *message; /* the first part of the rule's key, `length` bytes */
    size_t length;
    uint32_t number; /* of the field in the model; 0 where it has no such field */
};

static struct search search_for(uint16_t rule, enum dialect from, enum dialect to, enum way way)
{
    const char *key = translation_rules[rule].field;
    struct search search = {
        .request = way == WAY_REQUEST,
        .differs = (rule_texts[rule].differs >> from ^ rule_texts[rule].differs >> to) & 1U,
        .rule = rule,
        .message = key,
        .length = (size_t)(strrchr(key, '.') - key),
    };
    char name[128];
    memcpy(name, key, search.length < sizeof name ? search.length : 0);
    name[search.length < sizeof name ? search.length : 0] = '\0';
    search.number = schema_number_by_name(schema_message_by_name(DIALECT_MODEL, name), key + search.length + 1);
    return search;
}

static bool is_subject(const struct search *search, const struct walk_table *table, const struct schema_field *field)
{
    const char *name = table->message->name;
    return field->number == search->number && strncmp(name, search->message, search->length) == 0 && name[search->length] == '\0';
}

static enum verdict verdict_of_lacking(const struct search *search, enum walk_action action)
{
    if (!search->request || action == WALK_DROP) {
        return VERDICT_DROPPED;
    }
    return action == WALK_JUDGED ? VERDICT_JUDGED : VERDICT_REFUSED;
}

/* What a step does with the field; VERDICT_COUNT if it does not concern the field. */
static enum verdict verdict_of_step(const struct search *search, const struct walk_table *table, uint16_t index)
{
    const struct walk_step *step = &table->steps[index];
    enum walk_action action = (enum walk_action)step->action;
    bool lacking = action == WALK_DROP || action == WALK_REJECT || action == WALK_JUDGED;
    if (lacking) {
        return step->rule == search->rule ? verdict_of_lacking(search, action) : VERDICT_COUNT;
    }
    for (uint8_t i = 0; i < step->value_count; i++) {
        if (step->values[i].rule == search->rule) {
            return verdict_of_lacking(search, (enum walk_action)step->values[i].action);
        }
    }
    if (search->differs && is_subject(search, table, &table->message->fields[index])) {
        return action == WALK_CAPTURE ? VERDICT_CARRIED : VERDICT_SAME;
    }
    return VERDICT_COUNT;
}

/* The first verdict on the field in the message or below; VERDICT_COUNT if it is not in there. No message contains itself. */
static enum verdict find_verdict(const struct search *search, const struct walk_table *table)
{
    for (uint16_t i = 0; i < table->message->field_count; i++) {
        enum verdict verdict = verdict_of_step(search, table, i);
        if (verdict == VERDICT_COUNT && table->steps[i].into) {
            verdict = find_verdict(search, table->steps[i].into);
        }
        if (verdict != VERDICT_COUNT) {
            return verdict;
        }
    }
    return VERDICT_COUNT;
}

/* Whether a message of that name, here or below, has a carry function. */
static bool is_carried(const struct walk_table *table, const char *message)
{
    if (table->carry && strcmp(table->message->name, message) == 0) {
        return true;
    }
    for (uint16_t i = 0; i < table->message->field_count; i++) {
        if (table->steps[i].into && is_carried(table->steps[i].into, message)) {
            return true;
        }
    }
    return false;
}

/* The kinds of configurations in a message or below, as bits. */
static unsigned kinds_in(const struct walk_table *table)
{
    unsigned kinds = 0;
    for (uint16_t i = 0; i < table->message->field_count; i++) {
        if (table->steps[i].action == WALK_MODEL) {
            kinds |= 1U << table->steps[i].slot;
        }
    }
    return kinds;
}

/* The table of a method's message; NULL if the scope excludes the method or one side lacks it. */
static const struct walk_table *table_of(const struct explain_scope *scope, const struct method *method)
{
    if (scope->method && scope->method != method) {
        return NULL;
    }
    return scope->way == WAY_REQUEST ? walk_table_of_request(method, scope->caller, scope->runtime)
                                     : walk_table_of_response(method, scope->runtime, scope->caller);
}

static void add_method(struct explained *explained, const struct method *method)
{
    if (explained->method_count < sizeof explained->methods / sizeof explained->methods[0]) {
        explained->methods[explained->method_count++] = method;
    }
}

static const struct carry_text *carry_of(const char *subject)
{
    size_t length = strcspn(subject, ".");
    for (uint16_t i = 0; i < carry_text_count; i++) {
        if (strlen(carry_texts[i].message) == length && memcmp(carry_texts[i].message, subject, length) == 0) {
            return &carry_texts[i];
        }
    }
    return NULL;
}

static bool explain_rule(const struct explain_scope *scope, uint16_t rule, struct explained *explained)
{
    enum dialect from = scope->way == WAY_REQUEST ? scope->caller : scope->runtime;
    enum dialect to = scope->way == WAY_REQUEST ? scope->runtime : scope->caller;
    struct search search = search_for(rule, from, to, scope->way);
    *explained = (struct explained){
        .subject = translation_rules[rule].field, .why = translation_rules[rule].why, .rule = &rule_texts[rule]};
    for (uint16_t i = 0; i < method_count; i++) {
        const struct walk_table *table = table_of(scope, &methods[i]);
        enum verdict verdict = table ? find_verdict(&search, table) : VERDICT_COUNT;
        if (verdict != VERDICT_COUNT) {
            explained->verdict = verdict;
            add_method(explained, &methods[i]);
        }
    }
    const struct carry_text *carry = explained->verdict == VERDICT_CARRIED ? carry_of(explained->subject) : NULL;
    explained->how = carry ? carry->why : NULL;
    return explained->method_count > 0;
}

static bool explain_carry(const struct explain_scope *scope, const struct carry_text *carry, struct explained *explained)
{
    *explained = (struct explained){.verdict = VERDICT_CARRIED, .subject = carry->message, .why = carry->why};
    for (uint16_t i = 0; i < method_count; i++) {
        const struct walk_table *table = table_of(scope, &methods[i]);
        if (table && is_carried(table, carry->message)) {
            add_method(explained, &methods[i]);
        }
    }
    return explained->method_count > 0;
}

const char *explain_class(enum ability_class class)
{
    return class == ABILITY_CONFINEMENT ? "refused" : "ignored";
}

static const char *source_of(const struct ability *ability, const struct ability_runtime *runtime)
{
    for (uint8_t i = 0; i < ability->ignored_by_count; i++) {
        if (runtime == &ability_runtimes[ability->ignored_by[i].runtime]) {
            return ability->ignored_by[i].source;
        }
    }
    return "";
}

static bool explain_ability(const struct explain_scope *scope, const struct ability_set *set, uint8_t entry,
                            struct explained_ability *explained)
{
    const struct ability *ability = &ability_entries[entry];
    *explained = (struct explained_ability){
        .ability = ability,
        .subject = translation_rules[ability->rule].field,
        .source = source_of(ability, set->runtime),
    };
    for (uint16_t i = 0; i < method_count; i++) {
        bool called = methods[i].in[scope->caller].path && methods[i].in[scope->runtime].path;
        bool about = ability_requests[i].entries >> entry & 1U;
        if (called && about && (!scope->method || scope->method == &methods[i]) &&
            explained->method_count < sizeof explained->methods / sizeof explained->methods[0]) {
            explained->methods[explained->method_count++] = &methods[i];
        }
    }
    return explained->method_count > 0;
}

void explain_ignored(const struct explain_scope *scope, const struct ability_set *set,
                     void (*tell)(void *state, const struct explained_ability *explained), void *state)
{
    struct explained_ability explained;
    for (uint8_t i = 0; i < ability_entry_count; i++) {
        bool said = (set->entries >> i & 1U) && (ability_entries[i].dialects >> scope->caller & 1U);
        if (said && explain_ability(scope, set, i, &explained)) {
            tell(state, &explained);
        }
    }
}

static bool explain_normalisation(const struct explain_scope *scope, const struct normalise_text *text,
                                  struct explained *explained)
{
    *explained = (struct explained){.verdict = VERDICT_NORMALISED, .subject = text->name, .why = text->why};
    bool runs = (text->up >> scope->caller | text->down >> scope->runtime) & 1U;
    for (uint16_t i = 0; runs && scope->way == WAY_REQUEST && i < method_count; i++) {
        const struct walk_table *table = table_of(scope, &methods[i]);
        if (table && (kinds_in(table) & text->on)) {
            add_method(explained, &methods[i]);
        }
    }
    return explained->method_count > 0;
}

void explain(const struct explain_scope *scope, void (*tell)(void *state, const struct explained *explained), void *state)
{
    struct explained explained;
    uint64_t told = 0; /* carries that were reported with a rule, by their index */
    for (uint16_t i = 0; i < TRANSLATION_DIFFERENCE_COUNT; i++) {
        if (explain_rule(scope, i, &explained)) {
            const struct carry_text *carry = explained.how ? carry_of(explained.subject) : NULL;
            told |= carry ? UINT64_C(1) << (carry - carry_texts) : 0;
            tell(state, &explained);
        }
    }
    for (uint16_t i = 0; i < carry_text_count; i++) {
        if (!(told >> i & 1U) && explain_carry(scope, &carry_texts[i], &explained)) {
            tell(state, &explained);
        }
    }
    for (uint16_t i = 0; i < normalise_text_count; i++) {
        if (explain_normalisation(scope, &normalise_texts[i], &explained)) {
            tell(state, &explained);
        }
    }
}
