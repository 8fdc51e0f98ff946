/* Users and groups by name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/map/values.h"
#include "tests/cmocka.h"

#define NO_ID ((id_t)-7)

static char path[] = "/tmp/accounts_test_XXXXXX";

static int set_up(void **state)
{
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int tear_down(void **state)
{
    return unlink(path);
}

static void write_text(const char *text, size_t size)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void expect(const char *text, const char *name, enum account_result result, id_t expected)
{
    id_t id = NO_ID;
    write_text(text, strlen(text));
    assert_int_equal(account_find(path, name, &id), result);
    assert_int_equal(id, expected);
}

ALL_TESTS(set_up, tear_down)

TEST(a_name_has_the_number_of_its_line)
{
    const char *groups = "root:x:0:\ncrigate:x:990:a,b\nlast:x:4294967294:";
    expect(groups, "root", ACCOUNT_FOUND, 0);
    expect(groups, "crigate", ACCOUNT_FOUND, 990);
    expect(groups, "last", ACCOUNT_FOUND, 4294967294);
    expect(groups, "a", ACCOUNT_MISSING, NO_ID);
    expect(groups, "", ACCOUNT_MISSING, NO_ID);
    expect("operator:x:1000:7:an operator,,:/home/operator:/bin/sh\n", "operator", ACCOUNT_FOUND, 1000);
}

TEST(the_first_valid_line_of_a_name_counts)
{
    expect("twice:x:5:\ntwice:x:6:\n", "twice", ACCOUNT_FOUND, 5);
    expect("twice:x:five:\ntwice:x:6:\n", "twice", ACCOUNT_FOUND, 6);
}

TEST(lines_of_another_form_are_left_out)
{
    static const char *const lines[] = {
        "",
        "\n",
        "\n\n\n",
        "a",
        "a\n",
        "a:",
        "a:x",
        "a:x:",
        "a:x:\n",
        ":",
        "::::",
        "a:x::",
        "a:x:-1:",
        "a:x:+1:",
        "a:x: 1:",
        "a:x:1 :",
        "a:x:0x1:",
        "a:x:1",
        "b:",
        "#a:x:1:\n:",
        " a:x:1:\n",
        "A:x:1:\n ",
        "ab:x:1:1",
        "a :x:1:1",
        "a:x:4294967295:",
        "a:x:18446744073709551617:",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        expect(lines[i], "a", ACCOUNT_MISSING, NO_ID);
    }
}

/* The files may end with lines for other databases, as in nsswitch.conf's "compat". */
TEST(a_line_for_another_database_is_no_account)
{
    expect("+:x:0:\n-a:x:0:\n+a:x:0:\n", "+", ACCOUNT_MISSING, NO_ID);
    expect("+:x:0:\n-a:x:0:\n+a:x:0:\n", "-a", ACCOUNT_MISSING, NO_ID);
    expect("+:x:0:\n-a:x:0:\n+a:x:0:\n", "a", ACCOUNT_MISSING, NO_ID);
}

TEST(a_line_may_be_long_and_hold_any_byte)
{
    size_t size = 4 << 20;
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, 'm', size);
    memcpy(text, "big:x:7:", 8);
    memcpy(text + size - 12, "\nafter:x:8:\n", 12);
    text[size] = '\0';
    expect(text, "big", ACCOUNT_FOUND, 7);
    expect(text, "after", ACCOUNT_FOUND, 8);
    free(text);
    static const char bytes[] = "\0a:x:1:\n\xff\xfe:x:2:\na\0b:x:3:\na:\0:4:\na:x:5:\n";
    id_t id = NO_ID;
    write_text(bytes, sizeof bytes);
    assert_int_equal(account_find(path, "a", &id), ACCOUNT_FOUND);
    assert_int_equal(id, 5);
}

TEST(a_file_that_is_not_there_has_no_accounts)
{
    id_t id = NO_ID;
    assert_int_equal(account_find("/nonexistent/group", "root", &id), ACCOUNT_MISSING);
    assert_int_equal(account_find("/tmp", "root", &id), ACCOUNT_UNREADABLE);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(id, NO_ID);
}
