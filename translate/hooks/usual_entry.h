/* An entry of a map of strings, or a KeyValue, in the form in which nearly all are: a key and a value, both short. */
#pragma once

#include "translate/bytes/wire.h"

/* Reads it from its payload. false: it has another form; then it has to be read field by field. */
static inline bool usual_entry_read(struct bytes entry, struct bytes *key, struct bytes *value)
{
    const uint8_t *end = entry.data + entry.len;
    if (entry.len < 2 || entry.data[0] != (1 << 3 | WIRE_LENGTH) || !wire_short_payload(entry.data + 1, end, key)) {
        return false;
    }
    const uint8_t *at = key->data + key->len;
    return at < end && *at == (2 << 3 | WIRE_LENGTH) && wire_short_payload(at + 1, end, value) && value->data + value->len == end;
}
