#include "node/files/setting_secret.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* In a name, whatever its case. */
static const char *const secret_words[] = {
    "password", "passwd",  "passphrase", "secret",     "token",      "credential", "authorization", "apikey",
    "api-key",  "api_key", "accesskey",  "access-key", "access_key", "privatekey", "private-key",   "private_key",
};

/* At the end of a name whose value says where a secret is, and is none itself. */
static const char *const place_words[] = {"file", "path", "dir", "folder", "config"};

/* Before a secret. */
static const char *const schemes[] = {"bearer", "basic"};

static bool is_of_name(uint8_t letter)
{
    return isalnum(letter) || letter == '_' || letter == '-' || letter == '.';
}

static bool is_quote(uint8_t letter)
{
    return letter == '"' || letter == '\'';
}

static bool is_blank(uint8_t letter)
{
    return letter == ' ' || letter == '\t';
}

static bool has_at(struct bytes text, size_t at, const char *word)
{
    size_t len = strlen(word);
    return at <= text.len && text.len - at >= len && strncasecmp((const char *)text.data + at, word, len) == 0;
}

static bool is_secret_name(struct bytes name)
{
    bool secret = false;
    for (size_t i = 0; i < sizeof place_words / sizeof place_words[0]; i++) {
        if (name.len >= strlen(place_words[i]) && has_at(name, name.len - strlen(place_words[i]), place_words[i])) {
            return false;
        }
    }
    for (size_t at = 0; at < name.len && !secret; at++) {
        for (size_t i = 0; i < sizeof secret_words / sizeof secret_words[0] && !secret; i++) {
            secret = has_at(name, at, secret_words[i]);
        }
    }
    return secret;
}

static bool is_scheme(struct bytes name)
{
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (name.len == strlen(schemes[i]) && has_at(name, 0, schemes[i])) {
            return true;
        }
    }
    return false;
}

static size_t skip_blanks(struct bytes line, size_t at)
{
    while (at < line.len && is_blank(line.data[at])) {
        at++;
    }
    return at;
}

/* The end of a value without quotes around it; `quote` is one that was open before it, or 0. */
static size_t word_end(struct bytes line, size_t at, uint8_t quote)
{
    while (at < line.len && (quote ? line.data[at] != quote : !isspace(line.data[at]) && !is_quote(line.data[at]))) {
        at += line.data[at] == '\\' && at + 1 < line.len ? 2 : 1;
    }
    return at;
}

/* The value that begins at `at`, behind its sign. `whole`: up to the line's end. */
static size_t value_end(struct bytes line, size_t *at, bool whole, uint8_t open)
{
    if (*at < line.len && is_quote(line.data[*at]) && line.data[*at] != open) {
        uint8_t quote = line.data[(*at)++];
        return word_end(line, *at, quote);
    }
    if (whole) {
        return line.len;
    }
    size_t end = word_end(line, *at, open);
    if (is_scheme(bytes_of(line.data + *at, end - *at))) {
        end = word_end(line, skip_blanks(line, end), 0);
    }
    return end;
}

/* What is secret behind the name line[start, stop), if anything is. */
static bool find_value(struct bytes line, size_t start, size_t stop, size_t *begin, size_t *end)
{
    struct bytes name = bytes_of(line.data + start, stop - start);
    bool flag = name.len > 0 && name.data[0] == '-';
    uint8_t open = start > 0 && is_quote(line.data[start - 1]) ? line.data[start - 1] : 0;
    if (is_scheme(name)) {
        *begin = skip_blanks(line, stop);
        *end = *begin > stop ? word_end(line, *begin, 0) : *begin;
        return *end > *begin;
    }
    if (!is_secret_name(name)) {
        return false;
    }
    bool closed = open && stop < line.len && line.data[stop] == open;
    size_t blanks = skip_blanks(line, stop + closed);
    bool sign = blanks < line.len && (line.data[blanks] == '=' || line.data[blanks] == ':');
    if (!sign && !(flag && blanks > stop)) {
        return false;
    }
    bool key = sign && line.data[blanks] == ':' && (blanks + 1 == line.len || is_blank(line.data[blanks + 1]));
    *begin = sign ? skip_blanks(line, blanks + 1) : blanks;
    *end = value_end(line, begin, key && !flag, flag || closed ? 0 : open);
    return *end > *begin;
}

bool setting_secret_find(struct bytes line, size_t from, size_t *begin, size_t *end)
{
    for (size_t at = 0; at < line.len;) {
        size_t stop = at;
        while (stop < line.len && is_of_name(line.data[stop])) {
            stop++;
        }
        bool found = stop > at && find_value(line, at, stop, begin, end);
        if (found && *end > from) {
            return true;
        }
        at = found ? *end : stop > at ? stop : at + 1;
    }
    return false;
}
