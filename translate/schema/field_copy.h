/* Copies fields of one message to those of the same names in another, as bytes. */
#pragma once

#include "base/bytes/error.h"
#include "translate/bytes/output.h"
#include "translate/schema/schema.h"

struct field_copy {
    const struct schema_message *from;
    const struct schema_message *to;
    const char *const *names; /* of length-delimited fields, the same kind in both; NULL at the end */
};

/* Appends every occurrence of the named fields of an encoded `from` to the output, which holds the beginning of a `to`. Skips
   names that `to` lacks. false: INVALID_ARGUMENT for malformed bytes, RESOURCE_EXHAUSTED at the arena's cap. */
bool field_copy_run(const struct field_copy *copy, struct bytes message, struct walk_output *output, struct error *error);
