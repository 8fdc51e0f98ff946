/* Reads parts of a JSON text in place. For texts of strangers that are too long to build a tree, which takes hundreds of times
   their length: this takes no memory except for decoded strings, and time in proportion to the text.

   Only what is read is checked. Parts that are passed over need brackets that match, at most JSON_SCAN_DEPTH deep, and strings
   that end. A value is passed on as its text, without white space around it. */
#pragma once

#include "base/bytes/arena.h"

#define JSON_SCAN_DEPTH 64

/* A position in an object or array. */
struct json_scan {
    const uint8_t *at;
    const uint8_t *end;
    bool object;
    bool started;
    bool closed;
    bool malformed; /* check this after the last item */
};

/* Begins before the first item of an object (`object`) or array. false: the text is none. */
bool json_scan_open(struct bytes text, bool object, struct json_scan *scan);

/* The next item; false at the end and if the text is malformed. `key` is the string between its quotes, as written; empty in
   arrays. */
bool json_scan_next(struct json_scan *scan, struct bytes *key, struct bytes *value);

/* The values under these keys of an object, of a key that is there twice the last one; empty for a key that is missing. Keys
   written with escapes are not found. false, and all are empty: the text is not an object, or malformed. */
bool json_scan_pick(struct bytes object, const char *const *keys, size_t count, struct bytes *values);

/* Decodes a string. false: it is a different kind of value, malformed, or not UTF-8; it has a NUL; or memory is short. */
bool json_scan_string(struct bytes value, struct arena *arena, struct bytes *text);

/* Reads an integer that is written as digits. false: it is a different kind of value, or does not fit. */
bool json_scan_int64(struct bytes value, int64_t *number);
bool json_scan_uint64(struct bytes value, uint64_t *number);
