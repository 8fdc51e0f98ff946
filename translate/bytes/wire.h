/* The protobuf wire format: reading tags, varints and lengths from hostile bytes, and writing them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/bytes.h"

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_LENGTH = 2, /* length-delimited */
    WIRE_GROUP_START = 3,
    WIRE_GROUP_END = 4,
    WIRE_FIXED32 = 5,
};

#define WIRE_MAX_VARINT 10

/* A position in a message; every read advances it. */
struct wire_reader {
    const uint8_t *at;
    const uint8_t *end;
};

static inline struct wire_reader wire_reader_of(struct bytes bytes)
{
    return (struct wire_reader){.at = bytes.data, .end = bytes.data ? bytes.data + bytes.len : NULL};
}

/* One occurrence of a field. */
struct wire_field {
    uint32_t number;
    enum wire_type type;
    uint64_t value;       /* of WIRE_VARINT, WIRE_FIXED32 and WIRE_FIXED64 */
    struct bytes payload; /* of WIRE_LENGTH */
    const uint8_t *start; /* of the tag */
    const uint8_t *end;   /* the position of the reader after it */
};

/* Reads a varint of at most ten bytes. false at the end of input, or if it does not fit into 64 bits. */
bool wire_read_varint(struct wire_reader *reader, uint64_t *value);

/* Reads eight bytes, lowest first. false when fewer are left. */
bool wire_read_fixed64(struct wire_reader *reader, uint64_t *value);

/* Reads the next occurrence in any encoding; see wire_read_field. */
bool wire_read_any_field(struct wire_reader *reader, struct wire_field *field);

/* The payload whose length begins at `at`, in the usual case of a length of one or two bytes. false: another length, or none. */
static inline bool wire_short_payload(const uint8_t *at, const uint8_t *end, struct bytes *payload)
{
    if (end - at < 2 || (at[0] >= 0x80 && at[1] >= 0x80)) {
        return false; /* an empty payload at the very end of a message is rare, too */
    }
    size_t head = at[0] < 0x80 ? 1 : 2;
    size_t len = at[0] < 0x80 ? at[0] : (at[0] & 0x7FU) | (size_t)at[1] << 7;
    *payload = bytes_of(at + head, len);
    return len <= (size_t)(end - at) - head;
}

/* Reads the next occurrence. false: malformed (a bad tag, field number 0, a length beyond the end, a group). Call it only while
   reader->at < reader->end. Inline for the usual fields of CRI: a tag of one byte, and a short length or value. */
static inline bool wire_read_field(struct wire_reader *reader, struct wire_field *field)
{
    const uint8_t *at = reader->at;
    if (reader->end - at >= 2 && at[0] < 0x80 && at[0] >= 8) {
        uint8_t type = at[0] & 7;
        struct bytes payload;
        if (type == WIRE_LENGTH && wire_short_payload(at + 1, reader->end, &payload)) {
            reader->at = payload.data + payload.len;
            *field = (struct wire_field){
                .number = at[0] >> 3, .type = WIRE_LENGTH, .payload = payload, .start = at, .end = reader->at};
            return true;
        }
        if (type == WIRE_VARINT && at[1] < 0x80) {
            reader->at = at + 2;
            *field =
                (struct wire_field){.number = at[0] >> 3, .type = WIRE_VARINT, .value = at[1], .start = at, .end = reader->at};
            return true;
        }
    }
    return wire_read_any_field(reader, field);
}

/* The end of the varint that begins at `at`; NULL if it is truncated, or longer than numbers of 63 bits need. */
static inline const uint8_t *wire_after_varint(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *last = end - at < WIRE_MAX_VARINT ? end : at + WIRE_MAX_VARINT - 1;
    while (at < last && *at >= 0x80) {
        at++;
    }
    return at < last ? at + 1 : NULL;
}

/* The last occurrence of a field, which is the one that counts; `found` stays unchanged if there is none. false: the message is
   malformed, or an occurrence has another type. */
bool wire_find_field(struct bytes message, uint32_t number, enum wire_type type, struct wire_field *found);

/* The same for a message or string: its payload, empty if there is none. */
bool wire_find_payload(struct bytes message, uint32_t number, struct bytes *payload);

/* The last occurrence of a field in the readable part of the message. false if there is none of that type. */
bool wire_last_field(struct bytes message, uint32_t number, enum wire_type type, struct wire_field *last);

/* The same for a message or string: its payload, empty if there is none. */
struct bytes wire_last_payload(struct bytes message, uint32_t number);

/* Writes a varint to `out`, which must have room for WIRE_MAX_VARINT bytes, and returns the number of bytes written. */
static inline size_t wire_put_varint(uint8_t *out, uint64_t value)
{
    size_t size = 0;
    while (value >= 0x80) {
        out[size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[size++] = (uint8_t)value;
    return size;
}

/* The number of bytes of a varint. */
static inline size_t wire_varint_size(uint64_t value)
{
    size_t size = 1;
    while (value >= 0x80) {
        value >>= 7;
        size++;
    }
    return size;
}
