#include "codegen/plan.h"

#include <string.h>

#include "codegen/memory.h"
#include "codegen/mistakes.h"

const char *const plan_model_constants[PART_COUNT] = {
    [PART_POD] = "MODEL_POD",
    [PART_CONTAINER] = "MODEL_CONTAINER",
    [PART_RESOURCES] = "MODEL_RESOURCES",
};

static const char *const action_constants[RULE_ACTION_COUNT] = {
    [RULE_DROP] = "WALK_DROP", [RULE_REJECT] = "WALK_REJECT", [RULE_JUDGED] = "WALK_JUDGED",
    [RULE_CARRY] = NULL, /* where a carry function runs, the field is captured before its rule is looked up */
    [RULE_COPY] = "WALK_COPY",
};

#define NO_SLOT SIZE_MAX

/* A table under construction. */
struct making {
    struct plan *plan;
    size_t from;
    size_t to;
    const struct message *source;
    const struct message *target;
    const struct carry_rule *carry;
    struct plan_table *table;
};

/* The rule for a difference between two dialects: the target's rule, or else the source's own, whose field then differs from the
   model's. NULL after reporting that there is none. */
static const struct field_rule *rule_between(const struct plan *plan, size_t from, size_t to, const char *key)
{
    const struct field_rule *rule = rules_field(plan->rules, key);
    if (rule == NULL || !(rule->in[to] || rule->in[from])) {
        mistake((struct place){plan->rules->file, 0, 0},
                "%s has %s, which %s lacks or has otherwise: add its rule to rules.yaml under fields",
                plan->schema->dialects[from].name, key, plan->schema->dialects[to].name);
        return NULL;
    }
    return rule;
}

static size_t rule_index(const struct plan *plan, const struct field_rule *rule)
{
    return (size_t)(rule - plan->rules->fields);
}

static const char *field_key(const struct plan *plan, const struct message *message, const struct field *field)
{
    const struct message *model = dialect_message(schema_model(plan->schema), message->name);
    const struct field *named = model == NULL ? NULL : message_field_by_number(model, field->number);
    return memory_format("%s.%s", message->name, named != NULL ? named->name : field->name);
}

/* Enums */

struct plan_enum *plan_enum_of(const struct plan *plan, size_t from, size_t to, const struct enumeration *enumeration)
{
    struct plan_enum *found = plan->enums[from][to];
    for (struct enumeration *const *other = plan->schema->dialects[from].enums; *other != enumeration; other++) {
        found++;
    }
    return found;
}

static void plan_value(struct plan *plan, size_t from, size_t to, const struct enumeration *source,
                       const struct enum_value *value)
{
    const struct enumeration *model = dialect_enum(schema_model(plan->schema), source->name);
    const struct enum_value *named = model == NULL ? NULL : enum_value_by_number(model, value->number);
    const char *key = memory_format("%s.%s", source->name, named != NULL ? named->name : value->name);
    const struct field_rule *rule = rule_between(plan, from, to, key);
    if (rule == NULL || rule->action == RULE_COPY) {
        return;
    }
    const char *action = action_constants[rule->action];
    if (action == NULL) {
        return; /* reported by the checks: a value cannot be carried */
    }
    struct plan_enum *lacking = plan_enum_of(plan, from, to, source);
    lacking->values = memory_grow(lacking->values, lacking->value_count, sizeof(*lacking->values));
    lacking->values[lacking->value_count++] = (struct plan_value){value, action, rule_index(plan, rule)};
}

static void plan_enums(struct plan *plan, size_t from, size_t to)
{
    const struct dialect *dialect = &plan->schema->dialects[from];
    plan->enums[from][to] = memory_new(dialect->enum_count, sizeof(struct plan_enum));
    for (size_t i = 0; i < dialect->enum_count; i++) {
        const struct enumeration *source = dialect->enums[i];
        const struct enumeration *target = dialect_enum(&plan->schema->dialects[to], source->name);
        for (size_t j = 0; target != NULL && j < source->value_count; j++) {
            if (enum_value_by_number(target, source->values[j].number) == NULL) {
                plan_value(plan, from, to, source, &source->values[j]);
            }
        }
    }
}

/* Carries */

static bool carry_applies(const struct carry_rule *carry, size_t from, size_t to)
{
    return carry->always || carry->in[from] != carry->in[to];
}

/* The carry of a message between two dialects, or NULL. */
static const struct carry_rule *find_carry(const struct making *making)
{
    const struct rules *rules = making->plan->rules;
    const struct carry_rule *found = NULL;
    for (size_t i = 0; i < rules->carry_count; i++) {
        const struct carry_rule *carry = &rules->carries[i];
        if (strcmp(carry->message, making->source->name) != 0 || !carry_applies(carry, making->from, making->to)) {
            continue;
        }
        if (found != NULL) {
            const struct dialect *dialects = making->plan->schema->dialects;
            mistake(carry->place, "%s: from %s to %s, %s is carried by %s already", carry->with, dialects[making->from].name,
                    dialects[making->to].name, carry->message, found->with);
        }
        found = carry;
    }
    return found;
}

static const char *carry_function_name(const struct carry_rule *carry, size_t to)
{
    if (carry->always) {
        return memory_format("carry_%s", carry->with);
    }
    return memory_format("carry_%s_%s", carry->with, carry->in[to] ? "down" : "up");
}

/* The index of a field in its carry's list, under the model's name for its number. */
static size_t carry_slot(const struct making *making, const struct field *field)
{
    const struct carry_rule *carry = making->carry;
    const struct message *model = dialect_message(schema_model(making->plan->schema), making->source->name);
    for (size_t i = 0; carry != NULL && model != NULL && i < carry->fields.count; i++) {
        const struct field *listed = message_field(model, carry->fields.texts[i]);
        if (listed != NULL && listed->number == field->number) {
            return i;
        }
    }
    return NO_SLOT;
}

/* Steps */

static const char *model_constant(const struct making *making, const struct field *field)
{
    if (!making->source->request || field->message == NULL) {
        return NULL;
    }
    bool resources = strcmp(making->source->name, "UpdateContainerResourcesRequest") == 0 && strcmp(field->name, "linux") == 0;
    for (size_t part = 0; part < PART_COUNT; part++) {
        if (strcmp(field->type_name, model_part_message((enum model_part)part)) == 0 && (part != PART_RESOURCES || resources)) {
            return plan_model_constants[part];
        }
    }
    return NULL;
}

const char *const plan_name_kinds[PLAN_NAME_KINDS] = {"NAME_POD", "NAME_CONTAINER", "NAME_IMAGE", "NAME_HANDLER",
                                                      "NAME_STREAM_URL"};

/* The kind of a name as a bit, by its index in plan_name_kinds; 0 for a field that is not a name. */
static unsigned name_bit(const struct making *making, const struct field *field)
{
    const char *kind = listed_constant(&making->plan->rules->names, making->source->name, field->name, "NAME_NONE");
    for (unsigned i = 0; i < PLAN_NAME_KINDS; i++) {
        if (strcmp(kind, plan_name_kinds[i]) == 0) {
            return 1U << i;
        }
    }
    return 0;
}

/* A field that is the same on both sides. */
static struct plan_step step_for_common(const struct making *making, const struct field *field)
{
    struct plan_step step = {.action = name_bit(making, field) != 0 ? "WALK_NAME" : "WALK_COPY"};
    if (field->message != NULL) {
        step.into = making->plan->tables[making->from][making->to][field->message->index];
        step.model = model_constant(making, field);
        step.action = step.model != NULL                            ? "WALK_MODEL"
                      : step.into->changes || step.into->names != 0 ? "WALK_DESCEND"
                                                                    : "WALK_COPY";
    } else if (field->enumeration != NULL &&
               plan_enum_of(making->plan, making->from, making->to, field->enumeration)->value_count > 0) {
        step.values_of = field->enumeration;
    }
    return step;
}

/* A field that the other side lacks or has in another form. */
static struct plan_step step_for_difference(const struct making *making, const struct field *field)
{
    struct plan_step step = {.action = "WALK_REJECT"};
    const char *key = field_key(making->plan, making->source, field);
    const struct field_rule *rule = rule_between(making->plan, making->from, making->to, key);
    if (rule == NULL) {
        return step;
    }
    if (rule->action == RULE_CARRY) {
        mistake(rule->place, "%s is to be carried, but no entry under carry does so from %s to %s", key,
                making->plan->schema->dialects[making->from].name, making->plan->schema->dialects[making->to].name);
        return step;
    }
    step.action = action_constants[rule->action];
    step.rule = rule_index(making->plan, rule);
    return step;
}

static struct plan_step plan_step(const struct making *making, const struct field *field)
{
    size_t slot = carry_slot(making, field);
    if (slot != NO_SLOT) {
        return (struct plan_step){.action = "WALK_CAPTURE", .slot = slot};
    }
    const struct field *other = message_field_by_number(making->target, field->number);
    if (other != NULL && field_same_shape(field, other)) {
        return step_for_common(making, field);
    }
    return step_for_difference(making, field);
}

/* The constant of enum walk_plain for a field; NULL for a field that has to be looked at. */
static const char *plain_constant(const struct field *field, const struct plan_step *step)
{
    bool copied = strcmp(step->action, "WALK_COPY") == 0;
    if (strcmp(step->action, "WALK_NAME") == 0) {
        return "WALK_PLAIN_NAME";
    }
    if (field->message != NULL && (copied || strcmp(step->action, "WALK_DESCEND") == 0)) {
        return !field->repeated ? "WALK_PLAIN_ONCE" : copied ? "WALK_PLAIN_COPIED" : "WALK_PLAIN_INTO";
    }
    if (!copied || step->values_of != NULL || strcmp(field->constant, "FIELD_DOUBLE") == 0) {
        return NULL;
    }
    return strcmp(field->constant, "FIELD_STRING") == 0  ? "WALK_PLAIN_STRING"
           : strcmp(field->constant, "FIELD_BYTES") == 0 ? "WALK_PLAIN_BYTES"
                                                         : "WALK_PLAIN_NUMBER";
}

/* Sets the properties of the table as a whole. */
static void sum_up(struct making *making)
{
    struct plan_table *table = making->table;
    const struct dialect *dialects = making->plan->schema->dialects;
    table->same_package = strcmp(dialects[making->from].package, dialects[making->to].package) == 0;
    table->changes = !table->same_package || making->carry != NULL;
    table->in_place = making->carry != NULL && making->carry->always && making->carry->fields.count == 1;
    for (size_t i = 0; i < making->source->field_count; i++) {
        const struct plan_step *step = &table->steps[i];
        const struct field *field = &making->source->fields[i];
        if (field->number < PLAN_PLAIN_NUMBERS) {
            table->plain[field->number] = plain_constant(field, step);
        }
        bool plain = strcmp(step->action, "WALK_COPY") == 0 || strcmp(step->action, "WALK_DESCEND") == 0 ||
                     strcmp(step->action, "WALK_NAME") == 0;
        bool into_changes = step->into != NULL && step->into->changes;
        table->changes = table->changes || !plain || step->values_of != NULL || into_changes;
        table->names |= name_bit(making, field) | (step->into != NULL ? step->into->names : 0);
    }
}

static struct plan_table *make_table(struct plan *plan, size_t from, size_t to, const struct message *source)
{
    struct making making = {.plan = plan, .from = from, .to = to, .source = source};
    making.target = dialect_message(&plan->schema->dialects[to], source->name);
    if (making.target == NULL) {
        return NULL;
    }
    making.carry = find_carry(&making);
    making.table = memory_new(1, sizeof(*making.table));
    making.table->source = source;
    making.table->carry_function = making.carry == NULL ? NULL : carry_function_name(making.carry, to);
    making.table->steps = memory_new(source->field_count, sizeof(struct plan_step));
    for (size_t i = 0; i < source->field_count; i++) {
        making.table->steps[i] = plan_step(&making, &source->fields[i]);
    }
    sum_up(&making);
    return making.table;
}

void plan_make(struct plan *plan, const struct schema *schema, const struct rules *rules)
{
    *plan = (struct plan){.schema = schema, .rules = rules};
    for (size_t from = 0; from < schema->dialect_count; from++) {
        const struct dialect *dialect = &schema->dialects[from];
        for (size_t to = 0; to < schema->dialect_count; to++) {
            plan_enums(plan, from, to);
            plan->tables[from][to] = memory_new(dialect->message_count, sizeof(struct plan_table *));
            /* Messages come after those that they contain, so that `into` exists already. */
            for (size_t i = 0; i < dialect->message_count; i++) {
                plan->tables[from][to][i] = make_table(plan, from, to, dialect->messages[i]);
            }
        }
    }
}

const struct plan_table *plan_table(const struct plan *plan, size_t from, size_t to, const char *message)
{
    const struct message *source = dialect_message(&plan->schema->dialects[from], message);
    return source == NULL ? NULL : plan->tables[from][to][source->index];
}
