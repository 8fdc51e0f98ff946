/* User and password of URLs, wherever they stand in a line of the log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/url_secret.h"
#include "tests/cmocka.h"

struct row {
    const char *text, *shown;
};

/* What is left of the text when each secret is "***". The caller frees it. */
static char *shown(const char *text)
{
    char *result = NULL;
    size_t size, done = 0, begin, end;
    FILE *out = open_memstream(&result, &size);
    struct url_secret search = {.text = bytes_of_string(text)};
    assert_non_null(out);
    while (url_secret_next(&search, &begin, &end)) {
        assert_true(begin >= done && begin < end && end <= strlen(text));
        fprintf(out, "%.*s***", (int)(begin - done), text + done);
        done = end;
    }
    fputs(text + done, out);
    fclose(out);
    return result;
}

static void check(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *found = shown(rows[i].text);
        assert_string_equal(found, rows[i].shown);
        free(found);
    }
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof(rows)[0])

TEST(what_stands_before_the_last_at_is_hidden)
{
    static const struct row rows[] = {
        {"https://u:p@reg.example/app:1", "https://***@reg.example/app:1"},
        {"https://token@reg.example", "https://***@reg.example"},
        {"https://u:p#q@reg/x", "https://***@reg/x"},
        {"https://u:p?q@reg/x", "https://***@reg/x"},
        {"https://u:p/q@reg/x", "https://***@reg/x"},
        {"https://u:1/2@reg/x", "https://***@reg/x"},
        {"https://u:/#?@:@@reg/x", "https://***@reg/x"},
        {"https:\\/\\/u:p@reg", "https:\\/\\/***@reg"},
        {"https:\\\\/\\\\/u:p@reg", "https:\\\\/\\\\/***@reg"},
        {"://u:p@reg", "://***@reg"},
        {"pull https://u:p#q@reg/x: dial tcp: no such host", "pull https://***@reg/x: dial tcp: no such host"},
        {"a https://u:p/@a b https://v:q@c d@e", "a https://***@a b https://***@c d@e"},
        {"https://a/b,https://u:p@c", "https://***@c"},
        {"https://u:p@reg/app@sha256:0123", "https://***@reg/app@sha256:0123"},
        {"{\"image\":\"https://u:p q#@reg\",\"mail\":\"a@b\"}", "{\"image\":\"https://***@reg\",\"mail\":\"a@b\"}"},
    };
    CHECK(rows);
}

/* Go's %q within JSON, and what escapes nothing. */
TEST(quotes_hold_white_space_and_quotes)
{
    static const struct row rows[] = {
        {"parse \\\"https://u:p q@reg\\\": net/url: a@b", "parse \\\"https://***@reg\\\": net/url: a@b"},
        {"parse \\\"https://u:p\\\\\\\"q r@reg\\\": x", "parse \\\"https://***@reg\\\": x"},
        {"parse \\\"https://u:p\\\"q@reg\\\": x", "parse \\\"https://***@reg\\\": x"},
        {"\\\\\\\"https://u:p q@reg\\\\\\\" r@s", "\\\\\\\"https://***@reg\\\\\\\" r@s"},
        {"'https://u:p q@reg': r@s", "'https://***@reg': r@s"},
        {"'https://u:p'q@reg': r@s", "'https://***@reg': r@s"},
        {"`https://u:p q@reg`", "`https://***@reg`"},
    };
    CHECK(rows);
}

TEST(what_is_no_secret_is_shown)
{
    static const struct row rows[] = {
        {"", ""},
        {"docker-pullable://busybox@sha256:0123", "docker-pullable://busybox@sha256:0123"},
        {"docker-pullable://reg:5000/app:1@sha512:01", "docker-pullable://reg:5000/app:1@sha512:01"},
        {"https://reg:5000/app:1 for a@b", "https://reg:5000/app:1 for a@b"},
        {"Get \\\"https://reg/v2/\\\": ask admin@reg", "Get \\\"https://reg/v2/\\\": ask admin@reg"},
        {"https://reg/v2/\\nadmin@reg", "https://reg/v2/\\nadmin@reg"},
        {"unix:///run/user@1000.service/a.sock", "unix:///run/user@1000.service/a.sock"},
        {"write http://HOST:PORT or https://HOST", "write http://HOST:PORT or https://HOST"},
        {"http://127.0.0.1:11250", "http://127.0.0.1:11250"},
        {"http://[::1]:11250", "http://[::1]:11250"},
        {"a@b", "a@b"},
        {"://@", "://@"},
        {":/", ":/"},
        {"://", "://"},
    };
    CHECK(rows);
}

TEST(a_url_that_is_cut_is_hidden_as_well)
{
    static const struct row rows[] = {
        {"pull https://user:secr...", "pull https://***"},
        {"pull https://user:1234...", "pull https://***"},
        {"{\"reason\":\"pull https://user:secr...\",\"a\":1}", "{\"reason\":\"pull https://***\",\"a\":1}"},
        {"x://y,https://user:secr...", "x://y,https://***"},
        {"pull https://reg...", "pull https://reg..."},
        {"pull https://reg:5000/...", "pull https://reg:5000/..."},
        {"write https://HOST:PORT", "write https://HOST:PORT"},
    };
    CHECK(rows);
}

/* What a user or a password may be, of any characters as JSON says them, ends with a word that is then looked for. */
static void make_secret(char *secret, size_t size)
{
    static const char alphabet[] = "/#?@:,;!'()[]{}<>|~^*=&%$+-._\\`anztAZ09";
    size_t len = 0;
    for (int count = rand() % 12; count > 0; count--) {
        char c = alphabet[(size_t)rand() % (sizeof alphabet - 1)];
        secret[len++] = c;
        if (c == '\\') {
            secret[len++] = c;
        }
    }
    snprintf(secret + len, size - len, "SECRET");
}

TEST(no_password_shows)
{
    static const char *const quotes[][2] = {{"", ""}, {"\\\"", "\\\""}, {"'", "'"}, {"`", "`"}, {"(", ")"}, {"<", ">:"}};
    srand(1);
    for (int i = 0; i < 20000; i++) {
        char secret[40], text[200];
        make_secret(secret, sizeof secret);
        const char *const *quote = quotes[(size_t)rand() % (sizeof quotes / sizeof quotes[0])];
        snprintf(text, sizeof text, "cannot pull %shttps://u:%s@reg/app%s: failed", quote[0], secret, quote[1]);
        char *found = shown(text);
        if (strstr(found, "SECRET") || !strstr(found, "@reg/app")) {
            fail_msg("%s became %s", text, found);
        }
        free(found);
    }
}

/* Each of these would take minutes if each URL were looked at to the end of the text. */
TEST(the_time_is_linear)
{
    static const char *const units[] = {
        "://",      "http://a:", "\\\"http://",    "'http://a`http://", "\\\\\\\"http://\\\"http://",
        "http://@", "unix://",   "http://@sha256:"};
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 1);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t size = strlen(units[i]), begin, end;
        for (size_t j = 0; j < SIZE; j++) {
            text[j] = units[i][j % size];
        }
        text[SIZE] = '\0';
        struct url_secret search = {.text = bytes_of_string(text)};
        while (url_secret_next(&search, &begin, &end)) {
        }
        assert_int_equal(search.at, SIZE);
    }
    free(text);
}
