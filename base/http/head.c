#include "base/http/head.h"

#include <inttypes.h>
#include <llhttp.h>

#include "base/http/syntax.h"

/* ---- the bytes ---- */

static bool check_version(struct bytes text, struct error *error)
{
    return bytes_equal(text, bytes_of_string("HTTP/1.1")) || bytes_equal(text, bytes_of_string("HTTP/1.0")) ||
           error_set(error, STATUS_INVALID_ARGUMENT, "the version is neither HTTP/1.0 nor HTTP/1.1");
}

/* Takes the text up to the next blank. */
static struct bytes take_word(struct bytes *line)
{
    const uint8_t *blank = line->len > 0 ? memchr(line->data, ' ', line->len) : NULL;
    struct bytes word = bytes_of(line->data, blank ? (size_t)(blank - line->data) : line->len);
    *line = bytes_after(*line, blank ? word.len + 1 : word.len);
    return word;
}

/* "GET /path HTTP/1.1" */
static bool read_request_line(struct bytes line, struct http_head *head, struct error *error)
{
    head->method = take_word(&line);
    head->target = take_word(&line);
    for (size_t i = 0; i < head->method.len; i++) {
        if (!http_is_token(head->method.data[i])) {
            return error_set(error, STATUS_INVALID_ARGUMENT, "the method contains invalid bytes");
        }
    }
    for (size_t i = 0; i < head->target.len; i++) {
        if (head->target.data[i] <= ' ' || head->target.data[i] >= 0x7f || head->target.data[i] == '#') {
            return error_set(error, STATUS_INVALID_ARGUMENT, "the target contains invalid bytes");
        }
    }
    if (head->method.len == 0 || head->target.len == 0 ||
        (head->target.data[0] != '/' && !bytes_equal(head->target, bytes_of_string("*")))) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "the first line is not a request for a path");
    }
    return check_version(line, error);
}

/* "HTTP/1.1 200 OK" */
static bool read_status_line(struct bytes line, struct http_head *head, struct error *error)
{
    struct bytes version = take_word(&line);
    struct bytes status = take_word(&line);
    if (!check_version(version, error)) {
        return false;
    }
    head->status = 0;
    for (size_t i = 0; i < status.len && status.len == 3; i++) {
        unsigned digit = (unsigned)status.data[i] - '0';
        head->status = digit > 9 || (i == 0 && (digit < 1 || digit > 5)) ? 1000 : head->status * 10 + digit;
    }
    if (head->status < 100 || head->status > 599) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "the status is not a three-digit number");
    }
    for (size_t i = 0; i < line.len; i++) {
        if (!http_is_text(line.data[i])) {
            return error_set(error, STATUS_INVALID_ARGUMENT, "the first line has the control character 0x%02x", line.data[i]);
        }
    }
    return true;
}

/* One line of a head, which is not empty. */
static bool check_line(const struct http_head_scan *scan, struct bytes line, struct error *error)
{
    struct bytes name, value;
    if (line.len == 0) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "there is an empty line where a message should begin");
    }
    return scan->lines == 0 || http_read_field(line, &name, &value, error);
}

static bool is_too_long(const struct http_head_scan *scan, size_t len)
{
    return len > HTTP_HEAD_LARGEST || scan->lines > HTTP_FIELDS_MOST + 1;
}

size_t http_head_find_end(struct http_head_scan *scan, struct bytes bytes, struct error *error)
{
    struct bytes rest = bytes_after(bytes, scan->checked);
    struct bytes line;
    struct error wrong = {0};
    while (http_take_line(&rest, &line, &wrong)) {
        size_t len = bytes.len - rest.len;
        if (is_too_long(scan, len)) {
            break;
        }
        if (line.len == 0 && scan->lines > 0) {
            return len;
        }
        if (!check_line(scan, line, &wrong)) {
            break;
        }
        scan->checked = len;
        scan->lines++;
    }
    if (wrong.code != STATUS_OK) {
        *error = wrong;
    } else if (is_too_long(scan, bytes.len)) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "the header has more than %zu bytes or %d fields", HTTP_HEAD_LARGEST,
                  HTTP_FIELDS_MOST);
    }
    return 0;
}

/* ---- the fields that frame ---- */

/* What the library's callbacks collect. */
struct reading {
    struct http_head *head;
    struct bytes name, value; /* of the field that is being read */
    unsigned lengths;
    unsigned codings;
    bool has_upgrade;
    bool upgrade_named;
    bool ended;
    struct error error;
};

static bool read_length(struct bytes text, uint64_t *length, struct error *error)
{
    uint64_t value = 0;
    bool good = text.len > 0 && text.len <= 18; /* digits: less than INT64_MAX */
    for (size_t i = 0; good && i < text.len; i++) {
        good = text.data[i] >= '0' && text.data[i] <= '9';
        value = value * 10 + (uint64_t)(text.data[i] - '0');
    }
    *length = value;
    return good || error_set(error, STATUS_INVALID_ARGUMENT, "Content-Length is not a number of at most 18 digits");
}

static bool read_field(struct reading *reading, struct bytes name, struct bytes value)
{
    if (http_same_name(name, "content-length")) {
        reading->lengths++;
        return read_length(value, &reading->head->length, &reading->error);
    }
    if (http_same_name(name, "transfer-encoding")) {
        reading->codings++;
        return http_same_name(value, "chunked") ||
               error_set(&reading->error, STATUS_INVALID_ARGUMENT, "Transfer-Encoding is not chunked");
    }
    reading->upgrade_named |= http_same_name(name, "connection") && http_list_has(value, "upgrade");
    reading->has_upgrade |= http_same_name(name, "upgrade");
    reading->head->awaits_continue |= http_same_name(name, "expect") && http_same_name(value, "100-continue");
    return true;
}

/* ---- the library ---- */

/* The library hands over what lies in one piece in several, one behind the other. */
static void take_piece(struct bytes *text, const char *at, size_t length)
{
    *text = bytes_of(text->len > 0 ? text->data : (const uint8_t *)at, text->len + length);
}

static int on_name(llhttp_t *parser, const char *at, size_t length)
{
    take_piece(&((struct reading *)parser->data)->name, at, length);
    return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t length)
{
    take_piece(&((struct reading *)parser->data)->value, at, length);
    return 0;
}

static int on_field(llhttp_t *parser)
{
    struct reading *reading = parser->data;
    bool good = read_field(reading, reading->name, http_trim(reading->value));
    reading->name = reading->value = (struct bytes){0};
    return good ? 0 : -1;
}

/* 2: neither a body nor another message follows in what is given to the library, which stops. */
static int on_end(llhttp_t *parser)
{
    ((struct reading *)parser->data)->ended = true;
    return 2;
}

static const llhttp_settings_t callbacks = {
    .on_header_field = on_name,
    .on_header_value = on_value,
    .on_header_value_complete = on_field,
    .on_headers_complete = on_end,
};

/* Has the library read all of the head. It must agree that it is one head, and nothing else. */
static bool parse(struct reading *reading, struct bytes bytes, llhttp_type_t type, llhttp_t *parser)
{
    const char *text = (const char *)bytes.data;
    llhttp_init(parser, type, &callbacks);
    parser->data = reading;
    llhttp_errno_t code = llhttp_execute(parser, text, bytes.len);
    if (reading->error.code != STATUS_OK) {
        return false;
    }
    if (code != HPE_PAUSED_UPGRADE || !reading->ended || llhttp_get_error_pos(parser) != text + bytes.len) {
        const char *reason = llhttp_get_error_reason(parser);
        return error_set(&reading->error, STATUS_INVALID_ARGUMENT, "it cannot be read: %s",
                         reason && *reason ? reason : llhttp_errno_name(code));
    }
    if (reading->lengths + reading->codings > 1) {
        return error_set(&reading->error, STATUS_INVALID_ARGUMENT, "it gives the length of its body more than once");
    }
    if (reading->codings > 0 && parser->http_minor == 0) {
        return error_set(&reading->error, STATUS_INVALID_ARGUMENT, "HTTP/1.0 has no Transfer-Encoding");
    }
    bool has_length = (parser->flags & F_CONTENT_LENGTH) != 0;
    if (((parser->flags & F_CHUNKED) != 0) != (reading->codings > 0) || has_length != (reading->lengths > 0) ||
        (has_length && parser->content_length != reading->head->length)) {
        return error_set(&reading->error, STATUS_INVALID_ARGUMENT, "the length of its body is ambiguous");
    }
    reading->head->size = bytes.len;
    reading->head->minor = parser->http_minor;
    reading->head->keeps_alive = llhttp_should_keep_alive(parser) != 0;
    reading->head->upgrades = reading->has_upgrade && reading->upgrade_named;
    reading->head->awaits_continue &= parser->http_minor > 0; /* HTTP/1.0 has no answers 1xx */
    return true;
}

/* Up to the first empty line, which is its end. */
static struct bytes head_of(struct bytes bytes)
{
    static const char end[] = "\r\n\r\n";
    const uint8_t *at = bytes.len > 0 ? memmem(bytes.data, bytes.len, end, strlen(end)) : NULL;
    return bytes_of(bytes.data, at ? (size_t)(at - bytes.data) + strlen(end) : bytes.len);
}

static struct bytes first_line(struct bytes bytes)
{
    const uint8_t *end = memchr(bytes.data, '\r', bytes.len);
    return bytes_of(bytes.data, end ? (size_t)(end - bytes.data) : bytes.len);
}

bool http_head_read_request(struct bytes bytes, struct http_head *head, struct error *error)
{
    *head = (struct http_head){0};
    struct reading reading = {.head = head};
    llhttp_t parser;
    if (!read_request_line(first_line(bytes), head, error)) {
        return false;
    }
    if (!parse(&reading, head_of(bytes), HTTP_REQUEST, &parser)) {
        *error = reading.error;
        return false;
    }
    if (parser.method == HTTP_CONNECT) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "the method CONNECT is not supported");
    }
    head->framing = reading.codings > 0 ? HTTP_CHUNKED : head->length > 0 ? HTTP_LENGTH : HTTP_NO_BODY;
    return true;
}

/* RFC 9112, section 6.3. */
static enum http_framing framing_of_answer(const struct http_head *head, const struct reading *reading, bool to_head)
{
    if (to_head || head->status < 200 || head->status == 204 || head->status == 304) {
        return HTTP_NO_BODY;
    }
    if (reading->codings > 0) {
        return HTTP_CHUNKED;
    }
    if (reading->lengths > 0) {
        return head->length > 0 ? HTTP_LENGTH : HTTP_NO_BODY;
    }
    return HTTP_UNTIL_CLOSE;
}

bool http_head_read_answer(struct bytes bytes, bool to_head, struct http_head *head, struct error *error)
{
    *head = (struct http_head){0};
    struct reading reading = {.head = head};
    llhttp_t parser;
    if (!read_status_line(first_line(bytes), head, error)) {
        return false;
    }
    if (!parse(&reading, head_of(bytes), HTTP_RESPONSE, &parser)) {
        *error = reading.error;
        return false;
    }
    if ((head->status < 200 || head->status == 204) && (reading.codings > 0 || head->length > 0)) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "it has a body, which is not allowed with status %u", head->status);
    }
    head->framing = framing_of_answer(head, &reading, to_head);
    return true;
}
