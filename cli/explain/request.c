#include "cli/explain/request.h"

#include <stdio.h>
#include <string.h>

#include "base/json/build.h"
#include "cli/explain/changes.h"
#include "translate/compose/compose.h"
#include "translate/convert/convert.h"
#include "translate/json/json.h"
#include "translate/walk/leniency.h"
#include "translate/walk/report.h"
#include "translate/walk/text_table.h"

/* Longer values are cut. */
#define VALUE_SIZE 120

/* Collects the findings while a request is translated. */
struct search {
    struct arena *arena;
    const struct peer *runtime;
    struct request_explained *explained;
    struct finding **ends[FINDING_KINDS]; /* the link for the next finding of a kind */
    bool out_of_memory;
};

static const char *const kind_names[FINDING_KINDS] = {
    [FINDING_REFUSED] = "refused", [FINDING_IGNORED] = "ignored", [FINDING_LEFT_OUT] = "left out",
    [FINDING_CARRIED] = "carried", [FINDING_ADDED] = "added",
};

/* Adds a finding to the end of its kind's list; copies the texts. */
static void add_finding(struct search *search, enum finding_kind kind, const char *path, const char *text)
{
    struct finding *finding = arena_zalloc(search->arena, sizeof *finding);
    const char *own_path = arena_string(search->arena, bytes_of_string(path));
    const char *own_text = arena_string(search->arena, bytes_of_string(text));
    search->out_of_memory = search->out_of_memory || !finding || !own_path || !own_text;
    if (!search->out_of_memory) {
        *finding = (struct finding){.kind = kind, .path = own_path, .text = own_text};
        *search->ends[kind] = finding;
        search->ends[kind] = &finding->next;
    }
}

/* ---- losses, from the translation ---- */

static void note_ignored(struct search *search, const struct loss *loss)
{
    char text[1024];
    snprintf(text, sizeof text, "the runtime %s ignores it: %s", search->runtime->abilities.name, loss->reason);
    add_finding(search, loss->let_through ? FINDING_REFUSED : FINDING_IGNORED, loss->path, text);
}

static void note_loss(void *state, const struct loss *loss)
{
    if (loss->ignored) {
        note_ignored(state, loss);
        return;
    }
    add_finding(state, loss->let_through ? FINDING_REFUSED : FINDING_LEFT_OUT, loss->path, loss->reason);
}

/* ---- changes, from the two forms ---- */

/* Whether the paths are equal, or one is within the other. */
static bool is_on_one_path(const char *a, const char *b)
{
    size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    return strncmp(a, b, length) == 0 && strchr(".[", (a[length] ? a : b)[length]) != NULL;
}

static bool is_reported(const struct request_explained *explained, const char *path)
{
    for (size_t kind = FINDING_REFUSED; kind <= FINDING_LEFT_OUT; kind++) {
        for (const struct finding *finding = explained->findings[kind]; finding; finding = finding->next) {
            if (finding->path[0] && is_on_one_path(finding->path, path)) {
                return true;
            }
        }
    }
    return false;
}

/* The reason that the rules give for a field; "" if they have none. */
static const char *reason_of(const char *message, const struct schema_field *field)
{
    size_t length = strlen(message);
    for (uint16_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        const char *key = translation_rules[i].field;
        if (strncmp(key, message, length) == 0 && key[length] == '.' && strcmp(key + length + 1, field->name) == 0) {
            return translation_rules[i].why;
        }
    }
    return "";
}

static void print_value(struct json_object *value, char *text)
{
    const char *json = json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
    int length = snprintf(text, VALUE_SIZE, "%s", json ? json : "");
    if (length >= VALUE_SIZE) {
        memcpy(text + VALUE_SIZE - 4, "...", 4);
    }
}

static void note_change(void *state, const struct change *change)
{
    struct search *search = state;
    char old_value[VALUE_SIZE] = "";
    char new_value[VALUE_SIZE] = "";
    char text[1024];
    if (change->old_value) {
        print_value(change->old_value, old_value);
    }
    if (change->new_value) {
        print_value(change->new_value, new_value);
    }
    switch (change->kind) {
    case CHANGE_GONE:
        if (!is_reported(search->explained, change->path)) {
            add_finding(search, FINDING_CARRIED, change->path, reason_of(change->message, change->before));
        }
        break;
    case CHANGE_ADDED:
        add_finding(search, FINDING_ADDED, change->path, new_value);
        break;
    case CHANGE_OTHER:
        snprintf(text, sizeof text, "%s becomes %s: %s", old_value, change->after->name, new_value);
        add_finding(search, FINDING_CARRIED, change->path, text);
        break;
    }
}

/* ---- the translation ---- */

static bool compare(struct search *search, const struct conversion *conversion, struct bytes request, struct bytes translated,
                    struct error *error)
{
    const struct schema_message *before = conversion->method->in[conversion->from].request;
    const struct schema_message *after = conversion->method->in[conversion->to].request;
    struct json_object *old_message = json_from_message(before, request, JSON_EXACT, error);
    struct json_object *new_message = old_message ? json_from_message(after, translated, JSON_EXACT, error) : NULL;
    if (new_message) {
        const struct changes_sink sink = {.report = note_change, .state = search};
        explain_changes(before, old_message, after, new_message, &sink);
    }
    json_object_put(old_message);
    search->explained->translated = new_message;
    return new_message != NULL;
}

static bool translate(struct search *search, const struct method *method, enum dialect caller, struct bytes request,
                      struct error *error)
{
    /* Nothing is refused, so that every reason is reported and not only the first. */
    static const struct leniency all = {.all = true};
    struct conversion conversion = {
        .method = method,
        .from = caller,
        .to = search->runtime->dialect,
        .abilities = &search->runtime->abilities,
        .arena = search->arena,
        .leniency = &all,
        .report = {.tell = note_loss, .state = search},
    };
    struct bytes translated;
    if (!convert_request(&conversion, request, &translated, error)) {
        add_finding(search, FINDING_REFUSED, "", error->message);
        return error->code != STATUS_RESOURCE_EXHAUSTED;
    }
    if (conversion.report.unknown_fields > 0) {
        char text[96];
        snprintf(text, sizeof text, "%u fields that crigate does not know, between two packages",
                 conversion.report.unknown_fields);
        add_finding(search, FINDING_LEFT_OUT, "", text);
    }
    return compare(search, &conversion, request, translated, error);
}

bool explain_request(const struct method *method, const struct peer *caller, const struct peer *runtime, struct bytes request,
                     struct arena *arena, struct request_explained *explained, struct error *error)
{
    *explained = (struct request_explained){.status = EXPLAIN_WHOLE};
    struct search search = {.arena = arena, .runtime = runtime, .explained = explained};
    for (size_t kind = 0; kind < FINDING_KINDS; kind++) {
        search.ends[kind] = &explained->findings[kind];
    }
    if (!method->in[runtime->dialect].path) {
        bool answered = composition_of(method, COMPOSE_LACKING) || method->list || method->merge == MERGE_EVENTS;
        add_finding(&search, answered ? FINDING_CARRIED : FINDING_REFUSED, "", method_without[method - methods]);
    } else if (!translate(&search, method, caller->dialect, request, error)) {
        return false;
    }
    if (explained->findings[FINDING_REFUSED]) {
        explained->status = EXPLAIN_REFUSED;
        json_object_put(explained->translated);
        explained->translated = NULL;
    } else if (explained->findings[FINDING_LEFT_OUT] || explained->findings[FINDING_IGNORED]) {
        explained->status = EXPLAIN_LOSS;
    }
    return !search.out_of_memory || error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
}

/* ---- printing ---- */

static const char *const verdicts[] = {
    [EXPLAIN_WHOLE] = "passes whole",
    [EXPLAIN_LOSS] = "passes with losses",
    [EXPLAIN_REFUSED] = "refused",
};

void explain_request_print(const struct request_explained *explained, FILE *out)
{
    int width = 0;
    fprintf(out, "%s\n", verdicts[explained->status]);
    for (size_t kind = 0; kind < FINDING_KINDS; kind++) {
        for (const struct finding *finding = explained->findings[kind]; finding; finding = finding->next) {
            int length = (int)strlen(finding->path);
            width = length > width ? length : width;
        }
    }
    for (size_t kind = 0; kind < FINDING_KINDS; kind++) {
        for (const struct finding *finding = explained->findings[kind]; finding; finding = finding->next) {
            fprintf(out, "%-8s  %-*s  %s\n", kind_names[kind], width, finding->path, finding->text);
        }
    }
}

void explain_request_add(const struct request_explained *explained, struct json_object *json)
{
    struct json_object *findings = json_object_new_array();
    json_add(json, "verdict", json_object_new_string(verdicts[explained->status]));
    for (size_t kind = 0; kind < FINDING_KINDS; kind++) {
        for (const struct finding *finding = explained->findings[kind]; finding; finding = finding->next) {
            struct json_object *row = json_object_new_object();
            json_add(row, "what", json_object_new_string(kind_names[kind]));
            json_add(row, "path", json_object_new_string(finding->path));
            json_add(row, "text", json_object_new_string(finding->text));
            json_append(findings, row);
        }
    }
    json_add(json, "findings", findings);
    json_add(json, "translated", json_object_get(explained->translated));
}
