/* The content of translate/hooks.yaml. The comment at its beginning explains the words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codegen/document.h"
#include "codegen/mistakes.h"
#include "codegen/schema_load.h"

/* The words, as the file has them. */
enum hook_action {
    HOOK_HIDDEN,
    HOOK_SHOWN,
    HOOK_INSIDE,
    HOOK_NUMBER,
    HOOK_PARENT,
    HOOK_CPUSET,
    HOOK_ENTRIES,
    HOOK_FILES,
    HOOK_ENVIRONMENT,
    HOOK_ACTION_COUNT,
};

struct hook_field {
    const char *name;
    enum hook_action action;
    const char *keep; /* or NULL */
    bool ranged;
    int64_t range[2];
    int64_t also;   /* 0: none */
    int64_t clears; /* 0: none */
    bool clamp;
    struct place place;
};

struct hook_message {
    const char *name;
    size_t field_count;
    struct hook_field *fields;
    struct place place;
};

struct hooks {
    const char *file;
    size_t count;
    struct hook_message *messages;
};

/* A field that the code needs by itself. */
struct relied_field {
    const char *constant; /* of enum hook_place */
    const char *message;
    const char *field;
    enum hook_action action;
};

#define RELIED_FIELDS 6
extern const struct relied_field relied_fields[RELIED_FIELDS];

/* Reads the file and reports what is wrong with its form as mistakes. The document keeps the texts. */
void hooks_read(struct document *document, struct hooks *hooks);

/* Reports where the file and the newest dialect disagree: fields of shown messages without a word, words without a field, words
   that do not fit the field's type. */
void hooks_check(const struct hooks *hooks, const struct schema *schema);

/* NULL: it is not in the file. */
const struct hook_message *hooks_message(const struct hooks *hooks, const char *name);
const struct hook_field *hooks_field(const struct hook_message *message, const char *name);
