/* Any bytes as requests, one after another, as a caller may send them to crigate docker-proxy; or as answers. What is taken has
   the same boundaries for a reader that is as lenient as readers of HTTP have been: it ends lines at LF alone, joins lines that
   go on, takes blanks around names and sizes, and of several lengths the last. And it does not matter in which pieces the bytes
   come. */
#include <string.h>
#include <strings.h>

#include "base/http/body.h"
#include "base/http/rewrite.h"
#include "tests/fuzz/fuzz.h"

#define MESSAGES_MOST 64

/* Where messages end, and how much of them is content. */
struct boundaries {
    size_t ends[MESSAGES_MOST];
    size_t content[MESSAGES_MOST];
    size_t count;
};

/* Whether a text is in it, in any case. */
static bool contains(const char *line, size_t len, const char *word)
{
    for (; len >= strlen(word); line++, len--) {
        if (strncasecmp(line, word, strlen(word)) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- the reader of the proxy ---- */

struct reader {
    bool answers;
    struct boundaries found;
    struct http_head_scan scan;
    struct http_body body;
    bool in_body;
    size_t begin; /* of what was not read yet */
    size_t content;
};

static void end_message(struct reader *reader)
{
    reader->found.ends[reader->found.count] = reader->begin;
    reader->found.content[reader->found.count++] = reader->content;
    reader->in_body = false;
    reader->scan = (struct http_head_scan){0};
    reader->content = 0;
}

/* The head again, with another length: it must say just that. */
static void check_rewritten(struct bytes head)
{
    static const char *const framing[] = {"content-length", "transfer-encoding", NULL};
    struct buffer out = {0};
    struct http_head again;
    struct http_head_scan scan = {0};
    struct error error = {0};
    must(http_head_rewrite(head, framing, bytes_of_string("Content-Length: 1234\r\n"), &out));
    if (http_head_find_end(&scan, buffer_bytes(&out), &error) == 0) {
        must(error.code == STATUS_RESOURCE_EXHAUSTED);
    } else {
        must(http_head_read_request(buffer_bytes(&out), &again, &error));
        must(again.size == out.len && again.framing == HTTP_LENGTH && again.length == 1234);
    }
    buffer_clear(&out);
}

/* false: the rest is refused, or has not come. */
static bool read_head(struct reader *reader, struct bytes rest)
{
    struct http_head head;
    struct error error = {0};
    size_t size = http_head_find_end(&reader->scan, rest, &error);
    bool good = size > 0 && (reader->answers ? http_head_read_answer(rest, false, &head, &error)
                                             : http_head_read_request(rest, &head, &error));
    if (!good) {
        return false;
    }
    must(head.size == size);
    if (!reader->answers) {
        must(head.method.data == rest.data && head.target.data > rest.data &&
             head.target.data + head.target.len < rest.data + size);
        must(head.framing != HTTP_UNTIL_CLOSE);
        check_rewritten(bytes_of(rest.data, size));
    }
    http_body_begin(&reader->body, &head);
    reader->begin += size;
    reader->in_body = true;
    return true;
}

/* Reads on in bytes of which `len` have come. false: the rest is refused. */
static bool read_on(struct reader *reader, const uint8_t *data, size_t len)
{
    struct error error = {0};
    while (reader->found.count < MESSAGES_MOST) {
        struct bytes rest = bytes_of(data + reader->begin, len - reader->begin);
        struct bytes content;
        size_t used = 1;
        if (!reader->in_body && !read_head(reader, rest)) {
            return true;
        }
        while (used > 0 && !http_body_has_ended(&reader->body)) {
            rest = bytes_of(data + reader->begin, len - reader->begin);
            if (!http_body_read(&reader->body, rest, &used, &content, &error)) {
                return false;
            }
            must(used <= rest.len && content.len <= used);
            reader->begin += used;
            reader->content += content.len;
        }
        if (!http_body_has_ended(&reader->body)) {
            return true;
        }
        end_message(reader);
    }
    return true;
}

/* ---- the lenient reader ---- */

struct lenient {
    const char *at;
    const char *end;
};

/* The next line without its end; NULL: there is none. */
static const char *take_line(struct lenient *in, size_t *len)
{
    const char *line = in->at;
    const char *end = in->at < in->end ? memchr(in->at, '\n', (size_t)(in->end - in->at)) : NULL;
    if (!end) {
        return NULL;
    }
    in->at = end + 1;
    *len = (size_t)(end - line);
    while (*len > 0 && (line[*len - 1] == '\r' || line[*len - 1] == ' ' || line[*len - 1] == '\t')) {
        --*len;
    }
    return line;
}

static bool has_name(const char *line, size_t len, const char *name)
{
    size_t name_len = strlen(name);
    while (len > 0 && (*line == ' ' || *line == '\t')) {
        line++;
        len--;
    }
    return len > name_len && strncasecmp(line, name, name_len) == 0 && strchr(" \t:", line[name_len]);
}

/* The digits behind the colon, or at the begin; anything else ends them. */
static size_t number_in(const char *line, size_t len, unsigned base)
{
    static const char digits[] = "0123456789abcdef";
    size_t value = 0;
    const char *colon = base == 10 ? memchr(line, ':', len) : NULL;
    for (const char *at = colon ? colon + 1 : line; at < line + len; at++) {
        char lower = (char)(*at >= 'A' && *at <= 'F' ? *at | 0x20 : *at);
        const char *digit = lower != '\0' ? strchr(digits, lower) : NULL;
        if (digit && (size_t)(digit - digits) < base) {
            value = value * base + (size_t)(digit - digits);
        } else if (*at != ' ' && *at != '\t') {
            break;
        }
    }
    return value;
}

static bool skip(struct lenient *in, size_t count)
{
    if ((size_t)(in->end - in->at) < count) {
        return false;
    }
    in->at += count;
    return true;
}

static bool lenient_chunks(struct lenient *in, size_t *content)
{
    size_t len, size;
    const char *line;
    while ((line = take_line(in, &len)) && (size = number_in(line, len, 16)) > 0) {
        if (!skip(in, size) || !take_line(in, &len) || len > 0) {
            return false;
        }
        *content += size;
    }
    while (line && (line = take_line(in, &len)) && len > 0) {
    }
    return line != NULL;
}

/* Reads one message. false: it is not all there; an answer with neither length never is. */
static bool lenient_message(struct lenient *in, bool answers, size_t *content)
{
    size_t len, length = 0;
    bool chunked = false, has_length = false;
    const char *first = take_line(in, &len), *line = first;
    *content = 0;
    bool bodiless = answers && first && len >= 12 &&
                    (first[9] == '1' || strncmp(first + 9, "204", 3) == 0 || strncmp(first + 9, "304", 3) == 0);
    while (line && (line = take_line(in, &len)) && len > 0) {
        chunked |= has_name(line, len, "transfer-encoding") && contains(line, len, "chunked");
        if (has_name(line, len, "content-length")) {
            length = number_in(line, len, 10);
            has_length = true;
        }
    }
    if (!line || (answers && !bodiless && !chunked && !has_length)) {
        return false;
    }
    if (bodiless) {
        return true;
    }
    *content = chunked ? 0 : length;
    return chunked ? lenient_chunks(in, content) : skip(in, length);
}

/* ---- both ---- */

/* A head that was taken has no byte that one reader ends a line at and another does not. */
static void check_bytes(const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len && !(i >= 4 && memcmp(data + i - 4, "\r\n\r\n", 4) == 0); i++) {
        must(data[i] != '\n' || (i > 0 && data[i - 1] == '\r'));
        must(data[i] != '\r' || (i + 1 < len && data[i + 1] == '\n'));
        must(data[i] >= ' ' || data[i] == '\t' || data[i] == '\r' || data[i] == '\n');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    struct reader whole = {.answers = (data[0] & 1) != 0};
    struct reader pieces = {.answers = whole.answers};
    size_t piece = data[1] + (size_t)1;
    data += 2;
    size -= 2;
    bool good = read_on(&whole, data, size);
    for (size_t len = 0; len < size && good;) {
        len = size - len < piece ? size : len + piece;
        bool taken = read_on(&pieces, data, len);
        must(taken || !good);
    }
    if (good) {
        must(memcmp(&whole.found, &pieces.found, sizeof whole.found) == 0);
    }
    struct lenient lenient = {.at = (const char *)data, .end = (const char *)data + size};
    for (size_t i = 0; i < whole.found.count; i++) {
        size_t content;
        check_bytes((const uint8_t *)lenient.at, whole.found.ends[i] - (size_t)(lenient.at - (const char *)data));
        must(lenient_message(&lenient, whole.answers, &content));
        must(lenient.at == (const char *)data + whole.found.ends[i] && content == whole.found.content[i]);
    }
    return 0;
}
