/* Tables of options: how a command line is read, what is printed about a mistake in it, and --help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/options/options.h"
#include "base/options/values.h"
#include "base/system/nearest.h"
#include "tests/cmocka.h"

#define MOST_ARGUMENTS 8

enum { REPLACE_MAP = 256, RUNTIME, HIDDEN };

struct values {
    bool replace_map, hidden;
    const char *config;
    const char *socket;
    unsigned format;
    int count;
    pid_t pid;
    unsigned wait, timeout;
};

static const struct option_row rows[] = {
    {'c', "config", "FILE", "the runtime map", COMPLETE_FILE, NULL, OPTION_TEXT(struct values, config)},
    {RUNTIME, "runtime", "NAME=SOCKET", "a runtime; may be repeated", COMPLETE_NOTHING, NULL, OPTION_OWN},
    {REPLACE_MAP, "replace-map", NULL,
     "write the runtime map anew, even if it is one of yours: this text is longer than a line and has to be broken\nby force",
     COMPLETE_NOTHING, NULL, OPTION_FLAG(struct values, replace_map)},
    {HIDDEN, "rehearse", NULL, NULL, COMPLETE_NOTHING, NULL, OPTION_FLAG(struct values, hidden)},
    {OPTION_ROW_HELP},
};

/* A row of each kind that takes a value. */
static const struct option_row kinds[] = {
    {'f', "format", "FORMAT", "text or json", COMPLETE_WORDS, "text json", OPTION_WORD(struct values, format, "no format")},
    {'n', "count", "N", "how many", COMPLETE_NOTHING, NULL, OPTION_NUMBER(struct values, count, 2, 30, "no count")},
    {'p', "pid", "PID", "a process", COMPLETE_NOTHING, NULL, OPTION_PID(struct values, pid)},
    {'w', "wait", "TIME", "how long", COMPLETE_NOTHING, NULL, OPTION_TIME_OR_NONE(struct values, wait)},
    {'t', "timeout", "TIME", "how long", COMPLETE_NOTHING, NULL, OPTION_TIME(struct values, timeout)},
    {'s', "socket", "SOCKET", "where", COMPLETE_FILE, NULL, OPTION_SOCKET(struct values, socket)},
};

static const struct command_line kinds_line = {
    .command = "kinds", .synopsis = "crigate kinds", .rows = kinds, .row_count = sizeof kinds / sizeof kinds[0]};

static const struct command_line line = {
    .command = "install",
    .synopsis = "crigate install [OPTION]...\ncrigate install --replace-map",
    .about = "Puts crigate\ninto place.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = "Exit status: 0 well.",
};

/* A command line, and what comes of it. */
struct reading {
    struct options_reader reader;
    struct values values;
    char *argv[MOST_ARGUMENTS + 2];
    const char *value;
    char printed[512]; /* on standard error, by the last `next` */
};

#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void begin(struct reading *reading, const struct command_line *of, const char *const *arguments)
{
    int argc = 1;
    *reading = (struct reading){0};
    reading->argv[0] = (char *)"install";
    for (; *arguments; arguments++) {
        assert_true(argc <= MOST_ARGUMENTS);
        reading->argv[argc++] = (char *)*arguments;
    }
    options_begin(&reading->reader, of, &reading->values, argc, reading->argv);
}

static int next(struct reading *reading)
{
    FILE *file = tmpfile();
    int terminal = dup(STDERR_FILENO);
    assert_non_null(file);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    int key = options_next(&reading->reader, &reading->value);
    fflush(stderr);
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    rewind(file);
    reading->printed[fread(reading->printed, 1, sizeof reading->printed - 1, file)] = '\0';
    fclose(file);
    return key;
}

static void is_wrong_for(const struct command_line *of, const char *text, const char *const *arguments)
{
    struct reading reading;
    begin(&reading, of, arguments);
    assert_int_equal(next(&reading), OPTIONS_END);
    assert_int_equal(reading.reader.status, EX_USAGE);
    assert_string_equal(reading.printed, text);
}

static void is_wrong(const char *text, const char *const *arguments)
{
    is_wrong_for(&line, text, arguments);
}

/* ---- reading ---- */

TEST(options_and_operands_may_be_mixed)
{
    struct reading reading;
    begin(&reading, &line, ARGUMENTS("one", "-c", "map", "--runtime=a=b", "two", "-cother", "--", "--help"));
    assert_int_equal(next(&reading), 'c');
    assert_string_equal(reading.value, "map");
    assert_int_equal(next(&reading), RUNTIME);
    assert_string_equal(reading.value, "a=b");
    assert_int_equal(next(&reading), 'c');
    assert_string_equal(reading.value, "other");
    assert_int_equal(next(&reading), OPTIONS_END);
    assert_int_equal(reading.reader.status, -1);
    assert_null(reading.value);
    assert_string_equal(reading.values.config, "other");
    assert_string_equal(reading.argv[optind], "one");
    assert_string_equal(reading.argv[optind + 1], "two");
    assert_string_equal(reading.argv[optind + 2], "--help");
    assert_string_equal(reading.printed, "");
}

TEST(a_second_command_line_is_read_from_its_beginning)
{
    static const struct option_row two[] = {
        {'a', "all", NULL, "all", COMPLETE_NOTHING, NULL, OPTION_OWN},
        {'c', "config", "FILE", "the runtime map", COMPLETE_FILE, NULL, OPTION_OWN},
    };
    static const struct command_line own = {.synopsis = "crigate", .rows = two, .row_count = 2};
    struct reading reading;
    begin(&reading, &own, ARGUMENTS("-ac", "map"));
    assert_int_equal(next(&reading), 'a');
    begin(&reading, &own, ARGUMENTS("--all"));
    assert_int_equal(next(&reading), 'a');
    assert_null(reading.value);
    assert_int_equal(next(&reading), OPTIONS_END);
}

TEST(names_may_be_shortened_as_far_as_they_are_clear)
{
    struct reading reading;
    begin(&reading, &line, ARGUMENTS("--conf=x", "--rep"));
    assert_int_equal(next(&reading), 'c');
    assert_false(reading.values.replace_map);
    assert_int_equal(next(&reading), REPLACE_MAP);
    assert_true(reading.values.replace_map);
    assert_string_equal(reading.printed, "");
}

TEST(an_option_that_is_not_shown_is_taken)
{
    struct reading reading;
    begin(&reading, &line, ARGUMENTS("--rehearse"));
    assert_int_equal(next(&reading), HIDDEN);
}

TEST(values_get_where_their_rows_say)
{
    struct reading reading;
    begin(&reading, &kinds_line, ARGUMENTS("-fjson", "-n30", "-p1", "-w0s", "-t2s", "--socket=unix:///a", "-n2"));
    while (next(&reading) != OPTIONS_END) {
    }
    assert_int_equal(reading.reader.status, -1);
    assert_int_equal(reading.values.format, 1);
    assert_int_equal(reading.values.count, 2);
    assert_int_equal(reading.values.pid, 1);
    assert_int_equal(reading.values.wait, 0);
    assert_int_equal(reading.values.timeout, 2000);
    assert_string_equal(reading.values.socket, "/a");
}

TEST(all_options_are_read_at_once)
{
    struct values values = {0};
    char *argv[] = {(char *)"kinds", (char *)"-n5", (char *)"one", (char *)"-ftext", (char *)"two", NULL};
    assert_int_equal(options_read(&kinds_line, &values, 5, argv, 2), -1);
    assert_int_equal(values.count, 5);
    assert_string_equal(argv[optind], "one");
    assert_int_equal(options_read(&kinds_line, &values, 5, argv, 1), EX_USAGE);
}

/* ---- mistakes ---- */

TEST(values_of_another_kind_are_reported)
{
    static const char *const numbers[] = {"", "1", "31", "+3", " 3", "3 ", "x", "-3", "99999999999999999999"};
    static const char *const sockets[] = {"", "a", "/a/", "unix://a", "tcp:///a"};
    char text[128];
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        snprintf(text, sizeof text, "crigate kinds: no count: %s; see crigate kinds --help\n", numbers[i]);
        is_wrong_for(&kinds_line, text, ARGUMENTS("--count", numbers[i]));
    }
    for (size_t i = 0; i < sizeof sockets / sizeof sockets[0]; i++) {
        snprintf(text, sizeof text,
                 "crigate kinds: a socket must be unix:///PATH, with at most 107 characters in PATH: %s; see crigate "
                 "kinds --help\n",
                 sockets[i]);
        is_wrong_for(&kinds_line, text, ARGUMENTS("-s", sockets[i]));
    }
    is_wrong_for(&kinds_line, "crigate kinds: no format: te; see crigate kinds --help\n", ARGUMENTS("-f", "te"));
    is_wrong_for(&kinds_line, "crigate kinds: no format: text json; see crigate kinds --help\n", ARGUMENTS("-f", "text json"));
    is_wrong_for(&kinds_line, "crigate kinds: no format: ; see crigate kinds --help\n", ARGUMENTS("-f", ""));
    is_wrong_for(&kinds_line, "crigate kinds: the kubelet must be given by its process ID: 0; see crigate kinds --help\n",
                 ARGUMENTS("-p", "0"));
    is_wrong_for(
        &kinds_line,
        "crigate kinds: a time must be a number above 0 followed by s or m, at most an hour: 0s; see crigate kinds --help\n",
        ARGUMENTS("-t", "0s"));
    is_wrong_for(&kinds_line,
                 "crigate kinds: a time must be a number followed by s or m, at most an hour: 61m; see crigate kinds --help\n",
                 ARGUMENTS("-w", "61m"));
}

TEST(unknown_options_are_reported_with_what_was_meant)
{
    is_wrong("crigate install: unknown option --replaec-map; did you mean --replace-map? See crigate install --help\n",
             ARGUMENTS("--replaec-map"));
    is_wrong("crigate install: unknown option --confgi; did you mean --config? See crigate install --help\n",
             ARGUMENTS("--confgi=value"));
    is_wrong("crigate install: unknown option --nonsense; see crigate install --help\n", ARGUMENTS("--nonsense"));
    is_wrong("crigate install: unknown option -x; see crigate install --help\n", ARGUMENTS("-x"));
    is_wrong("crigate install: unknown option -x; see crigate install --help\n", ARGUMENTS("-xh"));
}

TEST(an_option_that_is_not_shown_is_not_proposed)
{
    is_wrong("crigate install: unknown option --rehaerse; see crigate install --help\n", ARGUMENTS("--rehaerse"));
}

TEST(what_may_mean_several_is_reported_with_all_of_them)
{
    static const struct option_row three[] = {
        {256, "list", NULL, "list", COMPLETE_NOTHING, NULL, OPTION_OWN},
        {257, "limit", "N", "limit", COMPLETE_NOTHING, NULL, OPTION_OWN},
        {258, "like", "X", "like", COMPLETE_NOTHING, NULL, OPTION_OWN},
    };
    static const struct command_line itself = {.synopsis = "crigate", .rows = three, .row_count = 3};
    struct reading reading;
    begin(&reading, &itself, ARGUMENTS("--li"));
    assert_int_equal(next(&reading), OPTIONS_END);
    assert_int_equal(reading.reader.status, EX_USAGE);
    assert_string_equal(reading.printed, "crigate: --li is ambiguous: --list, --limit or --like; see crigate --help\n");
}

TEST(missing_and_needless_values_are_reported)
{
    is_wrong("crigate install: --runtime needs a value: NAME=SOCKET; see crigate install --help\n", ARGUMENTS("--runtime"));
    is_wrong("crigate install: -c needs a value: FILE; see crigate install --help\n", ARGUMENTS("-c"));
    is_wrong("crigate install: --config needs a value: FILE; see crigate install --help\n", ARGUMENTS("--conf"));
    is_wrong("crigate install: --help takes no value; see crigate install --help\n", ARGUMENTS("--help=yes"));
    is_wrong("crigate install: --replace-map takes no value; see crigate install --help\n", ARGUMENTS("--replace-map=yes"));
}

/* ---- what was meant ---- */

static const char *meant(const char *typed)
{
    static const char *const names[] = {"call", "status", "version", "preflight", "verify", "completion"};
    return options_did_you_mean(typed, names, sizeof names / sizeof names[0]);
}

TEST(the_nearest_name_is_found)
{
    assert_string_equal(meant("statsu"), "status");
    assert_string_equal(meant("cal"), "call");
    assert_string_equal(meant("verfy"), "verify");
    assert_string_equal(meant("pre"), "preflight");
    assert_null(meant("nonsense"));
    assert_null(meant(""));
    assert_null(meant("xy"));
}

TEST(what_begins_several_names_means_none_of_them)
{
    static const char *const names[] = {"uninstall-all", "uninstall-one"};
    assert_null(options_did_you_mean("uni", names, 2));
}

TEST(names_of_any_length_are_compared)
{
    char name[4096];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_null(meant(name));
    struct nearest nearest = nearest_begin("call");
    nearest_add(&nearest, name);
    assert_null(nearest.name);
}

/* ---- --help ---- */

static void help_is(const char *expected, const struct command_line *of)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    options_print_help(of, out);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

TEST(help_has_all_that_is_shown)
{
    help_is(
        "Usage: crigate install [OPTION]...\n"
        "       crigate install --replace-map\n"
        "\n"
        "Puts crigate\n"
        "into place.\n"
        "\n"
        "  -c, --config FILE          the runtime map\n"
        "      --runtime NAME=SOCKET  a runtime; may be repeated\n"
        "      --replace-map          write the runtime map anew, even if it is one of yours: this text is longer than a line\n"
        "                             and has to be broken\n"
        "                             by force\n"
        "  -h, --help                 print this and exit\n"
        "\n"
        "Exit status: 0 well.\n",
        &line);
}

TEST(help_of_options_in_the_style_of_go)
{
    static const struct option_row go[] = {
        {256, "connect", "SOCKET[,NAME:SOCKET]...", "the runtimes", COMPLETE_NOTHING, NULL, OPTION_OWN},
        {257, "v", "LEVEL", "how much to log", COMPLETE_NOTHING, NULL, OPTION_OWN},
    };
    static const struct command_line criproxy = {.synopsis = "crigate criproxy", .rows = go, .row_count = 2, .one_dash = true};
    help_is("Usage: crigate criproxy\n"
            "\n"
            "  -connect SOCKET[,NAME:SOCKET]...\n"
            "            the runtimes\n"
            "  -v LEVEL  how much to log\n",
            &criproxy);
}

TEST(help_without_options)
{
    static const struct command_line bare = {.synopsis = "crigate", .about = "Nothing."};
    help_is("Usage: crigate\n\nNothing.\n", &bare);
}

static void assert_time(const char *text, unsigned milliseconds)
{
    unsigned time = 0;
    assert_true(option_time(text, &time));
    assert_int_equal(time, milliseconds);
}

TEST(a_time_is_a_number_of_seconds_or_minutes_up_to_an_hour)
{
    static const char *const others[] = {"",    "s",     "30",  "30ms", "-1s",  "+1s",  " 1s",
                                         "1 s", "3601s", "61m", "1h",   "1.5s", "0x1s", "99999999999999999999s"};
    assert_time("0s", 0);
    assert_time("30s", 30000);
    assert_time("2m", 120000);
    assert_time("3600s", OPTION_TIME_LONGEST);
    assert_time("60m", OPTION_TIME_LONGEST);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        unsigned time = 7;
        assert_false(option_time(others[i], &time));
        assert_int_equal(time, 7);
    }
}

TEST(a_process_is_a_number_above_zero)
{
    static const char *const others[] = {"", "0", "-1", "+1", " 1", "1 ", "1x", "0x10", "2147483648", "99999999999999999999"};
    pid_t pid;
    assert_true(option_pid("4711", &pid));
    assert_int_equal(pid, 4711);
    assert_true(option_pid("2147483647", &pid));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(option_pid(others[i], &pid));
        assert_int_equal(pid, 0);
    }
}
