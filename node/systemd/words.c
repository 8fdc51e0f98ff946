#include "node/systemd/words.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Reads `count` digits. -1: there are not that many, or the number is not a byte other than NUL. */
static int read_byte(struct traced_text text, size_t at, size_t count, int base)
{
    int value = 0;
    for (size_t i = 0; i < count; i++) {
        int digit = at + i < text.len ? digit_value(text.text[at + i]) : 16;
        if (digit >= base) {
            return -1;
        }
        value = value * base + digit;
    }
    return value > 0 && value <= 0xff ? value : -1;
}

/* The byte that the escape after a backslash means, and how long the escape is; -1: none that is known here (also Unicode's: they
   are kept as they are, because no path of a socket needs them). */
static int unescape(struct traced_text text, size_t at, size_t *length)
{
    static const char letters[][2] = {{'a', '\a'}, {'b', '\b'}, {'f', '\f'},  {'n', '\n'}, {'r', '\r'}, {'t', '\t'},
                                      {'v', '\v'}, {'s', ' '},  {'\\', '\\'}, {'"', '"'},  {'\'', '\''}};
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        if (text.text[at] == letters[i][0]) {
            *length = 1;
            return letters[i][1];
        }
    }
    *length = 3; /* of \123 and \x41 */
    return text.text[at] == 'x' ? read_byte(text, at + 1, 2, 16) : read_byte(text, at, 3, 8);
}

/* Puts what a backslash before text[*at] means, and moves behind it. */
static void put_escaped(struct traced_text text, size_t *at, enum words_rules rules, struct traced_builder *word)
{
    const struct origin nowhere = {.file = ORIGIN_NOWHERE};
    size_t length;
    int byte = rules == WORDS_OF_UNIT ? unescape(text, *at, &length) : -1;
    if (byte >= 0) {
        traced_put(word, (char)byte, nowhere);
        *at += length;
        return;
    }
    if (rules == WORDS_OF_UNIT) {
        traced_put(word, '\\', text.from[*at - 1]);
    }
    traced_put(word, text.text[*at], text.from[*at]);
    (*at)++;
}

enum words_result words_next(struct traced_text text, size_t *at, enum words_rules rules, struct arena *arena,
                             struct traced_text *word)
{
    struct traced_builder builder = {.arena = arena};
    while (*at < text.len && is_blank(text.text[*at])) {
        (*at)++;
    }
    if (*at == text.len) {
        return WORDS_END;
    }
    char quote = '\0';
    while (*at < text.len && (quote || !is_blank(text.text[*at]))) {
        char c = text.text[*at];
        if (c == '\\' && *at + 1 == text.len) {
            if (rules == WORDS_OF_UNIT) {
                return WORDS_MISTAKE;
            }
            (*at)++;
        } else if (c == '\\') {
            (*at)++;
            put_escaped(text, at, rules, &builder);
        } else if (quote ? c == quote : c == '"' || c == '\'') {
            quote = quote ? '\0' : c;
            (*at)++;
        } else {
            traced_put(&builder, c, text.from[*at]);
            (*at)++;
        }
    }
    if (quote && rules == WORDS_OF_UNIT) {
        return WORDS_MISTAKE;
    }
    return traced_finish(&builder, word) ? WORDS_WORD : WORDS_NO_MEMORY;
}
