#include "sim/hooks/edit.h"

#include <stdlib.h>
#include <string.h>

#include "sim/common/fields.h"
#include "sim/common/memory.h"
#include "sim/common/options.h"
#include "translate/json/json.h"

#define FORM_SET "METHOD:FIELD=VALUE or METHOD:FIELD[KEY]=VALUE"
#define FORM_REMOVE "METHOD:FIELD or METHOD:FIELD[KEY]"

/* Of an answer with one value in it. */
#define VALUE_CAP ((size_t)1 << 24)

/* Splits "FIELD=VALUE" or "FIELD[KEY]=VALUE". A key ends at the first "]=", or without a value at the last "]". */
static bool split_place(const char *text, bool removes, struct edit *edit)
{
    size_t length = strcspn(text, removes ? "[" : "[=");
    const char *rest = text + length;
    if (length == 0) {
        return false;
    }
    edit->field = sim_text("%.*s", (int)length, text);
    if (*rest == '[') {
        const char *end = removes ? strrchr(rest, ']') : strstr(rest, "]=");
        if (!end) {
            return false;
        }
        edit->key = sim_text("%.*s", (int)(end - rest - 1), rest + 1);
        rest = end + 1;
    }
    if (!removes && *rest == '=') {
        edit->value = sim_text("%s", rest + 1);
        return true;
    }
    return removes && !*rest;
}

static bool fits_any(const struct hook_schema *schema, const struct edit *edit)
{
    for (size_t i = 0; i < hook_count(schema); i++) {
        const struct hook *hook = hook_at(schema, i);
        if ((!edit->hook || edit->hook == hook) && edit_fits(edit, hook)) {
            return true;
        }
    }
    return false;
}

bool edit_parse(const struct hook_schema *schema, const char *option, const char *text, bool removes, struct edit *edit)
{
    *edit = (struct edit){0};
    const char *form = removes ? FORM_REMOVE : FORM_SET;
    size_t length = strcspn(text, ":");
    if (!text[length]) {
        return option_wrong(option, text, form);
    }
    edit->hook = hook_by_name(schema, bytes_of(text, length));
    if (!edit->hook && !(length == 1 && *text == '*')) {
        return option_wrong(option, text, "the name of a hook, such as PreCreateContainer, or *");
    }
    bool split = split_place(text + length + 1, removes, edit);
    if (split && fits_any(schema, edit)) {
        return true;
    }
    edit_clear(edit);
    return option_wrong(option, text, split ? "a field of the answer, and a value for it" : form);
}

void edit_clear(struct edit *edit)
{
    free(edit->field);
    free(edit->key);
    free(edit->value);
    *edit = (struct edit){0};
}

/* The last field of the path, and in `message` the JSON object that has it: made if `makes`, else NULL if there is none. NULL:
   the schema has no such field. */
static const struct schema_field *find_field(const struct edit *edit, const struct schema_message *schema, bool makes,
                                             struct json_object **message)
{
    const char *at = edit->field;
    for (;;) {
        size_t length = strcspn(at, ".");
        char *name = sim_text("%.*s", (int)length, at);
        const struct schema_field *field = schema_field_by_name(schema, name);
        free(name);
        if (!field || !at[length]) {
            return field;
        }
        if (field->type != FIELD_MESSAGE || field->repeated) {
            return NULL;
        }
        struct json_object *child = field_child(*message, field->json_name);
        *message = child || !makes ? child : field_new_object(*message, field->json_name);
        schema = field->message;
        at += length + 1;
    }
}

/* The value as JSON: of messages, lists and maps it is JSON already. NULL if it is not. */
static struct json_object *value_of(const struct edit *edit, const struct schema_field *field)
{
    bool is_json = !edit->key && (field->type == FIELD_MESSAGE || field->repeated);
    return is_json ? json_tokener_parse(edit->value) : json_object_new_string(edit->value);
}

static bool set(const struct edit *edit, const struct schema_message *schema, struct json_object *response)
{
    struct json_object *message = response;
    const struct schema_field *field = find_field(edit, schema, true, &message);
    struct json_object *value = field && (!edit->key || field->map) ? value_of(edit, field) : NULL;
    if (!value) {
        return false;
    }
    if (edit->key) {
        struct json_object *map = field_child(message, field->json_name);
        json_object_object_add(map ? map : field_new_object(message, field->json_name), edit->key, value);
    } else {
        json_object_object_add(message, field->json_name, value);
    }
    return true;
}

static bool take_out(const struct edit *edit, const struct schema_message *schema, struct json_object *response)
{
    struct json_object *message = response;
    const struct schema_field *field = find_field(edit, schema, false, &message);
    if (!field || (edit->key && !field->map)) {
        return false;
    }
    struct json_object *map = edit->key ? field_child(message, field->json_name) : NULL;
    if (map) {
        json_object_object_del(map, edit->key);
    } else if (!edit->key && message) {
        json_object_object_del(message, field->json_name);
    }
    return true;
}

static bool change(const struct edit *edit, const struct schema_message *schema, struct json_object *response)
{
    return edit->value ? set(edit, schema, response) : take_out(edit, schema, response);
}

bool edit_fits(const struct edit *edit, const struct hook *hook)
{
    struct json_object *response = json_object_new_object();
    struct arena *arena = arena_new(VALUE_CAP);
    struct bytes encoded;
    struct error ignored = {0};
    bool fits = arena && change(edit, hook->response, response) &&
                json_to_message(hook->response, response, false, arena, &encoded, &ignored);
    arena_unref(arena);
    json_object_put(response);
    return fits;
}

void edit_apply(const struct edit *edit, const struct hook *hook, struct json_object *response)
{
    if ((!edit->hook || edit->hook == hook) && edit_fits(edit, hook)) {
        change(edit, hook->response, response);
    }
}
