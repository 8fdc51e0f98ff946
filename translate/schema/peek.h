/* Reads from a request only what routing needs, without decoding the rest. */
#pragma once

#include "translate/schema/method.h"

/* The string or bytes at that place of the request: the last occurrence, which is the one that counts. Empty if it is absent or
   the dialect has no such place. Malformed input ends the search; convert refuses it later. Borrowed from the request. */
struct bytes peek_bytes(const struct method *method, enum dialect dialect, enum peek what, struct bytes request);

/* The bool at that place. */
bool peek_bool(const struct method *method, enum dialect dialect, enum peek what, struct bytes request);

/* The value under `key` of the map at that place; empty if it is absent. */
struct bytes peek_map(const struct method *method, enum dialect dialect, enum peek what, struct bytes request, struct bytes key);
