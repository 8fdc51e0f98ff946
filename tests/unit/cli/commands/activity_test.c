/* `crigate calls` and `crigate top` without a server: what answers look like as text, and on a terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/calls_table.h"
#include "cli/commands/frame.h"
#include "cli/commands/rates.h"
#include "cli/commands/screen.h"
#include "tests/cmocka.h"

static struct json_object *parse(const char *text)
{
    struct json_object *object = json_tokener_parse(text);
    assert_non_null(object);
    return object;
}

/* ---- calls ---- */

static void expect_calls(const char *answer, size_t most, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    struct json_object *object = parse(answer);
    calls_table_print(object, most, out);
    json_object_put(object);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

TEST(without_calls_a_line_says_so)
{
    expect_calls("{\"calls\": [], \"total\": 0}", 5, "no call is in progress\n");
    expect_calls("{}", 5, "no call is in progress\n");
    expect_calls("{\"calls\": 7}", 5, "no call is in progress\n");
}

TEST(a_call_is_a_line_with_the_runtimes_that_it_waits_for)
{
    expect_calls("{\"total\": 2, \"calls\": ["
                 "{\"id\": 81, \"method\": \"ListImages\", \"state\": \"asking\", \"ageMilliseconds\": 41000, \"runtimes\": "
                 "[\"a\", \"b\"],"
                 " \"waitsFor\": [\"b\"], \"pid\": 812, \"uid\": 0, \"program\": \"kubelet\"},"
                 "{\"id\": 9, \"method\": \"StopContainer\", \"state\": \"replying\", \"ageMilliseconds\": 5, \"runtimes\": "
                 "[\"a\", \"b\"],"
                 " \"waitsFor\": [], \"pod\": \"p\", \"container\": \"c\", \"callerGone\": true}]}",
                 SIZE_MAX,
                 "ID   METHOD          STATE      AGE   RUNTIME   PID   UID   PROGRAM   FOR\n"
                 "81   ListImages      asking     41s   b         812     0   kubelet   -\n"
                 " 9   StopContainer   replying    0s   a,b         -     -   -         container c\n");
}

#define ID_OF_64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

TEST(long_ids_are_cut_and_nothing_else_is)
{
    expect_calls("{\"total\": 4, \"calls\": [{\"id\": 1, \"container\": \"" ID_OF_64 "\"},"
                 "{\"id\": 2, \"pod\": \"vm.local__" ID_OF_64 "\"},"
                 "{\"id\": 3, \"podUid\": \"b7a2ed5e-0cf6-4f6f-a4f1-d5c2a0f6a001\"},"
                 "{\"id\": 4, \"container\": \"0123456789abcdef0123456789abcdef\"}]}",
                 SIZE_MAX,
                 "ID   METHOD   STATE   AGE   RUNTIME   PID   UID   PROGRAM   FOR\n"
                 " 1   -        -         -   -           -     -   -         container 0123456789ab\n"
                 " 2   -        -         -   -           -     -   -         pod vm.local__0123456789ab\n"
                 " 3   -        -         -   -           -     -   -         pod uid b7a2ed5e-0cf6-4f6f-a4f1-d5c2a0f6a001\n"
                 " 4   -        -         -   -           -     -   -         container 0123456789abcdef0123456789abcdef\n");
}

TEST(calls_beyond_the_room_are_counted)
{
    expect_calls("{\"total\": 1203, \"calls\": [{\"id\": 1, \"method\": \"A\"}, {\"id\": 2, \"method\": \"B\"}]}", 1,
                 "ID   METHOD   STATE   AGE   RUNTIME   PID   UID   PROGRAM   FOR\n"
                 " 1   A        -         -   -           -     -   -         -\n"
                 "and 1202 more that started later\n");
}

TEST(text_of_callers_cannot_control_the_terminal)
{
    expect_calls("{\"total\": 1, \"calls\": [{\"id\": 1, \"method\": \"A\\u001b[31m\", \"image\": \"x\\ny\"}]}", 1,
                 "ID   METHOD   STATE   AGE   RUNTIME   PID   UID   PROGRAM   FOR\n"
                 " 1   A?[31m   -         -   -           -     -   -         image x?y\n");
}

/* ---- rates ---- */

#define RUNTIME(answered, time) "{\"name\": \"a\", \"answered\": " #answered ", \"answeredMicroseconds\": " #time "}"
#define STATUS(pid, arrived, runtime) "{\"pid\": " #pid ", \"callsArrived\": " #arrived ", \"runtimes\": [" runtime "]}"

static struct rate rate_between(const char *before, const char *now, bool of_runtime)
{
    struct json_object *first = before ? parse(before) : NULL, *last = parse(now), *runtimes = NULL;
    json_object_object_get_ex(last, "runtimes", &runtimes);
    struct rate rate =
        of_runtime ? rate_of_runtime(first, last, json_object_array_get_idx(runtimes, 0), 2000) : rate_of_all(first, last, 2000);
    json_object_put(first);
    json_object_put(last);
    return rate;
}

TEST(rates_are_what_came_in_the_time_between)
{
    struct rate all = rate_between(STATUS(7, 100, RUNTIME(1, 1)), STATUS(7, 125, RUNTIME(1, 1)), false);
    assert_int_equal(all.calls_a_second, 125);
    struct rate of = rate_between(STATUS(7, 100, RUNTIME(10, 5000)), STATUS(7, 125, RUNTIME(14, 13000)), true);
    assert_int_equal(of.calls_a_second, 20);
    assert_int_equal(of.mean, 2000);
    of = rate_between(STATUS(7, 100, RUNTIME(10, 5000)), STATUS(7, 125, RUNTIME(10, 5000)), true);
    assert_int_equal(of.calls_a_second, 0);
    assert_int_equal(of.mean, 0);
}

TEST(without_an_earlier_answer_of_the_same_process_no_rate_is_known)
{
    static const char *const now = STATUS(7, 125, RUNTIME(14, 13000));
    static const char *const others[] = {NULL, STATUS(8, 100, RUNTIME(10, 5000)), "{\"pid\": 7, \"runtimes\": 3}",
                                         STATUS(7, 126, RUNTIME(15, 5000))};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(rate_between(others[i], now, false).calls_a_second, -1);
        assert_int_equal(rate_between(others[i], now, true).calls_a_second, -1);
        assert_int_equal(rate_between(others[i], now, true).mean, 0);
    }
}

TEST(a_frame_has_the_process_its_runtimes_and_the_calls)
{
    struct json_object *before = parse(STATUS(7, 100, RUNTIME(10, 5000)));
    struct json_object *now =
        parse("{\"pid\": 7, \"version\": \"1\\u001b[2J\", \"calls\": 3, \"callsArrived\": 107, \"runtimes\": ["
              "{\"name\": \"a\", \"role\": \"primary\", \"state\": \"ready\", \"calls\": 2, \"pods\": 4,"
              " \"answered\": 13, \"answeredMicroseconds\": 8600, \"oldestCallMilliseconds\": 7000}, 5]}");
    struct json_object *calls = parse("{\"calls\": [], \"total\": 0}");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    frame_print(&(struct frame){.before = before, .now = now, .calls = calls, .milliseconds = 1000, .most_calls = 5}, out);
    fclose(out);
    assert_string_equal(text, "crigate 1?[2J, pid 7   calls a second: 7.0   in flight: 3\n\n"
                              "NAME   ROLE      STATE   SINCE   CALLS/S    MEAN   IN FLIGHT   OLDEST   PODS   LISTS   NOTE\n"
                              "a      primary   ready       -       3.0   1.2ms           2       7s      4       -   -\n"
                              "-      -         -           -         -       -           -        -      -       -   -\n\n"
                              "no call is in progress\n");
    free(text);
    json_object_put(before);
    json_object_put(now);
    json_object_put(calls);
}

/* ---- the terminal ---- */

static void expect_screen(const char *text, int rows, int columns, const char *expected)
{
    char *drawn = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&drawn, &size);
    assert_non_null(out);
    screen_write(text, rows, columns, out);
    fclose(out);
    assert_string_equal(drawn, expected);
    free(drawn);
}

TEST(what_does_not_fit_on_the_terminal_is_cut)
{
    expect_screen("one\ntwo\n", 5, 10, "\033[Hone\033[K\r\ntwo\033[K\033[J");
    expect_screen("one\ntwo\nthree\n", 2, 2, "\033[Hon\033[K\r\ntw\033[K\033[J");
    expect_screen("\n\nx", 5, 10, "\033[H\033[K\r\n\033[K\r\nx\033[K\033[J");
    expect_screen("", 5, 10, "\033[H\033[J");
    expect_screen("\xc3\xa4\xc3\xb6\xc3\xbc", 1, 2, "\033[H\xc3\xa4\xc3\xb6\033[K\033[J");
}

TEST(controls_and_broken_characters_do_not_reach_the_terminal)
{
    expect_screen("a\033[2Jb\rc\x7f", 1, 20, "\033[Ha?[2Jb?c?\033[K\033[J");
    expect_screen("\xc2\x9b"
                  "2J\xff\xc3",
                  1, 20, "\033[H?2J??\033[K\033[J");
}
