#include "cli/explain/list.h"

#include <string.h>

#include "base/json/build.h"
#include "translate/explain/explain.h"

/* ---- RPCs that the runtime lacks ---- */

static bool is_lacking(const struct explain_scope *scope, const struct method *method)
{
    return (!scope->method || scope->method == method) && method->in[scope->caller].path && !method->in[scope->runtime].path;
}

static void print_lacking(const struct explain_scope *scope, FILE *out)
{
    bool headed = false;
    for (uint16_t i = 0; i < method_count; i++) {
        if (!is_lacking(scope, &methods[i])) {
            continue;
        }
        if (!headed) {
            fprintf(out, "\nRPCs THAT %s LACKS\n", dialects[scope->runtime].name);
            headed = true;
        }
        fprintf(out, "%-30s  %-25s  %s\n", explain_lacking(&methods[i]), methods[i].name, method_without[i]);
    }
}

/* ---- as text ---- */

/* A list that is being printed: one pass measures the width, then there is one for each verdict. */
struct printing {
    FILE *out; /* NULL: measure only */
    enum verdict verdict;
    enum ability_class class; /* of what is ignored */
    const char *heading;
    int width;
};

static void print_row(void *state, const struct explained *explained)
{
    struct printing *printing = state;
    if (!printing->out) {
        int width = (int)strlen(explained->subject);
        printing->width = width > printing->width ? width : printing->width;
        return;
    }
    if (explained->verdict != printing->verdict) {
        return;
    }
    if (printing->heading) {
        fprintf(printing->out, "\n%s\n", printing->heading);
        printing->heading = NULL;
    }
    fprintf(printing->out, "%-10s  %-*s  %s", verdict_name(explained->verdict), printing->width, explained->subject,
            explained->why);
    fprintf(printing->out, "%s%s\n", explained->how ? "; " : "", explained->how ? explained->how : "");
}

/* The worst first. */
static void print_rows(const struct explain_scope *scope, const char *heading, int width, FILE *out)
{
    struct printing printing = {.out = out, .heading = heading, .width = width};
    for (size_t verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        printing.verdict = (enum verdict)verdict;
        explain(scope, print_row, &printing);
    }
}

static void print_ignored(void *state, const struct explained_ability *explained)
{
    struct printing *printing = state;
    if (!printing->out) {
        int width = (int)strlen(explained->subject);
        printing->width = width > printing->width ? width : printing->width;
        return;
    }
    if (explained->ability->class != printing->class) {
        return;
    }
    if (printing->heading) {
        fprintf(printing->out, "\nACCEPTED BUT IGNORED BY %s\n", printing->heading);
        printing->heading = NULL;
    }
    fprintf(printing->out, "%-10s  %-*s  %s", explain_class(explained->ability->class), printing->width, explained->subject,
            explained->ability->why);
    if (explained->ability->feature) {
        fprintf(printing->out, "; not if its Status reports %s", explained->ability->feature);
    }
    fprintf(printing->out, " (%s)\n", explained->source);
}

/* What makes requests fail comes first. */
static void print_all_ignored(const struct explain_scope *scope, const struct peer *runtime, int width, FILE *out)
{
    struct printing printing = {.out = out, .heading = runtime->abilities.name, .width = width, .class = ABILITY_CONFINEMENT};
    explain_ignored(scope, &runtime->abilities, print_ignored, &printing);
    printing.class = ABILITY_TUNING;
    explain_ignored(scope, &runtime->abilities, print_ignored, &printing);
}

void explain_list_print(const struct peer *caller, const struct peer *runtime, const struct method *method, FILE *out)
{
    struct explain_scope scope = {.caller = caller->dialect, .runtime = runtime->dialect, .way = WAY_REQUEST, .method = method};
    struct printing printing = {0};
    explain(&scope, print_row, &printing);
    explain_ignored(&scope, &runtime->abilities, print_ignored, &printing);
    scope.way = WAY_ANSWER;
    explain(&scope, print_row, &printing);
    fprintf(out, "%s from %s to %s. Everything else passes unchanged.\n", method ? method->name : "Calls", caller->text,
            runtime->text);
    print_lacking(&scope, out);
    print_all_ignored(&scope, runtime, printing.width, out);
    scope.way = WAY_REQUEST;
    print_rows(&scope, "IN REQUESTS", printing.width, out);
    scope.way = WAY_ANSWER;
    print_rows(&scope, "IN ANSWERS", printing.width, out);
}

/* ---- as JSON ---- */

static void add_text(struct json_object *object, const char *name, const char *text)
{
    json_add(object, name, json_object_new_string(text));
}

static struct json_object *lacking_json(const struct explain_scope *scope)
{
    struct json_object *list = json_object_new_array();
    for (uint16_t i = 0; i < method_count; i++) {
        if (is_lacking(scope, &methods[i])) {
            struct json_object *row = json_object_new_object();
            add_text(row, "rpc", methods[i].name);
            add_text(row, "answer", explain_lacking(&methods[i]));
            add_text(row, "why", method_without[i]);
            json_append(list, row);
        }
    }
    return list;
}

static struct json_object *method_names(const struct method *const *methods_of, size_t count)
{
    struct json_object *names = json_object_new_array();
    for (size_t i = 0; i < count; i++) {
        json_append(names, json_object_new_string(methods_of[i]->name));
    }
    return names;
}

static void add_row(void *state, const struct explained *explained)
{
    struct json_object *row = json_object_new_object();
    add_text(row, "verdict", verdict_name(explained->verdict));
    add_text(row, "subject", explained->subject);
    add_text(row, "why", explained->why);
    if (explained->how) {
        add_text(row, "how", explained->how);
    }
    json_add(row, "rpcs", method_names(explained->methods, explained->method_count));
    json_append(state, row);
}

static struct json_object *rows_json(struct explain_scope *scope, enum way way)
{
    struct json_object *rows = json_object_new_array();
    scope->way = way;
    explain(scope, add_row, rows);
    return rows;
}

static void add_ignored(void *state, const struct explained_ability *explained)
{
    struct json_object *row = json_object_new_object();
    add_text(row, "verdict", explain_class(explained->ability->class));
    add_text(row, "subject", explained->subject);
    add_text(row, "why", explained->ability->why);
    add_text(row, "source", explained->source);
    if (explained->ability->feature) {
        add_text(row, "unlessReported", explained->ability->feature);
    }
    json_add(row, "rpcs", method_names(explained->methods, explained->method_count));
    json_append(state, row);
}

static struct json_object *ignored_json(const struct explain_scope *scope, const struct peer *runtime)
{
    struct json_object *rows = json_object_new_array();
    explain_ignored(scope, &runtime->abilities, add_ignored, rows);
    return rows;
}

struct json_object *explain_list_json(const struct peer *caller, const struct peer *runtime, const struct method *method)
{
    struct explain_scope scope = {.caller = caller->dialect, .runtime = runtime->dialect, .method = method};
    struct json_object *json = json_object_new_object();
    peers_add(caller, runtime, json);
    json_add(json, "lackingRpcs", lacking_json(&scope));
    json_add(json, "ignored", ignored_json(&scope, runtime));
    json_add(json, "requests", rows_json(&scope, WAY_REQUEST));
    json_add(json, "answers", rows_json(&scope, WAY_ANSWER));
    return json;
}
