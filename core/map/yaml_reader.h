/* Reads a YAML text into the members of structs, by tables of keys. Each mistake gets its place in the text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <yaml.h>

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "core/map/problems.h"

struct yaml_reader {
    yaml_document_t document;
    struct runtime_map_problems *problems; /* borrowed: gets the mistakes */
    struct arena *memory;                  /* borrowed: what is read lives here */
    unsigned file;                         /* of the places: the file that is read */
};

/* A scalar that is parsed. */
struct yaml_scalar {
    const char *text;     /* printable ASCII; outlives the value, which may borrow it */
    void *value;          /* gets the meaning of the text; the parsing function knows its type */
    struct arena *memory; /* for values that are not borrowed */
    struct error *error;
};

/* Checks a scalar and writes its value. false with an error: what is wrong and what would be right. */
typedef bool yaml_parse_text(const struct yaml_scalar *in);

/* Sets the error of a scalar; false. */
#define yaml_wrong(in, ...) error_set((in)->error, STATUS_INVALID_ARGUMENT, __VA_ARGS__)

/* Reads any node that is not null into `value`. Adds its mistakes itself; `what` names the node in messages. */
typedef void yaml_read_node(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value);

/* One key that a mapping may have. */
struct yaml_key {
    const char *name;
    bool required;
    size_t offset; /* of the value's member in the struct that the mapping is read into */
    /* One of the two. */
    yaml_parse_text *parse;
    yaml_read_node *read;
};

/* Parses the text and returns the root of the first document, which lives until yaml_reader_close. Further documents are a
   mistake. NULL: the text is not YAML or exceeds a limit, which is a mistake, or it is empty, which is none. Close the reader in
   any case.
   */
yaml_node_t *yaml_reader_open(struct yaml_reader *reader, const char *text, size_t size);

void yaml_reader_close(struct yaml_reader *reader);

/* Reads a mapping into `target` by the table. `places`, one for each key, gets the places of the values. A missing key changes
   neither: so mappings of several files can be read over the same target. Unknown, double and empty keys are mistakes. false when
   the node is not a mapping or is far too big, a mistake as well. */
bool yaml_read_mapping(struct yaml_reader *reader, yaml_node_t *node, const char *what, const struct yaml_key *keys, size_t count,
                       void *target, struct place *places);

/* Adds a mistake, at `place`, for each required key that no mapping had so far. */
void yaml_note_missing(struct runtime_map_problems *problems, struct place place, const char *what, const struct yaml_key *keys,
                       size_t count, const struct place *places);

/* Parses a scalar of printable ASCII into `value`. false after it has added a mistake. */
bool yaml_read_scalar(struct yaml_reader *reader, yaml_node_t *node, const char *what, yaml_parse_text *parse, void *value);

/* Adds the mistake that the node is not of the `expected` kind ("a list"). */
void yaml_wrong_kind(struct yaml_reader *reader, yaml_node_t *node, const char *what, const char *expected);

struct place yaml_place(const struct yaml_reader *reader, const yaml_node_t *node);
