/* Changes that a test requests in answers: --set and --remove. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>

#include "sim/hooks/schema.h"

/* The place is `field`, a path such as "container_resources.cpu_quota", or an entry of a map at that path. */
struct edit {
    const struct hook *hook; /* NULL: every hook whose answer has the field */
    char *field;
    char *key;   /* of a map's entry, else NULL */
    char *value; /* NULL: the entry or field is removed */
};

/* Reads "METHOD:FIELD=VALUE", "METHOD:FIELD[KEY]=VALUE", or the same without a value if `removes`. METHOD is the name of a hook,
   or
   "*". Messages, lists and whole maps have their value in JSON. false: the mistake was reported on stderr, and nothing is to
   be cleared. */
bool edit_parse(const struct hook_schema *schema, const char *option, const char *text, bool removes, struct edit *edit);
void edit_clear(struct edit *edit);

/* Whether an answer of this hook has the field, and the value is one for it. */
bool edit_fits(const struct edit *edit, const struct hook *hook);

/* Makes the change in an answer of this hook; none if it does not fit. */
void edit_apply(const struct edit *edit, const struct hook *hook, struct json_object *response);
