/* Texts in which bytes are replaced, and their difference for people. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/files/text_edit.h"
#include "tests/cmocka.h"

#define HEADING "--- f\n+++ f\n"

/* The caller frees it. */
static char *diff(struct bytes before, struct bytes after)
{
    /* Static: gcc takes what was printed for these two themselves, and warns that they are gone. */
    static char *text;
    static size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    text_diff_print("f", before, after, out);
    fclose(out);
    return text;
}

static void assert_diff(const char *before, const char *after, const char *expected)
{
    char *text = diff(bytes_of_string(before), bytes_of_string(after));
    assert_string_equal(text, expected);
    free(text);
}

TEST(bytes_are_replaced)
{
    struct arena *arena = arena_new(4096);
    struct bytes text = bytes_of_string("abc");
    static const struct {
        size_t offset, length;
        const char *by, *result;
    } cases[] = {{1, 1, "xy", "axyc"}, {0, 0, "x", "xabc"}, {3, 0, "x", "abcx"}, {0, 3, "", ""}, {1, 2, "", "a"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes result = text_replace(text, cases[i].offset, cases[i].length, bytes_of_string(cases[i].by), arena);
        assert_non_null(result.data);
        assert_int_equal(result.len, strlen(cases[i].result));
        assert_string_equal((const char *)result.data, cases[i].result); /* a NUL follows */
    }
    assert_null(text_replace(text, 4, 0, bytes_of_string(""), arena).data);
    assert_null(text_replace(text, 1, 3, bytes_of_string(""), arena).data);
    assert_null(text_replace(text, 0, 0, bytes_of("", 8192), arena).data);
    arena_unref(arena);
}

TEST(equal_texts_print_nothing)
{
    assert_diff("", "", "");
    assert_diff("a\nb", "a\nb", "");
    assert_diff(NULL, NULL, "");
}

TEST(changes_have_three_lines_around_them)
{
    assert_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
                HEADING "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
    assert_diff("a\n", "b\n", HEADING "@@ -1 +1 @@\n-a\n+b\n");
    assert_diff("a\nb\n", "a\nx\nb\ny\n", HEADING "@@ -1,2 +1,4 @@\n a\n+x\n b\n+y\n");
}

TEST(near_changes_share_a_hunk)
{
    assert_diff("a\n1\n2\n3\n4\n5\n6\nb\n", "1\n2\n3\n4\n5\n6\n", HEADING "@@ -1,8 +1,6 @@\n-a\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n");
    assert_diff("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "1\n2\n3\n4\n5\n6\n7\n",
                HEADING "@@ -1,4 +1,3 @@\n-a\n 1\n 2\n 3\n@@ -6,4 +5,3 @@\n 5\n 6\n 7\n-b\n");
}

TEST(absent_and_empty_texts_are_shown)
{
    char *text = diff(bytes_of(NULL, 0), bytes_of_string("a\nb\n"));
    assert_string_equal(text, "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    free(text);
    text = diff(bytes_of_string("a\n"), bytes_of(NULL, 0));
    assert_string_equal(text, "--- f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
    free(text);
    text = diff(bytes_of(NULL, 0), bytes_of("", 0));
    assert_string_equal(text, "--- /dev/null\n+++ f\n");
    free(text);
}

TEST(a_missing_line_end_is_shown)
{
    assert_diff("a", "a\n", HEADING "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
    assert_diff("a\nb", "x\nb", HEADING "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n");
}

TEST(what_a_terminal_would_obey_is_not_printed)
{
    assert_diff("", "\ta\r\x1b[31m\x7f\xc2\x9b\xff\xc3\xa9\n", HEADING "@@ -0,0 +1 @@\n+\ta??[31m???\xc3\xa9\n");
}

TEST(passwords_in_urls_are_hidden)
{
    assert_diff("P=http://me:pass@proxy:3128 E=unix:///a.sock N=a@b\n", "P=\"http://me:other@proxy:3128\" E=unix:///b.sock N=a@b",
                HEADING "@@ -1 +1 @@\n-P=http://(hidden)@proxy:3128 E=unix:///a.sock N=a@b\n"
                        "+P=\"http://(hidden)@proxy:3128\" E=unix:///b.sock N=a@b\n\\ No newline at end of file\n");
}

/* One line after the other, each with what is shown of it. */
TEST(secrets_by_their_name_are_hidden)
{
    static const struct {
        const char *line, *shown;
    } cases[] = {
        {"token: K10abc::server:def # ours", "token: (hidden)"},
        {"agent-token: \"K10 a'bc\" # ours", "agent-token: \"(hidden)\" # ours"},
        {"AWS_SECRET_ACCESS_KEY=abc", "AWS_SECRET_ACCESS_KEY=(hidden)"},
        {"Environment=\"K3S_TOKEN=a b\" LC_ALL=C", "Environment=\"K3S_TOKEN=(hidden)\" LC_ALL=C"},
        {"X_PASSWORD='a b' Y=1", "X_PASSWORD='(hidden)' Y=1"},
        {"A=\"--v=2 --token=abc --v=3\"", "A=\"--v=2 --token=(hidden) --v=3\""},
        {"A=\"--token=abc --v=3\"", "A=\"--token=(hidden) --v=3\""},
        {"server --token abc --v 2", "server --token (hidden) --v 2"},
        {"--manifest-url-header=Authorization:Bearer abc --v=2", "--manifest-url-header=Authorization:(hidden) --v=2"},
        {"  - Bearer abc", "  - Bearer (hidden)"},
        {"  - 'basic abc'", "  - 'basic (hidden)'"},
        {"{\"token\": \"abc\", \"x\": 1}", "{\"token\": \"(hidden)\", \"x\": 1}"},
        {"proxyPassword=http://a:b@c/ d", "proxyPassword=(hidden) d"},
        {"x=http://a:b@c/ token=d", "x=http://(hidden)@c/ token=(hidden)"},
        {"TOKEN=a\\ b c", "TOKEN=(hidden) c"},
        {"token: \"ab", "token: \"(hidden)"},
        {"token=ab\\", "token=(hidden)"},
        /* None. */
        {"tlsPrivateKeyFile: /var/lib/kubelet/pki/kubelet.key", "tlsPrivateKeyFile: /var/lib/kubelet/pki/kubelet.key"},
        {"--image-credential-provider-config=/etc/x", "--image-credential-provider-config=/etc/x"},
        {"--image-credential-provider-bin-dir /etc/x", "--image-credential-provider-bin-dir /etc/x"},
        {"token", "token"},
        {"token:", "token:"},
        {"token=", "token="},
        {"\"token\"", "\"token\""},
        {"the token of it", "the token of it"},
        {"Bearer", "Bearer"},
        {"--token", "--token"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char before[256], expected[512];
        snprintf(before, sizeof before, "%s\nx\n", cases[i].line);
        snprintf(expected, sizeof expected, HEADING "@@ -1,2 +1,2 @@\n %s\n-x\n+y\n", cases[i].shown);
        char after[256];
        snprintf(after, sizeof after, "%s\ny\n", cases[i].line);
        assert_diff(before, after, expected);
    }
}

TEST(long_lines_are_cut)
{
    char line[5000];
    memset(line, 'a', sizeof line);
    char *text = diff(bytes_of(NULL, 0), bytes_of(line, sizeof line));
    const char *shown = strchr(text, '@');
    assert_non_null(shown);
    shown = strchr(shown, '\n') + 2;
    assert_int_equal(strspn(shown, "a"), 4096);
    assert_string_equal(shown + 4096, "[...]\n\\ No newline at end of file\n");
    free(text);
}

/* Reads a side of the difference of texts whose lines are one letter, hunk by hunk, on top of that text itself. */
static void assert_side(const char *printed, struct bytes text, char own)
{
    unsigned long starts[2], at = 0;
    const char *line = strchr(strchr(printed, '\n') + 1, '\n') + 1;
    for (; *line; line = strchr(line, '\n') + 1) {
        if (*line == '@') {
            char *rest;
            starts[0] = strtoul(strchr(line, '-') + 1, &rest, 10);
            starts[1] = strtoul(strchr(rest, '+') + 1, &rest, 10);
            at = starts[own == '+'];
            at -= at > 0;
        } else if (*line == ' ' || *line == own) {
            assert_true(2 * at + 1 < text.len);
            assert_int_equal(text.data[2 * at], line[1]);
            at++;
        }
    }
}

/* The number of lines that a difference shows as changed. */
static size_t changes(const char *printed)
{
    size_t count = 0;
    for (const char *line = strchr(strchr(printed, '\n') + 1, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        count += *line == '-' || *line == '+';
    }
    return count;
}

static struct bytes random_lines(char *text, unsigned most)
{
    unsigned count = (unsigned)rand() % most;
    for (unsigned i = 0; i < count; i++) {
        text[2 * i] = (char)('a' + rand() % 4);
        text[2 * i + 1] = '\n';
    }
    return bytes_of(text, 2 * count);
}

TEST(each_side_of_a_difference_is_that_text)
{
    char texts[2][128];
    srand(1);
    for (unsigned i = 0; i < 2000; i++) {
        struct bytes before = random_lines(texts[0], 40);
        struct bytes after = random_lines(texts[1], 40);
        if (bytes_equal(before, after)) {
            continue;
        }
        char *text = diff(before, after);
        assert_side(text, before, '-');
        assert_side(text, after, '+');
        assert_true(changes(text) > 0 && changes(text) <= (before.len + after.len) / 2);
        free(text);
    }
}

TEST(texts_that_differ_everywhere_are_shown_whole)
{
    size_t count = 3000;
    char *texts = malloc(4 * count);
    assert_non_null(texts);
    for (size_t i = 0; i < count; i++) {
        memcpy(texts + 2 * i, "a\n", 2);
        memcpy(texts + 2 * count + 2 * i, "b\n", 2);
    }
    char *text = diff(bytes_of(texts, 2 * count), bytes_of(texts + 2 * count, 2 * count));
    assert_int_equal(changes(text), 2 * count);
    free(text);
    free(texts);
}
