/* The differences between two forms of one message, both as JSON: the one from the caller and the one for the runtime. */
#pragma once

#include <json-c/json.h>

#include "translate/schema/schema.h"

enum change_kind {
    CHANGE_GONE,  /* only in the message of the caller */
    CHANGE_ADDED, /* only in the message for the runtime */
    CHANGE_OTHER, /* with another value, or under another name */
};

struct change {
    enum change_kind kind;
    const char *path;    /* "config.linux.security_context.seccomp", in the names of the .proto file */
    const char *message; /* that holds the field: "LinuxContainerSecurityContext" */
    const struct schema_field *before;
    const struct schema_field *after;
    struct json_object *old_value; /* NULL: CHANGE_ADDED */
    struct json_object *new_value; /* NULL: CHANGE_GONE */
};

struct changes_sink {
    void (*report)(void *state, const struct change *change);
    void *state;
};

/* Reports each difference, in the order of the schemas. The objects are borrowed. */
void explain_changes(const struct schema_message *before, struct json_object *old_message, const struct schema_message *after,
                     struct json_object *new_message, const struct changes_sink *sink);
