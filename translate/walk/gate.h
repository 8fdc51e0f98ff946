/* Decides what a walk lets pass, refuses, and leaves out. */
#pragma once

#include "translate/bytes/wire.h"
#include "translate/walk/level.h"

/* Refuses what decoders read differently: another wire type, a singular message twice, a NUL in a string; too many elements; and,
   if the walk checks that, with ABORTED, a string that is not UTF-8. */
bool walk_gate(struct walk_level *level, const struct schema_field *known, const struct wire_field *field);

/* Whether the message is inside an item of a list response, which can be dropped alone. */
bool walk_is_in_item(const struct walk_level *level);

/* Records a failure at a field of the message; `known` may be NULL for the message itself. Returns false. */
bool walk_fail(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, enum status_code code,
               const char *what, const char *why);

/* Handles a field that the other side lacks, by that rule. True if the operator lets it through: it must then be left out, and is
   counted; otherwise the request is refused. */
bool walk_refuse(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, uint16_t rule);

/* Refuses a request because of a field that crigate does not know, and that cannot have a place in the runtime's package. Returns
   false. */
bool walk_refuse_unknown(const struct walk_level *level, const uint8_t *at, uint32_t number);

/* Counts a field that is left out by that rule, and reports its path if the report asks for that. */
void walk_drop(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, uint16_t rule);

/* Records a failure for malformed bytes: the caller's mistake in a request, the runtime's in a response. Returns false. */
bool walk_malformed(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, const char *what);
