#include "translate/json/scan.h"

#include "base/bytes/utf8.h"

#define HEX_DIGITS 4

static bool is_white(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static const uint8_t *skip_white(const uint8_t *at, const uint8_t *end)
{
    while (at < end && is_white(*at)) {
        at++;
    }
    return at;
}

/* Behind the string that begins at `at`; NULL if it does not end. */
static const uint8_t *skip_string(const uint8_t *at, const uint8_t *end)
{
    for (at++; at < end && *at != '"'; at++) {
        if (*at == '\\' && ++at == end) {
            return NULL;
        }
    }
    return at < end ? at + 1 : NULL;
}

/* Behind the object or array that begins at `at`; NULL if its brackets do not match, or are too deep. */
static const uint8_t *skip_nested(const uint8_t *at, const uint8_t *end)
{
    uint64_t objects = 0; /* a bit for each open bracket, the innermost lowest */
    unsigned depth = 0;
    while (at && at < end) {
        if (*at == '"') {
            at = skip_string(at, end);
            continue;
        }
        if (*at == '{' || *at == '[') {
            if (depth++ == JSON_SCAN_DEPTH) {
                return NULL;
            }
            objects = objects << 1 | (*at == '{');
        } else if (*at == '}' || *at == ']') {
            if ((objects & 1) != (*at == '}')) {
                return NULL;
            }
            objects >>= 1;
            if (--depth == 0) {
                return at + 1;
            }
        }
        at++;
    }
    return NULL;
}

/* A number, true, false or null. */
static const uint8_t *skip_word(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *start = at;
    while (at < end &&
           ((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') || *at == 'E' || *at == '+' || *at == '-' || *at == '.')) {
        at++;
    }
    return at > start ? at : NULL;
}

static const uint8_t *skip_value(const uint8_t *at, const uint8_t *end)
{
    if (at == end) {
        return NULL;
    }
    if (*at == '"') {
        return skip_string(at, end);
    }
    return *at == '{' || *at == '[' ? skip_nested(at, end) : skip_word(at, end);
}

bool json_scan_open(struct bytes text, bool object, struct json_scan *scan)
{
    const uint8_t *end = text.data ? text.data + text.len : NULL;
    const uint8_t *at = skip_white(text.data, end);
    *scan = (struct json_scan){.at = at, .end = end, .object = object};
    if (at == end || *at != (object ? '{' : '[')) {
        return false;
    }
    scan->at++;
    return true;
}

static bool fail(struct json_scan *scan)
{
    scan->malformed = true;
    return false;
}

/* Steps over the closing bracket, behind which nothing may follow, and answers false. */
static bool finish(struct json_scan *scan)
{
    scan->at = skip_white(scan->at + 1, scan->end);
    scan->closed = true;
    scan->malformed = scan->at != scan->end;
    return false;
}

/* Steps over what is between items. false: there is none more. */
static bool next_item(struct json_scan *scan)
{
    scan->at = skip_white(scan->at, scan->end);
    if (scan->at == scan->end) {
        return fail(scan);
    }
    if (*scan->at == (scan->object ? '}' : ']')) {
        return finish(scan);
    }
    if (scan->started) {
        if (*scan->at != ',') {
            return fail(scan);
        }
        scan->at = skip_white(scan->at + 1, scan->end);
    }
    scan->started = true;
    return true;
}

static bool read_key(struct json_scan *scan, struct bytes *key)
{
    const uint8_t *start = scan->at;
    if (start == scan->end || *start != '"') {
        return fail(scan);
    }
    const uint8_t *after = skip_string(start, scan->end);
    if (!after) {
        return fail(scan);
    }
    *key = bytes_of(start + 1, (size_t)(after - start) - 2);
    scan->at = skip_white(after, scan->end);
    if (scan->at == scan->end || *scan->at != ':') {
        return fail(scan);
    }
    scan->at = skip_white(scan->at + 1, scan->end);
    return true;
}

bool json_scan_next(struct json_scan *scan, struct bytes *key, struct bytes *value)
{
    *key = *value = (struct bytes){0};
    if (scan->malformed || scan->closed) {
        return false;
    }
    if (!next_item(scan) || (scan->object && !read_key(scan, key))) {
        return false;
    }
    const uint8_t *after = skip_value(scan->at, scan->end);
    if (!after) {
        return fail(scan);
    }
    *value = bytes_of(scan->at, (size_t)(after - scan->at));
    scan->at = after;
    return true;
}

bool json_scan_pick(struct bytes object, const char *const *keys, size_t count, struct bytes *values)
{
    struct json_scan scan;
    struct bytes key, value;
    memset(values, 0, count * sizeof *values);
    if (!json_scan_open(object, true, &scan)) {
        return false;
    }
    while (json_scan_next(&scan, &key, &value)) {
        for (size_t i = 0; i < count; i++) {
            if (bytes_equal(key, bytes_of_string(keys[i]))) {
                values[i] = value;
            }
        }
    }
    if (scan.malformed) {
        memset(values, 0, count * sizeof *values);
    }
    return !scan.malformed;
}

/* ---- strings ---- */

static bool read_hex(const uint8_t *at, const uint8_t *end, uint32_t *unit)
{
    *unit = 0;
    if (end - at < HEX_DIGITS) {
        return false;
    }
    for (int i = 0; i < HEX_DIGITS; i++) {
        uint8_t digit = at[i];
        uint32_t value = digit >= '0' && digit <= '9'   ? digit - (uint32_t)'0'
                         : digit >= 'a' && digit <= 'f' ? digit - (uint32_t)'a' + 10
                         : digit >= 'A' && digit <= 'F' ? digit - (uint32_t)'A' + 10
                                                        : 16;
        if (value == 16) {
            return false;
        }
        *unit = *unit << 4 | value;
    }
    return true;
}

/* Writes a character, not longer than its escape, and returns the place behind it. Half a surrogate pair is written as it is: as
   UTF-8 it is not valid, which the check at the end finds. */
static uint8_t *put_character(uint8_t *out, uint32_t character)
{
    if (character < 0x80) {
        *out++ = (uint8_t)character;
    } else if (character < 0x800) {
        *out++ = (uint8_t)(0xC0 | character >> 6);
        *out++ = (uint8_t)(0x80 | (character & 0x3F));
    } else if (character < 0x10000) {
        *out++ = (uint8_t)(0xE0 | character >> 12);
        *out++ = (uint8_t)(0x80 | (character >> 6 & 0x3F));
        *out++ = (uint8_t)(0x80 | (character & 0x3F));
    } else {
        *out++ = (uint8_t)(0xF0 | character >> 18);
        *out++ = (uint8_t)(0x80 | (character >> 12 & 0x3F));
        *out++ = (uint8_t)(0x80 | (character >> 6 & 0x3F));
        *out++ = (uint8_t)(0x80 | (character & 0x3F));
    }
    return out;
}

/* Reads the digits of \uXXXX, and the second half of a pair. */
static bool read_unicode(const uint8_t **at, const uint8_t *end, uint32_t *character)
{
    uint32_t low;
    if (!read_hex(*at, end, character)) {
        return false;
    }
    *at += HEX_DIGITS;
    bool high = *character >= 0xD800 && *character < 0xDC00;
    if (high && end - *at >= 2 + HEX_DIGITS && (*at)[0] == '\\' && (*at)[1] == 'u' && read_hex(*at + 2, end, &low) &&
        low >= 0xDC00 && low < 0xE000) {
        *at += 2 + HEX_DIGITS;
        *character = 0x10000 + ((*character - 0xD800) << 10) + (low - 0xDC00);
    }
    return true;
}

/* Decodes what follows a backslash. */
static bool read_escape(const uint8_t **at, const uint8_t *end, uint32_t *character)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    if (*at == end) {
        return false;
    }
    uint8_t letter = *(*at)++;
    if (letter == 'u') {
        return read_unicode(at, end, character);
    }
    const char *found = letter ? strchr(letters, letter) : NULL;
    *character = found ? (uint8_t)meant[found - letters] : 0;
    return found != NULL;
}

bool json_scan_string(struct bytes value, struct arena *arena, struct bytes *text)
{
    if (value.len < 2 || value.data[0] != '"' || value.data[value.len - 1] != '"') {
        return false;
    }
    const uint8_t *at = value.data + 1, *end = value.data + value.len - 1;
    uint8_t *start = arena_alloc(arena, value.len), *out = start;
    while (start && at < end) {
        uint32_t character = *at++;
        if (character < ' ' || character == '"') {
            return false;
        }
        if (character != '\\') {
            *out++ = (uint8_t)character;
        } else if (!read_escape(&at, end, &character) || character == 0) {
            return false;
        } else {
            out = put_character(out, character);
        }
    }
    *text = bytes_of(start, start ? (size_t)(out - start) : 0);
    return start && utf8_is_valid(*text);
}

/* ---- numbers ---- */

bool json_scan_uint64(struct bytes value, uint64_t *number)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < value.len; i++) {
        uint64_t digit = (uint64_t)value.data[i] - '0';
        if (digit > 9 || sum > (UINT64_MAX - digit) / 10) {
            return false;
        }
        sum = 10 * sum + digit;
    }
    *number = sum;
    return value.len > 0;
}

bool json_scan_int64(struct bytes value, int64_t *number)
{
    uint64_t size;
    bool negative = value.len > 0 && value.data[0] == '-';
    uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    if (!json_scan_uint64(negative ? bytes_after(value, 1) : value, &size) || size > most) {
        return false;
    }
    *number = negative ? (int64_t)(0 - size) : (int64_t)size;
    return true;
}
