/* Reads a YAML text into the members of structs as tables of keys say, and knows for each mistake where in the text it is. */
#ifndef CRIGATE_MAP_YAML_READER_H
#define CRIGATE_MAP_YAML_READER_H

#include <stdbool.h>
#include <stddef.h>

#include <yaml.h>

#include "core/map/problems.h"
#include "translate/arena.h"
#include "translate/error.h"

struct yaml_reader {
    yaml_document_t document;
    struct runtime_map_problems *problems; /* borrowed: where mistakes go */
    struct arena *memory;                  /* borrowed: what is read lives here */
    unsigned file;                         /* for places: which file is read */
};

/* Checks a scalar's text (printable ASCII, in the arena) and writes what it means to `value`, whose type the function knows.
   false with an error that says what is wrong and what would be right. */
typedef bool yaml_parse_text(const char *text, struct arena *memory, void *value, struct error *error);

/* Reads any node, known to be no null, into `value`. Notes its mistakes itself; `what` names the node in messages. */
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

/* Parses the text; several documents are a mistake. NULL when it is no YAML or beyond bounds, which is noted, or when nothing is
   in it, which is not; else the root of the first document, which lives until yaml_reader_close. To be closed in any case. */
yaml_node_t *yaml_reader_open(struct yaml_reader *reader, const char *text, size_t size);

void yaml_reader_close(struct yaml_reader *reader);

/* Reads a mapping into `target` by the table. `places`, one for each key, gets where the values stand, and is left alone for a
   key that is not there: so one mapping after another, each of another file, can be read over the same target. Notes unknown,
   double and empty keys; false, noted as well, when the node is no mapping or a far too big one. */
bool yaml_read_mapping(struct yaml_reader *reader, yaml_node_t *node, const char *what, const struct yaml_key *keys, size_t count,
                       void *target, struct place *places);

/* Notes the required keys that no mapping read so far had, each at `place`. */
void yaml_note_missing(struct runtime_map_problems *problems, struct place place, const char *what, const struct yaml_key *keys,
                       size_t count, const struct place *places);

/* Parses a scalar, which is printable ASCII, into `value`; false when that is a mistake, which is noted. */
bool yaml_read_scalar(struct yaml_reader *reader, yaml_node_t *node, const char *what, yaml_parse_text *parse, void *value);

/* Notes that the node is not of the kind that is `expected` ("a list"). */
void yaml_wrong_kind(struct yaml_reader *reader, yaml_node_t *node, const char *what, const char *expected);

struct place yaml_place(const struct yaml_reader *reader, const yaml_node_t *node);

#endif
