/* Files of EnvironmentFile=: what systemd reads in them, and where it stands. */
#include <string.h>

#include "node/systemd/environment_file.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"

static struct environment_entries read_text(const char *text)
{
    struct environment_entries entries;
    assert_true(environment_file_read(bytes_of_string(text), 7, arena, &entries, NULL));
    return entries;
}

/* The text has one assignment to A, of that value. */
static void assert_value(const char *text, const char *value)
{
    struct environment_entries entries = read_text(text);
    assert_int_equal(entries.count, 1);
    assert_string_equal(entries.items[0].name, "A");
    assert_string_equal(entries.items[0].value.text, value);
    assert_int_equal(entries.items[0].value.len, strlen(value));
}

EACH_TEST(arena_begin, arena_end)

TEST(values)
{
    assert_value("A=b", "b");
    assert_value("A=b\n", "b");
    assert_value("A=\n", "");
    assert_value("A=", "");
    assert_value("  A  =  b c \t \n", "b c");
    assert_value("A=b=c\r\n", "b=c");
    assert_value("A='b  c' ", "b  c");
    assert_value("A=\"b\"'c' d\n", "bcd");
    assert_value("A=b\"c\"\n", "b\"c\"");
    assert_value("A=\"b\n c\"\n", "b\n c");
}

TEST(escapes)
{
    assert_value("A=b\\\nc", "bc");
    assert_value("A=b \\\n  c\n", "b   c");
    assert_value("A=b\\ \n", "b ");
    assert_value("A=\\\"b\n", "\"b");
    assert_value("A=\"b\\\"c\\$d\\`e\\\\f\"", "b\"c$d`e\\f");
    assert_value("A=\"b\\nc\"", "b\\nc");
    assert_value("A=\"b \\\n c\"", "b  c");
    assert_value("A='b\\c'", "b\\c");
    assert_value("A=\"b", "b");
}

TEST(comments_and_other_lines_are_passed_over)
{
    assert_value("# A=1\n; A=2\n\n  # A=3\nA=b # no comment\n", "b # no comment");
    assert_value("no assignment\nA=b\n1A=c\nexport A=d\nA-B=e\n", "b");
}

TEST(a_later_assignment_is_read_too)
{
    struct environment_entries entries = read_text("A=1\nB=2\nA=3\n");
    assert_int_equal(entries.count, 3);
    assert_string_equal(entries.items[2].value.text, "3");
    assert_int_equal(entries.items[2].line, 3);
}

TEST(the_line_after_a_comment_with_a_backslash_is_doubtful)
{
    struct environment_entries entries = read_text("# one \\\nA=1\nB=2\n# two\nC=3\n# \\\n# \nD=4\n");
    assert_int_equal(entries.count, 4);
    assert_true(entries.items[0].doubtful);
    assert_false(entries.items[1].doubtful);
    assert_false(entries.items[2].doubtful);
    assert_false(entries.items[3].doubtful);
}

TEST(places)
{
    const char *text = "# first\nA=\"x \\\n--flag=val\\\"ue\"  \nB=''\n";
    struct environment_entries entries = read_text(text);
    struct environment_entry *a = &entries.items[0];
    assert_int_equal(entries.count, 2);
    assert_int_equal(a->line, 2);
    assert_int_equal(a->raw_offset, 10);
    assert_int_equal(a->raw_offset + a->raw_length, strstr(text, "\nB") - text);
    assert_string_equal(a->value.text, "x --flag=val\"ue");
    for (size_t i = 0; i < a->value.len; i++) {
        assert_int_equal(a->value.from[i].file, 7);
        assert_int_equal(text[a->value.from[i].offset], a->value.text[i]);
    }
    assert_true(traced_is_literal(traced_part(a->value, 2, 10)));
    assert_false(traced_is_literal(traced_part(a->value, 2, 11)));
    assert_false(traced_is_literal(traced_part(a->value, 0, 3)));
    assert_int_equal(entries.items[1].raw_length, 2);
    assert_int_equal(entries.items[1].value.len, 0);
    assert_int_equal(entries.items[1].line, 4);
}
