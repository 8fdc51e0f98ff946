#include "base/bytes/url_secret.h"

/* Nested quotes have more backslashes each time: \", \\\", \\\\\\\". Those with still more do not count as quotes. */
#define MOST_BACKSLASHES 15

static bool is_one_of(uint8_t c, const char *set)
{
    return c != '\0' && strchr(set, c);
}

static size_t backslashes_before(struct bytes text, size_t at)
{
    size_t count = 0;
    while (count <= MOST_BACKSLASHES && count < at && text.data[at - count - 1] == '\\') {
        count++;
    }
    return count;
}

static bool is_scheme(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

/* The longest scheme that is considered; real ones are shorter. */
#define LONGEST_SCHEME 64

/* The length of the scheme that ends at `end`. */
static size_t scheme_size(struct bytes text, size_t end)
{
    size_t size = 0;
    while (size < LONGEST_SCHEME && size < end && is_scheme(text.data[end - size - 1])) {
        size++;
    }
    return size;
}

static bool scheme_is(struct bytes text, size_t end, const char *name)
{
    size_t size = scheme_size(text, end);
    return bytes_equal(bytes_of(text.data + end - size, size), bytes_of_string(name));
}

/* The size of "://" there, also with a backslash before each slash, as some write JSON; 0 if it is something else. */
static size_t mark_size(struct bytes text, size_t at)
{
    if (text.data[at] != ':') {
        return 0;
    }
    size_t size = 1;
    for (int slashes = 0; slashes < 2; slashes++) {
        for (int most = 0; most < 3 && at + size < text.len && text.data[at + size] == '\\'; most++) {
            size++;
        }
        if (at + size >= text.len || text.data[at + size] != '/') {
            return 0;
        }
        size++;
    }
    return size;
}

/* The end of a URL that the quote at `quote` begins: the next quote that is not nested deeper; 0 if there is none. */
static size_t find_closing(struct bytes text, size_t quote, size_t from)
{
    uint8_t kind = text.data[quote];
    size_t depth = kind == '"' ? backslashes_before(text, quote) : 0;
    for (size_t i = from; depth <= MOST_BACKSLASHES && i < text.len; i++) {
        if (text.data[i] == kind && backslashes_before(text, i) <= depth) {
            return i;
        }
        if (text.data[i] == '"' && backslashes_before(text, i) == 0) {
            return 0;
        }
    }
    return 0;
}

/* White space; in JSON, also escaped control characters: \n. */
static bool is_space(struct bytes text, size_t at)
{
    uint8_t c = text.data[at];
    bool escaped = at + 1 < text.len && c == '\\' && is_one_of(text.data[at + 1], "ntrfv");
    return c <= ' ' || (escaped && backslashes_before(text, at) % 2 == 0);
}

static size_t find_space(struct bytes text, size_t from)
{
    size_t at = from;
    while (at < text.len && !is_space(text, at) && !(text.data[at] == '"' && backslashes_before(text, at) == 0)) {
        at++;
    }
    return at;
}

static bool begins_digest(struct bytes text)
{
    return bytes_start_with(text, bytes_of_string("sha256:")) || bytes_start_with(text, bytes_of_string("sha384:")) ||
           bytes_start_with(text, bytes_of_string("sha512:"));
}

/* The position of the last '@', which ends user and password; `from` if there is none. */
static size_t find_at(struct bytes text, size_t from, size_t end)
{
    for (size_t i = end; i > from; i--) {
        if (text.data[i - 1] == '@' && !begins_digest(bytes_after(text, i))) {
            return i - 1;
        }
    }
    return from;
}

/* Whether the text looks like a user and password whose end was cut off, as error.h does it: after its colon, there is no port.
 */
static bool is_cut(struct bytes text, size_t from, size_t end)
{
    size_t at = from;
    bool cut = end > from + 3 && memcmp(text.data + end - 3, "...", 3) == 0;
    while (cut && at < end && !is_one_of(text.data[at], ":/?#[")) {
        at++;
    }
    if (!cut || at == end || text.data[at] != ':') {
        return false;
    }
    do {
        at++;
    } while (at < end && text.data[at] >= '0' && text.data[at] <= '9');
    return at < end && !is_one_of(text.data[at], "/?#,;:)]}\\'`");
}

/* The end of the secret of a URL whose scheme ends at `mark`, and which continues at `from`; `from` if there is no secret. */
static size_t find_secret(struct url_secret *search, size_t mark, size_t from)
{
    struct bytes text = search->text;
    if (scheme_is(text, mark, "unix")) {
        return from;
    }
    size_t begin = mark - scheme_size(text, mark);
    bool quoted = begin > 0 && is_one_of(text.data[begin - 1], "\"'`");
    size_t closing = quoted ? find_closing(text, begin - 1, from) : 0;
    size_t end = from < search->clear ? search->clear : find_space(text, from);
    bool known = from < search->clear && closing <= end;
    search->clear = end;
    end = closing > end ? closing : end;
    size_t secret = known ? from : find_at(text, from, end);
    bool http = scheme_is(text, mark, "http") || scheme_is(text, mark, "https");
    return secret == from && http && is_cut(text, from, end) ? end : secret;
}

bool url_secret_next(struct url_secret *search, size_t *begin, size_t *end)
{
    while (search->at < search->text.len) {
        size_t mark = search->at;
        size_t size = mark_size(search->text, mark);
        search->at += size > 0 ? size : 1;
        if (size > 0) {
            *begin = search->at;
            *end = find_secret(search, mark, *begin);
            search->at = *end;
            if (*end > *begin) {
                return true;
            }
        }
    }
    return false;
}
