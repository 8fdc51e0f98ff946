#include "codegen/check_lists.h"

#include <fnmatch.h>
#include <string.h>

#include "codegen/memory.h"
#include "codegen/mistakes.h"
#include "codegen/named.h"

/* A field that must be listed: all three patterns match. */
struct hint {
    const char *message;
    const char *field;
    const char *type;
};

/* Fields that look like names: the list must give their kind, or `none`. */
static const struct hint name_hints[] = {
    {"*", "id", "string"},
    {"*", "uid", "string"},
    {"*", "*_id", "string"},
    {"*", "*_ids", "string"},
    {"*", "*image*", "string"},
    {"*", "repo_*", "string"},
    {"*", "runtime_handler", "string"},
    {"*", "url", "string"},
    {"RuntimeHandler", "name", "string"},
    {NULL, NULL, NULL},
};

/* Credentials, output of commands, verbose information of runtimes, the environment. */
static const struct hint privacy_hints[] = {
    {"*", "auth", "string"},     {"*", "password", "string"},    {"*", "*token*", "string"}, {"*", "*credential*", "string"},
    {"*", "*secret*", "string"}, {"*", "url", "string"},         {"*", "auth", "bytes"},     {"*", "password", "bytes"},
    {"*", "*token*", "bytes"},   {"*", "*credential*", "bytes"}, {"*", "*secret*", "bytes"}, {"*", "info", "map<*"},
    {"*", "stdout", "bytes"},    {"*", "stderr", "bytes"},       {"KeyValue", "value", "*"}, {NULL, NULL, NULL},
};

/* One of the two lists. */
struct list {
    const struct schema *schema;
    const struct rules *rules;
    const struct listed_fields *listed;
    const struct hint *hints;
    const char *part; /* "names" */
    const char *looks_like;
    const char *advice;
    bool strings_only;
};

static bool is_listed(const struct list *list, const char *key)
{
    return named_find(list->listed->fields, list->listed->count, sizeof(*list->listed->fields), key) != NULL;
}

static bool matches(const struct hint *hints, const struct message *message, const struct field *field)
{
    const char *type = field->map ? field_type_text(field) : field->type_name;
    for (const struct hint *hint = hints; hint->message != NULL; hint++) {
        if (fnmatch(hint->message, message->name, 0) == 0 && fnmatch(hint->field, field->name, 0) == 0 &&
            fnmatch(hint->type, type, 0) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a newer dialect has the field too, so that it is already reported. */
static bool is_told(const struct list *list, size_t dialect, const char *key)
{
    for (size_t i = dialect + 1; i < list->schema->dialect_count; i++) {
        if (dialect_field(&list->schema->dialects[i], key) != NULL) {
            return true;
        }
    }
    return false;
}

static void check_message(const struct list *list, size_t dialect, const struct message *message)
{
    for (size_t i = 0; i < message->field_count; i++) {
        const struct field *field = &message->fields[i];
        const char *key = memory_format("%s.%s", message->name, field->name);
        if (matches(list->hints, message, field) && !is_listed(list, key) && !is_told(list, dialect, key)) {
            mistake((struct place){list->rules->file, 0, 0}, "%s of %s looks like %s: %s in rules.yaml under %s", key,
                    list->schema->dialects[dialect].name, list->looks_like, list->advice, list->part);
        }
    }
}

static void check_entry(const struct list *list, size_t index)
{
    const struct listed_field *entry = &list->listed->fields[index];
    const struct listed_field *first = named_find(list->listed->fields, index, sizeof(*first), entry->key);
    if (first != NULL) {
        mistake(entry->place, "%s is listed twice under %s, first in line %zu: remove one", entry->key, list->part,
                first->place.line);
    }
    bool known = false;
    for (size_t i = 0; i < list->schema->dialect_count; i++) {
        const struct field *field = dialect_field(&list->schema->dialects[i], entry->key);
        known = known || field != NULL;
        if (field != NULL && list->strings_only && (field->map || strcmp(field->type_name, "string") != 0)) {
            mistake(entry->place, "%s is %s in %s: only strings are names", entry->key, field_type_text(field),
                    list->schema->dialects[i].name);
        }
    }
    if (!known) {
        mistake(entry->place, "%s under %s is not a field of any dialect: remove it, or spell it as api.proto does", entry->key,
                list->part);
    }
}

static void check_list(const struct list *list)
{
    for (size_t i = 0; i < list->listed->count; i++) {
        check_entry(list, i);
    }
    for (size_t dialect = list->schema->dialect_count; dialect > 0; dialect--) {
        const struct dialect *checked = &list->schema->dialects[dialect - 1];
        for (size_t i = 0; i < checked->message_count; i++) {
            check_message(list, dialect - 1, checked->messages[i]);
        }
    }
}

void check_lists(const struct schema *schema, const struct rules *rules)
{
    check_list(&(struct list){
        .schema = schema,
        .rules = rules,
        .listed = &rules->names,
        .hints = name_hints,
        .part = "names",
        .looks_like = "a name",
        .advice = "add what it names, or none,",
        .strings_only = true,
    });
    check_list(&(struct list){
        .schema = schema,
        .rules = rules,
        .listed = &rules->privacy,
        .hints = privacy_hints,
        .part = "privacy",
        .looks_like = "something that logs must not show",
        .advice = "add what they may show of it",
    });
}
