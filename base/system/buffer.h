/* Bytes that grow, up to a limit. */
#pragma once

#include <stdbool.h>

#include "base/bytes/bytes.h"

/* Zero-initialised: empty. */
struct buffer {
    uint8_t *data; /* malloc's; NULL while the buffer has no memory */
    size_t len;
    size_t capacity;
};

/* Makes room for this many more bytes behind the end, in memory that does not exceed `limit`. false: it would, or memory is
   short; the buffer is as it was. */
bool buffer_reserve(struct buffer *buffer, size_t more, size_t limit);

/* Copies bytes to the end; otherwise as buffer_reserve. */
bool buffer_append(struct buffer *buffer, struct bytes bytes, size_t limit);

/* All that is in it, valid until it changes. */
static inline struct bytes buffer_bytes(const struct buffer *buffer)
{
    return bytes_of(buffer->data, buffer->len);
}

/* Frees the memory; the buffer is empty then. */
void buffer_clear(struct buffer *buffer);
