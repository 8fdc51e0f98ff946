/* A run of bytes with another owner. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A borrowed view. data may be NULL only if len is 0. Not necessarily NUL-terminated. */
struct bytes {
    const uint8_t *data;
    size_t len;
};

static inline struct bytes bytes_of(const void *data, size_t len)
{
    return (struct bytes){.data = data, .len = len};
}

/* The bytes of a C string, without its NUL; empty for NULL. */
static inline struct bytes bytes_of_string(const char *text)
{
    return bytes_of(text, text ? strlen(text) : 0);
}

static inline bool bytes_equal(struct bytes a, struct bytes b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* Compares byte by byte, then by length: below 0, 0 or above 0, as qsort and bsearch need it. */
static inline int bytes_compare(struct bytes a, struct bytes b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static inline bool bytes_start_with(struct bytes text, struct bytes prefix)
{
    return text.len >= prefix.len && (prefix.len == 0 || memcmp(text.data, prefix.data, prefix.len) == 0);
}

static inline bool bytes_end_with(struct bytes text, struct bytes suffix)
{
    return text.len >= suffix.len &&
           (suffix.len == 0 || memcmp(text.data + (text.len - suffix.len), suffix.data, suffix.len) == 0);
}

/* Whether a C string ends with another one. */
static inline bool string_ends_with(const char *text, const char *suffix)
{
    return bytes_end_with(bytes_of_string(text), bytes_of_string(suffix));
}

/* The two arguments of a "%.*s" that shows bytes, of long ones the beginning. */
#define BYTES_SHOWN(bytes, most) (int)((bytes).len < (most) ? (bytes).len : (most)), (const char *)(bytes).data

/* The bytes after the first `count`; `count` must not exceed the length. */
static inline struct bytes bytes_after(struct bytes text, size_t count)
{
    return bytes_of(text.data ? text.data + count : NULL, text.len - count);
}
