/* What a walk lets pass, refuses, and leaves out. */
#pragma once

#include "translate/bytes/wire.h"
#include "translate/walk/level.h"

/* Refuses what decoders read differently: another wire type, a singular message twice, a NUL in a string; too many elements;
   and, where it is looked for, text that is none, with ABORTED. */
bool walk_gate(struct walk_level *level, const struct schema_field *known, const struct wire_field *field);

/* Whether the message is in an item of a list that a response consists of, which can be taken out alone. */
bool walk_is_in_item(const struct walk_level *level);

/* Fails at a field of the message; `known` may be NULL for the message itself. Answers false. */
bool walk_fail(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, enum status_code code,
               const char *what, const char *why);

/* A field that the other side lacks, by that rule. True when the operator lets it through, and it is to be left out, which is
   counted then; otherwise the request is refused. */
bool walk_refuse(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, uint16_t rule);

/* Counts a field that is left out by that rule, and tells where it was if anybody wants to know. */
void walk_drop(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, uint16_t rule);

/* Fails for what is no message of that kind: the caller's mistake in a request, the runtime's in a response. Answers false. */
bool walk_malformed(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, const char *what);
