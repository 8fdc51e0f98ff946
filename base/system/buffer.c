#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#define SMALLEST 4096

bool buffer_reserve(struct buffer *buffer, size_t more, size_t limit)
{
    if (more <= buffer->capacity - buffer->len) {
        return true;
    }
    if (buffer->len > limit || more > limit - buffer->len) {
        return false;
    }
    size_t needed = buffer->len + more;
    size_t capacity = needed + buffer->capacity / 2;
    capacity = capacity < SMALLEST ? SMALLEST : capacity;
    capacity = capacity > limit ? limit : capacity;
    uint8_t *data = realloc(buffer->data, capacity);
    if (!data) {
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

bool buffer_append(struct buffer *buffer, struct bytes bytes, size_t limit)
{
    if (!buffer_reserve(buffer, bytes.len, limit)) {
        return false;
    }
    if (bytes.len > 0) {
        memcpy(buffer->data + buffer->len, bytes.data, bytes.len);
        buffer->len += bytes.len;
    }
    return true;
}

void buffer_clear(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){0};
}
