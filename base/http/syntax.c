#include "base/http/syntax.h"

#include <strings.h>

bool http_is_token(uint8_t byte)
{
    bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
    return letter || (byte != '\0' && strchr("!#$%&'*+-.^_`|~", byte) != NULL);
}

bool http_is_text(uint8_t byte)
{
    return byte == '\t' || (byte >= ' ' && byte != 0x7f);
}

bool http_same_name(struct bytes a, const char *b)
{
    return a.len == strlen(b) && strncasecmp((const char *)a.data, b, a.len) == 0;
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t';
}

struct bytes http_trim(struct bytes text)
{
    while (text.len > 0 && is_blank(text.data[0])) {
        text = bytes_after(text, 1);
    }
    while (text.len > 0 && is_blank(text.data[text.len - 1])) {
        text.len--;
    }
    return text;
}

bool http_list_has(struct bytes list, const char *word)
{
    while (list.len > 0) {
        const uint8_t *comma = memchr(list.data, ',', list.len);
        size_t len = comma ? (size_t)(comma - list.data) : list.len;
        if (http_same_name(http_trim(bytes_of(list.data, len)), word)) {
            return true;
        }
        list = bytes_after(list, comma ? len + 1 : len);
    }
    return false;
}

bool http_take_line(struct bytes *text, struct bytes *line, struct error *error)
{
    const uint8_t *end = text->len > 0 ? memchr(text->data, '\n', text->len) : NULL;
    if (!end) {
        return false;
    }
    size_t len = (size_t)(end - text->data);
    if (len == 0 || text->data[len - 1] != '\r') {
        return error_set(error, STATUS_INVALID_ARGUMENT, "a line ends in LF without CR");
    }
    *line = bytes_of(text->data, len - 1);
    if (line->len > 0 && memchr(line->data, '\r', line->len)) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "a line contains a CR that is not at its end");
    }
    *text = bytes_after(*text, len + 1);
    return true;
}

bool http_read_field(struct bytes line, struct bytes *name, struct bytes *value, struct error *error)
{
    size_t len = 0;
    while (len < line.len && http_is_token(line.data[len])) {
        len++;
    }
    if (len == 0 && line.len > 0 && is_blank(line.data[0])) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "a header field continues on the next line");
    }
    if (len == 0 || len == line.len || line.data[len] != ':') {
        return error_set(error, STATUS_INVALID_ARGUMENT,
                         "a header field's name is not followed by a colon, or contains invalid bytes");
    }
    for (size_t i = len + 1; i < line.len; i++) {
        if (!http_is_text(line.data[i])) {
            return error_set(error, STATUS_INVALID_ARGUMENT, "a header field has the control character 0x%02x", line.data[i]);
        }
    }
    *name = bytes_of(line.data, len);
    *value = http_trim(bytes_after(line, len + 1));
    return true;
}
