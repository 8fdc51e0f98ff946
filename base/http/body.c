#include "base/http/body.h"

#include "base/http/syntax.h"

void http_body_begin(struct http_body *body, const struct http_head *head)
{
    body->framing = head->framing;
    body->left = head->framing == HTTP_LENGTH ? head->length : 0;
    body->line_len = 0;
    body->trailer_len = 0;
    switch (head->framing) {
    case HTTP_NO_BODY:
        body->state = HTTP_BODY_ENDED;
        break;
    case HTTP_CHUNKED:
        body->state = HTTP_BODY_SIZE;
        break;
    case HTTP_LENGTH:
    case HTTP_UNTIL_CLOSE:
        body->state = HTTP_BODY_CONTENT;
        break;
    }
}

/* ---- chunks ---- */

static int hexadecimal(uint8_t byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* "1f4;extension=value": digits, and perhaps extensions right behind them. */
static bool read_size(struct http_body *body, struct bytes line, struct error *error)
{
    size_t digits = 0;
    body->left = 0;
    while (digits < line.len && hexadecimal(line.data[digits]) >= 0) {
        if (++digits > 15) { /* less than INT64_MAX */
            return error_set(error, STATUS_INVALID_ARGUMENT, "the size of a chunk has more than 15 digits");
        }
        body->left = body->left * 16 + (uint64_t)hexadecimal(line.data[digits - 1]);
    }
    if (digits == 0 || (digits < line.len && line.data[digits] != ';')) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "the size of a chunk is not a hexadecimal number");
    }
    for (size_t i = digits; i < line.len; i++) {
        if (!http_is_text(line.data[i])) {
            return error_set(error, STATUS_INVALID_ARGUMENT, "a chunk extension contains the control character 0x%02x",
                             line.data[i]);
        }
    }
    body->state = body->left > 0 ? HTTP_BODY_CONTENT : HTTP_BODY_TRAILER;
    return true;
}

/* A field behind the last chunk. Those that frame must not come that late. */
static bool read_trailer(struct http_body *body, struct bytes line, struct error *error)
{
    struct bytes name, value;
    if (line.len == 0) {
        body->state = HTTP_BODY_ENDED;
        return true;
    }
    body->trailer_len += line.len + 2;
    if (body->trailer_len > HTTP_TRAILER_LARGEST) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "the trailer has more than %zu bytes", HTTP_TRAILER_LARGEST);
    }
    if (!http_read_field(line, &name, &value, error)) {
        return false;
    }
    if (http_same_name(name, "content-length") || http_same_name(name, "transfer-encoding") || http_same_name(name, "host")) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "the trailer has a field that only a header may have");
    }
    return true;
}

static bool read_line(struct http_body *body, struct bytes line, struct error *error)
{
    switch (body->state) {
    case HTTP_BODY_SIZE:
        return read_size(body, line, error);
    case HTTP_BODY_CONTENT_END:
        body->state = HTTP_BODY_SIZE;
        return line.len == 0 || error_set(error, STATUS_INVALID_ARGUMENT, "a chunk is longer than its size");
    default:
        return read_trailer(body, line, error);
    }
}

/* Collects a line, which may come in pieces. */
static bool collect_line(struct http_body *body, struct bytes bytes, size_t *used, struct error *error)
{
    const uint8_t *end = memchr(bytes.data, '\n', bytes.len);
    size_t len = end ? (size_t)(end - bytes.data) + 1 : bytes.len;
    size_t most = body->state == HTTP_BODY_CONTENT_END ? 2 : sizeof body->line;
    if (len > most - body->line_len) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "a line of a chunked body has more than %zu bytes", most);
    }
    memcpy(body->line + body->line_len, bytes.data, len);
    body->line_len += len;
    *used = len;
    struct bytes text = bytes_of(body->line, body->line_len);
    struct bytes line;
    struct error wrong = {0};
    if (!http_take_line(&text, &line, &wrong)) {
        *error = wrong;
        return wrong.code == STATUS_OK;
    }
    body->line_len = 0;
    return read_line(body, line, error);
}

bool http_body_read(struct http_body *body, struct bytes bytes, size_t *used, struct bytes *content, struct error *error)
{
    *used = 0;
    *content = bytes_of(NULL, 0);
    while (*used < bytes.len && body->state != HTTP_BODY_ENDED) {
        struct bytes rest = bytes_after(bytes, *used);
        size_t taken = rest.len;
        if (body->state != HTTP_BODY_CONTENT) {
            if (!collect_line(body, rest, &taken, error)) {
                return false;
            }
            *used += taken;
            continue;
        }
        if (body->framing != HTTP_UNTIL_CLOSE) {
            taken = rest.len < body->left ? rest.len : (size_t)body->left;
            body->left -= taken;
            if (body->left == 0) {
                body->state = body->framing == HTTP_CHUNKED ? HTTP_BODY_CONTENT_END : HTTP_BODY_ENDED;
            }
        }
        *used += taken;
        *content = bytes_of(rest.data, taken);
        return true;
    }
    return true;
}
