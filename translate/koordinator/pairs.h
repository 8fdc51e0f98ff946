/* Maps of strings, and lists of KeyValue, which look the same on the wire. */
#pragma once

#include "translate/bytes/error.h"
#include "translate/bytes/output.h"

/* Appends the entries of field `from` of an encoded message to the output as field `to`, in the order of their keys. Of several
   with one key only the last counts: it is what a map holds, and what a process sees of its environment. An entry is left out if
   its key or value cannot be sent (see translate/hooks/text.h). false: INTERNAL for malformed bytes, RESOURCE_EXHAUSTED at the
   arena's cap. */
bool pairs_move(struct bytes message, uint32_t from, uint32_t to, struct walk_output *output, struct error *error);
