#include "cli/explain/changes.h"

#include <stdio.h>
#include <string.h>

#include "base/json/build.h"
#include "base/json/read.h"

#define PATH_SIZE 512

/* Two forms of a message, and their path. */
struct pair {
    const struct schema_message *before;
    const struct schema_message *after;
    struct json_object *old_value; /* NULL: the field that holds it is missing */
    struct json_object *new_value;
    const char *path;
    const struct changes_sink *sink;
};

static struct json_object *value_of(struct json_object *message, const struct schema_field *field)
{
    return field ? json_member(message, field->json_name) : NULL;
}

static bool is_empty(struct json_object *value)
{
    return json_object_is_type(value, json_type_object) && json_object_object_length(value) == 0;
}

static void join(char *path, const struct pair *pair, const struct schema_field *field, size_t index)
{
    size_t used = (size_t)snprintf(path, PATH_SIZE, "%s%s%s", pair->path, pair->path[0] ? "." : "", field->name);
    if (index != SIZE_MAX && used < PATH_SIZE) {
        snprintf(path + used, PATH_SIZE - used, "[%zu]", index);
    }
}

static void report(const struct pair *pair, enum change_kind kind, const struct schema_field *before,
                   const struct schema_field *after, struct json_object *old_value, struct json_object *new_value)
{
    char path[PATH_SIZE];
    join(path, pair, before ? before : after, SIZE_MAX);
    const struct change change = {
        .kind = kind,
        .path = path,
        .message = pair->before->name,
        .before = before,
        .after = after,
        .old_value = old_value,
        .new_value = new_value,
    };
    pair->sink->report(pair->sink->state, &change);
}

static void compare_messages(const struct pair *pair);

static void descend(const struct pair *pair, const struct schema_field *before, const struct schema_field *after,
                    struct json_object *old_value, struct json_object *new_value, size_t index)
{
    char path[PATH_SIZE];
    join(path, pair, before, index);
    compare_messages(&(struct pair){before->message, after->message, old_value, new_value, path, pair->sink});
}

/* A field that both forms have. */
static void compare_values(const struct pair *pair, const struct schema_field *before, const struct schema_field *after,
                           struct json_object *old_value, struct json_object *new_value)
{
    bool messages = before->message && after->message && !before->map && before->repeated == after->repeated;
    if (messages && !before->repeated) {
        descend(pair, before, after, old_value, new_value, SIZE_MAX);
        return;
    }
    size_t length = messages ? json_count(old_value) : 0;
    if (messages && length == json_count(new_value)) {
        for (size_t i = 0; i < length; i++) {
            descend(pair, before, after, json_object_array_get_idx(old_value, i), json_object_array_get_idx(new_value, i), i);
        }
        return;
    }
    if (!json_object_equal(old_value, new_value) || strcmp(before->name, after->name) != 0) {
        report(pair, CHANGE_OTHER, before, after, old_value, new_value);
    }
}

static void compare_messages(const struct pair *pair)
{
    for (uint16_t i = 0; i < pair->before->field_count; i++) {
        const struct schema_field *before = &pair->before->fields[i];
        const struct schema_field *after = schema_field_by_number(pair->after, before->number);
        struct json_object *old_value = value_of(pair->old_value, before);
        struct json_object *new_value = value_of(pair->new_value, after);
        if (old_value && new_value) {
            compare_values(pair, before, after, old_value, new_value);
        } else if (old_value && !is_empty(old_value)) {
            report(pair, CHANGE_GONE, before, after, old_value, NULL);
        }
    }
    for (uint16_t i = 0; i < pair->after->field_count; i++) {
        const struct schema_field *after = &pair->after->fields[i];
        const struct schema_field *before = schema_field_by_number(pair->before, after->number);
        struct json_object *new_value = value_of(pair->new_value, after);
        if (!new_value || value_of(pair->old_value, before) || is_empty(new_value)) {
            continue;
        }
        if (before && before->message && after->message && !after->repeated) {
            descend(pair, before, after, NULL, new_value, SIZE_MAX);
        } else {
            report(pair, CHANGE_ADDED, NULL, after, NULL, new_value);
        }
    }
}

void explain_changes(const struct schema_message *before, struct json_object *old_message, const struct schema_message *after,
                     struct json_object *new_message, const struct changes_sink *sink)
{
    compare_messages(&(struct pair){before, after, old_message, new_message, "", sink});
}
