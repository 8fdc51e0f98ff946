#include <stdio.h>
#include <string.h>

#include "codegen/abilities.h"
#include "codegen/memory.h"
#include "codegen/named.h"

/* As many as there are bits in the word that holds a set of entries. */
#define MOST_ROWS 64
#define MOST_RUNTIMES 255

struct check {
    struct abilities *abilities;
    const struct schema *schema;
    const struct methods *methods;
};

/* ---- where a field is ---- */

static bool only_informs(const struct ability_scope *scope, const struct field *field)
{
    for (size_t i = 0; i < scope->abilities->only_inform.count; i++) {
        if (schema_counterpart(scope->schema, scope->dialect, scope->abilities->only_inform.texts[i]) == field) {
            return true;
        }
    }
    return false;
}

bool ability_is_below(const struct ability_scope *scope, const struct ability_row *row, const struct field *field)
{
    return field->message != NULL && !only_informs(scope, field) && ability_is_in(scope, row, field->message);
}

bool ability_is_in(const struct ability_scope *scope, const struct ability_row *row, const struct message *message)
{
    const struct field *sought = schema_counterpart(scope->schema, scope->dialect, row->key);
    for (size_t i = 0; sought != NULL && i < message->field_count; i++) {
        if (&message->fields[i] == sought || ability_is_below(scope, row, &message->fields[i])) {
            return true;
        }
    }
    return false;
}

/* Whether a request of that RPC, in any dialect, has the field. */
static bool request_has(const struct abilities *abilities, const struct schema *schema, const struct ability_row *row,
                        const struct method_row *method)
{
    for (size_t i = 0; i < schema->dialect_count; i++) {
        const struct ability_scope scope = {abilities, schema, i};
        const struct rpc *rpc = dialect_rpc(&schema->dialects[i], method->service, method->name);
        if (rpc != NULL && ability_is_in(&scope, row, rpc->request)) {
            return true;
        }
    }
    return false;
}

bool ability_is_about(const struct abilities *abilities, const struct schema *schema, const struct ability_row *row,
                      const struct method_row *method)
{
    return (row->in.place.line == 0 || texts_have(&row->in, method->name)) && request_has(abilities, schema, row, method);
}

/* Each is a field of a message in requests below which something would be judged. */
static void check_only_inform(const struct check *check)
{
    const struct texts *listed = &check->abilities->only_inform;
    const struct ability_scope all = {&(struct abilities){0}, check->schema, check->schema->dialect_count - 1};
    for (size_t i = 0; i < listed->count; i++) {
        const struct field *field = dialect_field(schema_model(check->schema), listed->texts[i]);
        bool judged = false;
        for (size_t j = 0; field != NULL && j < check->abilities->count; j++) {
            const struct ability_row *row = &check->abilities->rows[j];
            judged = judged || (row->key != NULL && ability_is_below(&all, row, field));
        }
        if (!judged) {
            mistake(listed->place, "only_inform: no entry is about a field below %s: remove it", listed->texts[i]);
        }
    }
}

/* ---- runtimes ---- */

static void check_packages(const struct check *check, struct ability_runtime_row *runtime)
{
    for (size_t i = 0; i < runtime->packages.count; i++) {
        bool found = false;
        for (size_t j = 0; j < check->schema->dialect_count; j++) {
            bool speaks = strcmp(check->schema->dialects[j].package, runtime->packages.texts[i]) == 0;
            runtime->speaks[j] = runtime->speaks[j] || speaks;
            found = found || speaks;
        }
        if (!found) {
            mistake(runtime->packages.place, "%s: packages: no dialect is of package %s", runtime->name,
                    runtime->packages.texts[i]);
        }
    }
    for (size_t i = 0; runtime->packages.place.line == 0 && i < check->schema->dialect_count; i++) {
        runtime->speaks[i] = true;
    }
}

static bool is_alike(const struct ability_runtime_row *a, const struct ability_runtime_row *b, const char **name)
{
    bool dialect = false;
    for (size_t i = 0; i < DIALECTS_MAX; i++) {
        dialect = dialect || (a->speaks[i] && b->speaks[i]);
    }
    for (size_t i = 0; dialect && i < a->reports.count; i++) {
        if (texts_have(&b->reports, a->reports.texts[i])) {
            *name = a->reports.texts[i];
            return true;
        }
    }
    return false;
}

static void check_runtimes(const struct check *check)
{
    const struct abilities *abilities = check->abilities;
    if (abilities->runtime_count > MOST_RUNTIMES) {
        mistake((struct place){abilities->file, 0, 0}, "more than %d runtimes", MOST_RUNTIMES);
    }
    for (size_t i = 0; i < abilities->runtime_count; i++) {
        const char *name = NULL;
        struct ability_runtime_row *runtime = &abilities->runtimes[i];
        check_packages(check, runtime);
        for (size_t j = 0; j < i; j++) {
            if (is_alike(&abilities->runtimes[j], runtime, &name)) {
                mistake(runtime->place, "%s: nothing distinguishes it from %s: both report %s", runtime->name,
                        abilities->runtimes[j].name, name);
            }
        }
    }
}

/* ---- versions ---- */

/* Reads "1.7" or "1.7.3", all of it. */
static bool read_numbers(const char *text, uint32_t numbers[3])
{
    int read = 0;
    unsigned major, minor, patch = 0;
    bool good = sscanf(text, "%4u.%4u%n", &major, &minor, &read) == 2 && text[strspn(text, "0123456789.")] == '\0';
    if (good && text[read] == '.') {
        int more = 0;
        good = sscanf(text + read, ".%4u%n", &patch, &more) == 1;
        read += more;
    }
    numbers[0] = major, numbers[1] = minor, numbers[2] = patch;
    return good && text[read] == '\0';
}

/* "<1.7", ">=1.7 <1.7.3"; false after reporting what is wrong. */
static bool read_range(struct place place, const char *text, struct ability_range *range)
{
    bool ends[2] = {false, false};
    *range = (struct ability_range){.before = {UINT32_MAX, 0, 0}};
    for (const char *at = text; *at != '\0'; at += strspn(at, " ")) {
        bool before = *at == '<';
        size_t sign = before ? 1 : 2;
        const char *number = memory_format("%.*s", (int)strcspn(at, " "), at);
        if ((!before && strncmp(at, ">=", 2) != 0) || ends[before] ||
            !read_numbers(number + sign, before ? range->before : range->from)) {
            mistake(place, "versions: %s is no range: write >=1.7, <1.7.3, or both with a space between", text);
            return false;
        }
        ends[before] = true;
        at += strlen(number);
    }
    if (memcmp(range->from, range->before, sizeof(range->from)) == 0 ||
        (ends[0] && ends[1] &&
         (range->from[0] > range->before[0] || (range->from[0] == range->before[0] && range->from[1] > range->before[1]) ||
          (range->from[0] == range->before[0] && range->from[1] == range->before[1] && range->from[2] > range->before[2])))) {
        mistake(place, "versions: no version is in %s", text);
        return false;
    }
    return true;
}

static void check_versions(struct ability_ignored_row *ignored)
{
    for (size_t i = 0; i < ignored->versions.count; i++) {
        struct ability_range range;
        if (read_range(ignored->versions.place, ignored->versions.texts[i], &range)) {
            ignored->ranges = memory_grow(ignored->ranges, ignored->range_count, sizeof(*ignored->ranges));
            ignored->ranges[ignored->range_count++] = range;
        }
    }
}

/* ---- entries ---- */

static bool speaks_it(const struct check *check, const struct ability_row *row, const struct ability_runtime_row *runtime)
{
    for (size_t i = 0; i < check->schema->dialect_count; i++) {
        if (runtime->speaks[i] && schema_counterpart(check->schema, i, row->key) != NULL) {
            return true;
        }
    }
    return false;
}

static void check_ignored(const struct check *check, const struct ability_row *row, size_t index)
{
    struct ability_ignored_row *ignored = &row->ignored_by[index];
    struct abilities *abilities = check->abilities;
    if (ignored->runtime == NULL) {
        return; /* reported already */
    }
    struct ability_runtime_row *runtime =
        named_find(abilities->runtimes, abilities->runtime_count, sizeof(*runtime), ignored->runtime);
    if (runtime == NULL) {
        mistake(ignored->place, "%s: ignored_by: there is no %s under runtimes", row->key, ignored->runtime);
        return;
    }
    runtime->used = true;
    ignored->runtime_index = (size_t)(runtime - abilities->runtimes);
    if (named_find(row->ignored_by, index, sizeof(*ignored), ignored->runtime) != NULL) {
        mistake(ignored->place, "%s: ignored_by: %s is listed twice: write its versions as a list", row->key, ignored->runtime);
    }
    if (!speaks_it(check, row, runtime)) {
        mistake(ignored->place, "%s: ignored_by: no dialect that %s speaks has the field: remove it", row->key, ignored->runtime);
    }
    check_versions(ignored);
}

static bool has_rpc(const struct check *check, const char *name, const struct method_row **row)
{
    for (size_t i = 0; i < check->methods->count; i++) {
        if (strcmp(check->methods->rows[i].name, name) == 0) {
            *row = &check->methods->rows[i];
            return true;
        }
    }
    return false;
}

/* Whether a request has it; and each RPC that is named. */
static void check_requests(const struct check *check, const struct ability_row *row)
{
    const struct method_row *method = NULL;
    bool found = false;
    for (size_t i = 0; i < row->in.count; i++) {
        if (!has_rpc(check, row->in.texts[i], &method)) {
            mistake(row->in.place, "%s: in: there is no RPC %s", row->key, row->in.texts[i]);
        } else if (!request_has(check->abilities, check->schema, row, method)) {
            mistake(row->in.place, "%s: in: a request of %s does not have it", row->key, row->in.texts[i]);
        }
    }
    for (size_t i = 0; i < check->methods->count; i++) {
        found = found || request_has(check->abilities, check->schema, row, &check->methods->rows[i]);
    }
    if (!found) {
        mistake(row->place, "%s: no request has it", row->key);
    }
}

static void check_reported(const struct check *check, const struct ability_row *row)
{
    const struct dialect *model = schema_model(check->schema);
    const struct field *field = row->reported == NULL ? NULL : dialect_field(model, row->reported);
    if (row->reported == NULL) {
        return;
    }
    bool features =
        strncmp(row->reported, "RuntimeHandlerFeatures.", 23) == 0 || strncmp(row->reported, "RuntimeFeatures.", 16) == 0;
    if (!features || field == NULL || field->repeated || strcmp(field->type_name, "bool") != 0) {
        mistake(row->reported_place,
                "%s: reported: %s is not a feature in Status: name a bool of RuntimeHandlerFeatures or of RuntimeFeatures",
                row->key, row->reported);
    }
}

/* Whether both are about one runtime, in requests of one RPC. */
static bool overlap(const struct check *check, const struct ability_row *a, const struct ability_row *b)
{
    bool requests = false;
    for (size_t i = 0; i < check->methods->count; i++) {
        const struct method_row *method = &check->methods->rows[i];
        requests = requests || (ability_is_about(check->abilities, check->schema, a, method) &&
                                ability_is_about(check->abilities, check->schema, b, method));
    }
    for (size_t i = 0; requests && i < a->ignored_count; i++) {
        const char *runtime = a->ignored_by[i].runtime;
        if (runtime != NULL && named_find(b->ignored_by, b->ignored_count, sizeof(*b->ignored_by), runtime) != NULL) {
            return true;
        }
    }
    return false;
}

static void check_row(const struct check *check, size_t index)
{
    const struct ability_row *row = &check->abilities->rows[index];
    if (row->key == NULL) {
        return; /* reported already */
    }
    if (dialect_field(schema_model(check->schema), row->key) == NULL) {
        mistake(row->place, "%s is not a field of the newest dialect: remove it, or spell it as api.proto does", row->key);
        return;
    }
    check_requests(check, row);
    check_reported(check, row);
    for (size_t i = 0; i < row->ignored_count; i++) {
        check_ignored(check, row, i);
    }
    for (size_t i = 0; i < index; i++) {
        const struct ability_row *other = &check->abilities->rows[i];
        if (other->key != NULL && strcmp(other->key, row->key) == 0 && overlap(check, other, row)) {
            mistake(row->place, "%s has an entry in line %zu for the same runtime and RPC: make it one entry", row->key,
                    other->place.line);
        }
    }
}

/* ---- rules ---- */

/* The field has a rule, so that losses and settings can name it. */
static void add_rule(struct rules *rules, const struct ability_row *row)
{
    if (row->key == NULL || row->class == NULL) {
        return; /* reported already */
    }
    bool tuning = strcmp(row->class, "tuning") == 0;
    bool refuses = !tuning;
    struct field_rule *known = named_find(rules->fields, rules->field_count, sizeof(*known), row->key);
    if (known != NULL) {
        known->refuses = known->refuses || refuses;
        known->tuning = known->tuning || tuning;
        return;
    }
    rules->fields = memory_grow(rules->fields, rules->field_count, sizeof(*rules->fields));
    rules->fields[rules->field_count++] = (struct field_rule){
        .key = row->key,
        .why = row->why,
        .action = RULE_ABILITY,
        .refuses = refuses,
        .tuning = tuning,
        .place = row->place,
    };
}

void abilities_check(struct abilities *abilities, const struct schema *schema, const struct methods *methods, struct rules *rules)
{
    const struct check check = {abilities, schema, methods};
    size_t before = mistakes_count();
    if (abilities->count > MOST_ROWS) {
        mistake((struct place){abilities->file, 0, 0}, "more than %d entries: a set of them no longer fits into a word",
                MOST_ROWS);
    }
    check_only_inform(&check);
    check_runtimes(&check);
    for (size_t i = 0; i < abilities->count; i++) {
        check_row(&check, i);
    }
    for (size_t i = 0; i < abilities->runtime_count; i++) {
        if (!abilities->runtimes[i].used && mistakes_count() == before) {
            mistake(abilities->runtimes[i].place, "%s: no entry is about it: remove it", abilities->runtimes[i].name);
        }
    }
    for (size_t i = 0; i < abilities->count && mistakes_count() == before; i++) {
        add_rule(rules, &abilities->rows[i]);
    }
}
