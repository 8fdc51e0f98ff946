/* What known runtimes take in a request of their dialect and then ignore: translate/runtimes.yaml as tables. Generated. */
#pragma once

#include "translate/abilities/version.h"
#include "translate/schema/method.h"

/* A set of entries is a word with the bit 1 << (index into `ability_entries`) for each. */
#define ABILITIES_MAX 64

/* What happens to a request whose value asks for something, unless the runtime map says otherwise. */
enum ability_class {
    ABILITY_CONFINEMENT, /* refused: the user would not get the confinement or the data that the request asks for */
    ABILITY_TUNING,      /* passes on unchanged, and is counted: such pods run today, only without the setting */
};

/* A runtime that the file knows. */
struct ability_runtime {
    const char *name;           /* "cri-dockerd" */
    const char *const *reports; /* names in the answer to Version, in any case of letters; ends with NULL */
    unsigned dialects;          /* that it speaks: bits 1 << DIALECT_… */
    bool versioned;             /* false: the version in the answer to Version is not its own */
};

extern const struct ability_runtime ability_runtimes[];
extern const uint8_t ability_runtime_count;

/* A runtime that ignores the field, in some of its versions. */
struct ability_ignored {
    uint8_t runtime;                    /* index into ability_runtimes */
    uint8_t range_count;                /* 0: in all versions */
    const struct version_range *ranges; /* in these */
    const char *versions;               /* the same as in the file, for people: "<1.7, >=2.0 <2.0.3"; "" for all */
    const char *source;                 /* where that is known from */
};

/* One value of a field, in the dialect in which it goes to the runtime. */
struct ability_value {
    const struct schema_message *message; /* that has the field */
    struct bytes in;                      /* the bytes of that message; valid protobuf */
    const struct schema_field *field;
    const struct wire_field *value; /* of a field that is not repeated, and no message: the last one, which counts */
};

/* Whether a value asks for something: a default does not. */
typedef bool ability_asks(const struct ability_value *value);

/* Where a runtime's Status reports that it honours a field; see ability_set_learn. */
enum ability_reported {
    ABILITY_REPORTED_NOWHERE,
    ABILITY_REPORTED_BY_HANDLER, /* a field of RuntimeHandlerFeatures */
    ABILITY_REPORTED_BY_RUNTIME, /* a field of RuntimeFeatures */
};

/* One entry. */
struct ability {
    uint16_t rule; /* enum translation_rule_id: the field's name is in translation_rules */
    enum ability_class class;
    ability_asks *asks; /* NULL: every value but the default of the field's type; of a list or a message, each that is there */
    const char *why;    /* continues "the runtime ignores it: " */
    unsigned dialects;  /* that have the field: bits 1 << DIALECT_… */
    enum ability_reported reported;
    const char *feature; /* the name of the field that reports it; NULL: none does */
    uint8_t ignored_by_count;
    const struct ability_ignored *ignored_by;
};

extern const struct ability ability_entries[];
extern const uint8_t ability_entry_count;

struct ability_table;

/* A field on the way to values that are judged. */
struct ability_step {
    uint64_t entries; /* about this field */
    uint64_t below;   /* about fields of its message, and below */
    const struct ability_table *into;
};

/* A message on that way, in one dialect. */
struct ability_table {
    const struct schema_message *message;
    const struct ability_step *steps; /* parallel to message->fields */
};

/* A request. */
struct ability_request {
    uint64_t entries;                              /* that apply to it, in any dialect */
    const struct ability_table *in[DIALECT_COUNT]; /* NULL: there is nothing to judge in that dialect */
};

/* Parallel to `methods`. */
extern const struct ability_request ability_requests[];
