/* The command line of a service, put together from a unit, its drop-ins and its environment files. */
#include <stdio.h>
#include <string.h>

#include "node/systemd/command.h"
#include "node/systemd/words.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"

/* The words, each in <>. */
static const char *shown(const struct command *command)
{
    static char text[4096];
    size_t len = 0;
    text[0] = '\0';
    for (size_t i = 0; i < command->count; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "<%s>", command->words[i].text);
    }
    return text;
}

static struct command_file unit_file(const char *text)
{
    return (struct command_file){.path = "/etc/u.service", .text = bytes_of_string(text)};
}

static struct command_file environment_file(const char *text)
{
    return (struct command_file){.path = "/etc/default/u", .text = bytes_of_string(text), .is_environment = true};
}

static void assert_command(const struct command_file *files, size_t count, const char *words)
{
    struct command command;
    struct error error = {.code = STATUS_OK};
    if (!command_read("u@x.service", files, count, arena, &command, &error)) {
        fail_msg("%s", error.message);
    }
    assert_string_equal(shown(&command), words);
}

static void assert_unit(const char *text, const char *words)
{
    struct command_file file = unit_file(text);
    assert_command(&file, 1, words);
}

static void assert_refused(const char *text, const char *message)
{
    struct command_file file = unit_file(text);
    struct command command;
    struct error error = {.code = STATUS_OK};
    assert_false(command_read("u@x.service", &file, 1, arena, &command, &error));
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    assert_string_equal(error.message, message);
}

EACH_TEST(arena_begin, arena_end)

TEST(words_of_a_unit)
{
    assert_unit("[Service]\nExecStart=/bin/k a 'b c' \"d\"e\n", "</bin/k><a><b c><de>");
    assert_unit("[Service]\nExecStart = -/bin/k  a\\sb \\x41\\102 \\q \\;\n", "</bin/k><a b><AB><\\q><;>");
    assert_unit("[Service]\nExecStart=@/bin/k kk a\n", "</bin/k><a>");
    assert_unit("[Service]\nExecStart=/bin/k a ; /bin/l b\n", "</bin/k><a>");
    assert_unit("[Service]\nExecStart=/bin/k 100%% %\n", "</bin/k><100%><%>");
    assert_unit("[Service]\nExecStart=/bin/k ''\n", "</bin/k><>");
}

TEST(specifiers)
{
    assert_unit("[Service]\nExecStart=/bin/k %n %N %p %i %t/a %S %E/b %y\n",
                "</bin/k><u@x.service><u@x><u><x></run/a></var/lib></etc/b></etc/u.service>");
    assert_unit("[Service]\nEnvironment=A=%E/%i B=5%%\nExecStart=/bin/k ${A} $B\n", "</bin/k></etc/x><5%>");
    struct command_file file = unit_file("[Service]\n\nExecStart=/bin/k %m\n");
    struct command command;
    assert_true(command_read("u@x.service", &file, 1, arena, &command, NULL));
    assert_string_equal(shown(&command), "</bin/k><%m>");
    assert_string_equal(command.unclear, "/etc/u.service:3 has the specifier %m");
}

TEST(lines_that_go_on)
{
    assert_unit("[Service]\nExecStart=/bin/k \\\n  a \\\n# a comment\n  b\nType=simple\n", "</bin/k><a><b>");
    assert_unit("[Service]\r\nExecStart=/bin/k a\r\n", "</bin/k><a>");
    assert_unit("[Service]\nExecStart=/bin/k a \\", "</bin/k><a>");
    assert_unit("[Unit]\nExecStart=/bin/no\n[Service]\n# x\n; y\nExecStart=/bin/k\n[Install]\nExecStart=/bin/no\n", "</bin/k>");
}

TEST(what_systemd_would_refuse)
{
    assert_refused("[Service]\nType=simple\n", "/etc/u.service: the unit has no ExecStart=");
    assert_refused("[Service]\nExecStart=/a\nExecStart=/b\n", "/etc/u.service: the unit has more than one ExecStart=");
    assert_refused("[Service]\n\nExecStart=/bin/k 'a\n", "/etc/u.service:3: ExecStart= has an unterminated quote or escape");
    assert_refused("[Service]\nEnvironment=\"A=b\nExecStart=/bin/k\n",
                   "/etc/u.service:2: Environment= has an unterminated quote or escape");
}

TEST(drop_ins)
{
    const struct command_file files[] = {
        unit_file("[Service]\nExecStart=/bin/k\nEnvironment=A=1 B=2\n"),
        unit_file("[Service]\nEnvironment=\"A=3 4\"\nExecStart=\nExecStart=/bin/k $A ${A} $B\n"),
    };
    assert_command(files, 2, "</bin/k><3><4><3 4><2>");
}

TEST(variables)
{
    const struct command_file files[] = {
        unit_file("[Service]\nEnvironment=A=1 'B=x \"y z\"' C=c\nExecStart=/bin/k $A ${B} $B --c=${C}d $NONE ${NONE} $$A $C$C "
                  "$EMPTY \"$B\"\n"),
        environment_file("A=2 3\nEMPTY=\n"),
        environment_file("A=\"--x='p q' r\\ s\"\n"),
    };
    assert_command(files, 3, "</bin/k><--x=p q><r s><x \"y z\"><x><y z><--c=cd><><$A><x><y z>");
}

TEST(variables_can_be_reset_and_left_alone)
{
    assert_unit("[Service]\nEnvironment=A=1\nEnvironment=\nEnvironment=B=2\nExecStart=/bin/k $A $B\n", "</bin/k><2>");
    assert_unit("[Service]\nEnvironment=A=1\nExecStart=:/bin/k $A ${A}\n", "</bin/k><$A><${A}>");
}

TEST(a_missing_environment_file_sets_nothing)
{
    struct command_file files[] = {unit_file("[Service]\nExecStart=/bin/k $A b\n"), environment_file("")};
    files[1].text = bytes_of(NULL, 0);
    assert_command(files, 2, "</bin/k><b>");
}

/* The place of the first word that begins with `begin`, from `skip` on. */
static void assert_place(const struct command_file *files, size_t count, const char *begin, size_t skip, size_t file,
                         const char *variable)
{
    struct command command;
    assert_true(command_read("u@x.service", files, count, arena, &command, NULL));
    for (size_t i = 0; i < command.count; i++) {
        struct traced_text word = command.words[i];
        if (strncmp(word.text, begin, strlen(begin)) != 0) {
            continue;
        }
        struct traced_text value = traced_part(word, skip, word.len - skip);
        assert_true(traced_is_literal(value));
        assert_int_equal(value.from[0].file, file);
        assert_memory_equal(files[file].text.data + value.from[0].offset, value.text, value.len);
        uint16_t number = value.from[0].variable;
        if (variable) {
            assert_true(number >= 1 && number <= command.variable_count);
            assert_string_equal(command.variables[number - 1].name, variable);
        } else {
            assert_int_equal(number, 0);
        }
        return;
    }
    fail_msg("no word begins with %s", begin);
}

TEST(places)
{
    const struct command_file files[] = {
        unit_file("[Service]\nEnvironment=\"A=--aa=1 --bb=2\"\nEnvironment=C=/c\n"
                  "ExecStart=/bin/k --dd=4 \\\n --ee '--ff=6' $A --cc=${C} $E\n"),
        environment_file("# E\nE=\"--gg=7 \\\n --hh=8\"\n"),
    };
    assert_place(files, 2, "--dd=", 5, 0, NULL);
    assert_place(files, 2, "--ff=", 0, 0, NULL);
    assert_place(files, 2, "--bb=", 5, 0, "A");
    assert_place(files, 2, "--cc=", 5, 0, "C");
    assert_place(files, 2, "--gg=", 5, 1, "E");
    assert_place(files, 2, "--hh=", 0, 1, "E");
}

TEST(the_variable_in_force)
{
    const struct command_file files[] = {
        unit_file("[Service]\nEnvironment=A=1 B=1\nExecStart=/bin/k $X $A\n"),
        environment_file("A=2\n"),
    };
    struct command command;
    assert_true(command_read("u@x.service", files, 2, arena, &command, NULL));
    assert_true(command_variable(&command, "A")->of_environment_file);
    assert_int_equal(command_variable(&command, "A")->entry.file, 1);
    assert_false(command_variable(&command, "B")->of_environment_file);
    assert_null(command_variable(&command, "X"));
    assert_int_equal(command.spread_count, 2);
    assert_string_equal(command.spread[0], "X");
    assert_string_equal(command.spread[1], "A");
}
