/* Keys at the top of YAML texts: found and set, with every other byte kept. */
#include <stdlib.h>
#include <string.h>

#include "node/files/yaml_edit.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"

#define FILE_NAME "/var/lib/kubelet/config.yaml"
#define KEY "containerRuntimeEndpoint"
#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct error error;

static int begin(void **state)
{
    error = (struct error){0};
    return arena_begin(state);
}

static enum yaml_edit_found find(const char *text, struct yaml_edit_value *found)
{
    return yaml_edit_find(FILE_NAME, bytes_of_string(text), KEY, arena, found, &error);
}

static const char *string(struct bytes text)
{
    assert_non_null(text.data);
    return arena_string(arena, text);
}

static const char *set(const char *text, const char *value)
{
    struct bytes result;
    if (!yaml_edit_set(FILE_NAME, bytes_of_string(text), KEY, value, arena, &result, &error)) {
        return NULL;
    }
    return string(result);
}

/* ---- find ---- */

EACH_TEST(begin, arena_end)

TEST(values_are_found)
{
    static const struct {
        const char *text, *value, *written;
        unsigned line;
    } cases[] = {
        {KEY ": unix:///run/a.sock\n", "unix:///run/a.sock", "unix:///run/a.sock", 1},
        {"a: 1\n" KEY ": \"unix:///run/a.sock\"  # why\nb: 2\n", "unix:///run/a.sock", "\"unix:///run/a.sock\"", 2},
        {"'" KEY "': 'it''s'\n", "it's", "'it''s'", 1},
        {"{\"a\": {\"b\": 1}, \"" KEY "\":\"x\"}", "x", "\"x\"", 1},
        {"# é ü\r\nä: ö\r\n" KEY ": x\r\n", "x", "x", 3},
        {"\xef\xbb\xbf" KEY ": x\nb: 1\n", "x", "x", 1},
        {KEY ":\n  x\n  y\n", "x y", "x\n  y", 2},
        {KEY ": |\n  x\n\n\nb: 1\n", "x\n", "|\n  x", 1},
        {KEY ":\nb: 1\n", "", "", 1},
        {KEY ": ~\n", "", "~", 1},
        {KEY ": null", "", "null", 1},
        {KEY ": 'null'", "null", "'null'", 1},
        {KEY ": \"\"\n", "", "\"\"", 1},
        {KEY ": !!str 5\n", "5", "!!str 5", 1},
        {"? " KEY "\n: x\n", "x", "x", 2},
        {"---\n" KEY ": x\n...\n", "x", "x", 2},
        {"---\n" KEY ": x\n---\n", "x", "x", 2},
        {"%YAML 1.1\n---\n" KEY ": x", "x", "x", 3},
        {"  a: 1\n  " KEY ": x\n", "x", "x", 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct yaml_edit_value found;
        assert_int_equal(find(cases[i].text, &found), YAML_EDIT_SCALAR);
        assert_string_equal(found.value, cases[i].value);
        assert_string_equal(found.place.file, FILE_NAME);
        assert_int_equal(found.place.line, cases[i].line);
        assert_string_equal(string(bytes_of(cases[i].text + found.place.offset, found.place.length)), cases[i].written);
    }
}

TEST(only_keys_at_the_top_count)
{
    static const char *const texts[] = {
        "",
        "\n",
        "# " KEY ": x\n",
        "---\n",
        "---",
        "--- # nothing\n...\n",
        "a:\n  " KEY ": x\n",
        "a: {" KEY ": x}\n",
        "a:\n- " KEY ": x\n- " KEY "\n",
        KEY "s: x\n",
        "a: " KEY "\n",
        "a: |\n  " KEY ": x\n",
        "{}",
        "{a: [" KEY ", " KEY "], b: {" KEY ": 1}}",
        "? [" KEY "]\n: x\n",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct yaml_edit_value found;
        assert_int_equal(find(texts[i], &found), YAML_EDIT_ABSENT);
        assert_null(found.value);
        assert_null(found.place.file);
    }
}

TEST(other_values_have_a_line_only)
{
    static const char *const texts[] = {
        "a: &a 1\n" KEY ": *a\n",
        "a: 1\n" KEY ": [x]\n",
        "a: 1\n" KEY ": {x: y}\n",
        "a: 1\n" KEY ": !!binary eA==\n",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct yaml_edit_value found;
        assert_int_equal(find(texts[i], &found), YAML_EDIT_OTHER);
        assert_int_equal(found.place.line, 2);
        assert_null(found.value);
        assert_null(found.place.file);
    }
}

TEST(mistakes_have_a_line)
{
    static const struct {
        const char *text, *place;
    } cases[] = {
        {KEY ": x\nb: 1\n" KEY ": y\n", FILE_NAME ":3: "},
        {KEY ": x\n\"" KEY "\": x\n", FILE_NAME ":2: "},
        {"{" KEY ": x, b: 1, '" KEY "': y}", FILE_NAME ":1: "},
        {"a: 1\n b: 2\n", FILE_NAME ":2: "},
        {"a: 1\n\tb: 2\n", FILE_NAME ":2: "},
        {"a: \"open\n", FILE_NAME ":2: "},
        {"- a\n- b\n", FILE_NAME ":1: "},
        {"\n\nword\n", FILE_NAME ":3: "},
        {"--- !!null\n", FILE_NAME ":1: "},
        {"a: 1\n---\nb: 1\n", FILE_NAME ":3: "},
        {"---\n---\nb: 1\n", FILE_NAME ":3: "},
        {"a: &a {b: 1}\n<<: *a\n", FILE_NAME ":2: "},
        {"a: &a b\n*a : 1\n", FILE_NAME ":2: "},
        {"a: 1\nb: \xff\n", FILE_NAME ":2: "},
        {"a: 1\nb: \x01\n", FILE_NAME ":2: "},
        {KEY ": \"a\\0b\"\n", FILE_NAME ":1: "},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct yaml_edit_value found;
        error = (struct error){0};
        assert_int_equal(find(cases[i].text, &found), YAML_EDIT_INVALID);
        assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
        assert_memory_equal(error.message, cases[i].place, strlen(cases[i].place));
        assert_true(strlen(error.message) > strlen(cases[i].place));
        assert_null(set(cases[i].text, "x"));
    }
}

/* libyaml would take minutes for a deep one. */
TEST(deep_nesting_is_a_mistake)
{
    static char text[300000] = "a:\n  ";
    static const char *const openings[] = {"[", "{", "- "};
    struct yaml_edit_value found;
    for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
        for (size_t at = 5, j = 0; at < sizeof text - 1; at++, j++) {
            text[at] = openings[i][j % strlen(openings[i])];
        }
        error = (struct error){0};
        assert_int_equal(find(text, &found), YAML_EDIT_INVALID);
        assert_string_equal(error.message, FILE_NAME ":2: lists and mappings are nested deeper than 100");
    }
}

TEST(bytes_behind_a_nul_are_a_mistake)
{
    static const char text[] = "a: 1\n\0b: 1\n";
    struct yaml_edit_value found;
    assert_int_equal(yaml_edit_find(FILE_NAME, bytes_of(text, sizeof text - 1), KEY, arena, &found, &error), YAML_EDIT_INVALID);
    assert_string_equal(error.message, FILE_NAME ":2: control characters are not allowed");
}

/* ---- set and remove ---- */

#define NEW "unix:///run/crigate/crigate.sock"

TEST(a_present_value_is_replaced)
{
    static const struct {
        const char *before, *after;
    } cases[] = {
        {KEY ": unix:///run/a.sock\n", KEY ": " NEW "\n"},
        {KEY ":   x   # why\r\nb: 1\r\n", KEY ":   " NEW "   # why\r\nb: 1\r\n"},
        {"a: 1\n" KEY ": \"x\"\nb: \"" KEY "\"", "a: 1\n" KEY ": \"" NEW "\"\nb: \"" KEY "\""},
        {KEY ": 'x'", KEY ": " NEW},
        {KEY ": \"\"\n", KEY ": \"" NEW "\"\n"},
        {KEY ":\n", KEY ": " NEW "\n"},
        {KEY ":   # none\nb: 1\n", KEY ": " NEW "   # none\nb: 1\n"},
        {KEY ":\n\n# comment\nb: 1\n", KEY ": " NEW "\n\n# comment\nb: 1\n"},
        {KEY ": null\n", KEY ": " NEW "\n"},
        {KEY ":\n  x\n  y\n\nb: 1\n", KEY ":\n  " NEW "\n\nb: 1\n"},
        {KEY ": >-\n  x\n  y\n\nb: 1\n", KEY ": " NEW "\n\nb: 1\n"},
        {"{\"" KEY "\": \"x\", \"a\": 1}\n", "{\"" KEY "\": \"" NEW "\", \"a\": 1}\n"},
        {"{\"" KEY "\":\n\t\"x\"}", "{\"" KEY "\":\n\t\"" NEW "\"}"},
        {"{" KEY ": , a: 1}\n", "{" KEY ":  \"" NEW "\", a: 1}\n"},
        {"? " KEY "\n: x\n", "? " KEY "\n: " NEW "\n"},
        {"a:\n  " KEY ": nested\n" KEY ": x\n", "a:\n  " KEY ": nested\n" KEY ": " NEW "\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *after = set(cases[i].before, NEW);
        assert_non_null(after);
        assert_string_equal(after, cases[i].after);
    }
}

TEST(a_missing_key_gets_a_line)
{
    static const struct {
        const char *before, *after;
    } cases[] = {
        {"", KEY ": " NEW "\n"},
        {"# comment\n", "# comment\n" KEY ": " NEW "\n"},
        {"# comment", "# comment\n" KEY ": " NEW},
        {"a: 1\n", "a: 1\n" KEY ": " NEW "\n"},
        {"a: 1", "a: 1\n" KEY ": " NEW},
        {"a: 1\r\nb: 2\r\n", "a: 1\r\nb: 2\r\n" KEY ": " NEW "\r\n"},
        {"a: 1\r\nb: 2", "a: 1\r\nb: 2\r\n" KEY ": " NEW},
        {"a:\n- 1\n- x: 2\n\n# end\n\n", "a:\n- 1\n- x: 2\n\n# end\n\n" KEY ": " NEW "\n"},
        {"a: |\n  text\n", "a: |\n  text\n" KEY ": " NEW "\n"},
        {"a: |+\n  text\n\n", "a: |+\n  text\n\n" KEY ": " NEW "\n"},
        {"---\na: 1\n...\n", "---\na: 1\n" KEY ": " NEW "\n...\n"},
        {"---\na: 1\n---\n", "---\na: 1\n" KEY ": " NEW "\n---\n"},
        {"---\n", "---\n" KEY ": " NEW "\n"},
        {"---", "---\n" KEY ": " NEW},
        {"  a: 1\n  b:\n    c: 2\n", "  a: 1\n  b:\n    c: 2\n  " KEY ": " NEW "\n"},
        {"? a\n: 1\n", "? a\n: 1\n" KEY ": " NEW "\n"},
        {"\xef\xbb\xbf", "\xef\xbb\xbf" KEY ": " NEW "\n"},
        {"\xef\xbb\xbf"
         "a: 1\n",
         "\xef\xbb\xbf"
         "a: 1\n" KEY ": " NEW "\n"},
        {"a:\n  " KEY ": x\n", "a:\n  " KEY ": x\n" KEY ": " NEW "\n"},
        {"a: 1\n   ", "a: 1\n   \n" KEY ": " NEW},
        {"{}", "{\"" KEY "\": \"" NEW "\"}"},
        {"{\n}\n", "{\"" KEY "\": \"" NEW "\"\n}\n"},
        {"{\"a\": 1}\n", "{\"" KEY "\": \"" NEW "\",\"a\": 1}\n"},
        {"{\n  \"a\": 1\n}\n", "{\n  \"" KEY "\": \"" NEW "\",\n  \"a\": 1\n}\n"},
        {"{\r\n\t\"a\": 1\r\n}\r\n", "{\r\n\t\"" KEY "\": \"" NEW "\",\r\n\t\"a\": 1\r\n}\r\n"},
        {"{ # why\n  a: 1,\n}\n", "{\"" KEY "\": \"" NEW "\", # why\n  a: 1,\n}\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *after = set(cases[i].before, NEW);
        assert_non_null(after);
        assert_string_equal(after, cases[i].after);
    }
}

TEST(what_cannot_be_edited_precisely_is_refused)
{
    static const char *const texts[] = {
        KEY ": &a x\nb: *a\n", /* the anchor would go */
        KEY ": [x]\n",         KEY ": {x: y}\n", "a: &a x\n" KEY ": *a\n",
        "a: |\n  text", /* a line end would be added to the text */
        "{" KEY "}",    /* nothing says where a value begins */
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        error = (struct error){0};
        assert_null(set(texts[i], "y"));
        assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    }
}

TEST(values_are_quoted_if_they_must_be)
{
    static const struct {
        const char *value, *written;
    } cases[] = {
        {"unix:///run/a.sock", "unix:///run/a.sock"},
        {"/run/a.sock", "/run/a.sock"},
        {"", "\"\""},
        {"true", "\"true\""},
        {"No", "\"No\""},
        {"NULL", "\"NULL\""},
        {"1.10", "\"1.10\""},
        {"~", "\"~\""},
        {"a: b", "\"a: b\""},
        {"a:", "\"a:\""},
        {"a #b", "\"a #b\""},
        {"- a", "\"- a\""},
        {"a\nb\t\x7f", "\"a\\u000ab\\u0009\\u007f\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"\xc3\xa9", "\"\xc3\xa9\""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct yaml_edit_value found;
        const char *after = set("a: 1\n", cases[i].value);
        assert_non_null(after);
        assert_int_equal(find(after, &found), YAML_EDIT_SCALAR);
        assert_string_equal(found.value, cases[i].value);
        assert_string_equal(string(bytes_of(after + found.place.offset, found.place.length)), cases[i].written);
    }
    assert_null(set("a: 1\n", "\xff"));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
}

TEST(the_value_that_is_there_changes_nothing)
{
    assert_string_equal(set(KEY ": 'x' # y", "x"), KEY ": 'x' # y");
    assert_string_equal(set(KEY ":\n", ""), KEY ":\n");
}

TEST(without_memory_there_is_an_error)
{
    static const char *const texts[] = {"a: 1\n", KEY ": \"x\"\n", "{\"a\": 1}", "{\"a\": 1, \"" KEY "\": \"x\"}"};
    unsigned failed = 0;
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (size_t size = 1; size < 4096; size += 16) {
            struct arena *small = arena_new(size);
            struct bytes result;
            struct error reason = {0};
            bool done = yaml_edit_set(FILE_NAME, bytes_of_string(texts[i]), KEY, "y", small, &result, &reason);
            assert_true(done || reason.code == STATUS_RESOURCE_EXHAUSTED);
            failed += !done;
            arena_unref(small);
        }
    }
    assert_true(failed > 0);
}
