/* Entries of the YAML files: mappings that are read into structs by tables of their words. */
#pragma once

#include <stddef.h>

#include "codegen/document.h"
#include "codegen/schema_load.h"

/* A mapping that is read. */
struct entry {
    struct document *document;
    const struct schema *schema; /* of readers of dialects; else it may be NULL */
    const char *name;            /* "Mount.image", for messages */
    struct place place;          /* for words that are missing */
    void *row;                   /* the struct that it goes into */
};

struct entry_word;

/* Reads the value of a word and reports what is wrong with it; `what` names it: "Mount.image: why". */
typedef void entry_reader(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what);

/* A word of a file, and the constant that stands for it in generated tables. */
struct constant {
    const char *word;
    const char *name;
};

struct entry_word {
    const char *word;
    entry_reader *read; /* one of those below, or of the file itself */
    bool required;
    size_t target;                    /* the offset of the member for the value, or what else the reader wants to know */
    const struct constant *constants; /* of entry_constant; the last has no word */
};

/* Texts of a list, or the only one. */
struct texts {
    size_t count;
    const char **texts;
    struct place place; /* line 0: the file does not have it */
};

bool texts_have(const struct texts *texts, const char *text);

entry_reader entry_text;     /* const char *: a text that is not empty; else it stays as it is */
entry_reader entry_list;     /* struct texts: a list of such texts that is not empty */
entry_reader entry_texts;    /* struct texts: such a text, or a list of them */
entry_reader entry_true;     /* bool: `true` */
entry_reader entry_constant; /* const char *: the constant of the word; the first one for an unknown word */
entry_reader entry_dialects; /* bool[DIALECTS_MAX]: those that a list names */

/* Reads an entry. Words that the table lacks, and required ones that are missing, are mistakes. */
void entry_read(const struct entry *entry, yaml_node_t *node, const struct entry_word *words, size_t count);

/* The member of the row that the value of the word goes into. */
void *entry_member(const struct entry *entry, const struct entry_word *word);

/* The first constant of that word, or NULL. */
const struct constant *constant_find(const struct constant *constants, const char *word);

/* Whether it has an attribute, even with a wrong value; true for what is not a mapping. */
bool entry_has(struct document *document, yaml_node_t *node, const char *word);

/* Whether it can be part of a function's name: lower case, digits and _ only. */
bool is_identifier(const char *text);
