#include "cli/commands/top.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/options/output.h"
#include "base/options/values.h"
#include "base/system/clock.h"
#include "cli/commands/control_query.h"
#include "cli/commands/frame.h"
#include "cli/commands/screen.h"
#include "core/control/client.h"
#include "core/control/crigate_status.h"

#define PERIOD_MS 1000
#define MOST_TIMES 1000000
/* Lines of a frame beside those of runtimes and calls: headings, empty ones, "and more". */
#define OTHER_LINES 6

struct top {
    struct control_query query;
    const char *wanted; /* `times` as it was given; NULL: not at all */
    int times;          /* 0: no end */
    struct screen screen;
    struct json_object *before; /* the previous status; NULL: none */
    int64_t asked;              /* clock_ns() then */
};

static const struct option_row rows[] = {
    {CONTROL_QUERY_CONFIG},
    {CONTROL_QUERY_CONTROL},
    {OPTION_ROW_HELP},
    {'n', "times", "N", "end after N times (default: run until q, Ctrl-C or a signal)", COMPLETE_NOTHING, NULL,
     OPTION_TEXT(struct top, wanted)},
};

const struct command_line top_command_line = {
    .command = "top",
    .synopsis = "crigate top [-n N] [--config FILE | --control PATH]",
    .about =
        "Shows the runtimes of the running crigate and the calls in progress, once a second: how many calls each runtime\nended "
        "in the last second, how long these took on average, how many are in flight, and the age of the oldest.\n"
        "The calls are those of crigate calls, oldest first. q or Ctrl-C ends it. If standard input or output is not\na "
        "terminal, prints one snapshot after another.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = "Exit status: 0 ended by N, q, Ctrl-C or a signal; 2 crigate did not answer at the start; 64 wrong arguments.",
};

/* How many calls fit below the runtimes. */
static size_t room_for_calls(const struct top *top, struct json_object *status)
{
    int height, width;
    if (!top->screen.on) {
        return SIZE_MAX;
    }
    screen_size(&height, &width);
    struct json_object *peers = crigate_status_peers(status);
    size_t used = OTHER_LINES + json_count(peers);
    json_object_put(peers);
    return (size_t)height > used ? (size_t)height - used : 1;
}

static void print(struct top *top, struct json_object *status, struct json_object *calls, FILE *out)
{
    int64_t now = clock_ns();
    control_query_name_programs(&top->query, calls, "calls");
    const struct frame frame = {.before = top->before,
                                .now = status,
                                .calls = calls,
                                .milliseconds = (now - top->asked) / NANOSECONDS_A_MILLISECOND,
                                .most_calls = room_for_calls(top, status)};
    frame_print(&frame, out);
    if (!top->before || frame.milliseconds >= PERIOD_MS / 2) { /* a rate over a shorter time is not meaningful */
        json_object_put(top->before);
        top->before = json_object_get(status);
        top->asked = now;
    }
}

/* The running process may be unavailable for a while: it is asked again. */
static void draw(struct top *top, struct json_object *status, bool more)
{
    struct error error = {0};
    char *text = NULL;
    size_t size = 0;
    struct json_object *calls = status ? control_query_try(&top->query, CONTROL_CALLS, &error) : NULL;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        if (calls) {
            print(top, status, calls, out);
        } else {
            fputs(status ? error.message : "crigate does not answer; trying again every second", out);
            putc('\n', out);
        }
        if (more && !top->screen.on) {
            putc('\n', out);
        }
        fclose(out);
        screen_draw(&top->screen, text);
        free(text);
    }
    json_object_put(calls);
}

static void run(struct top *top, struct json_object *status)
{
    struct error error;
    int drawn = 0;
    for (;;) {
        bool more = top->times == 0 || ++drawn < top->times;
        draw(top, status, more);
        json_object_put(status);
        if (!more || screen_wait(&top->screen, PERIOD_MS) == SCREEN_QUIT) {
            return;
        }
        status = control_query_try(&top->query, CONTROL_STATUS, &error);
    }
}

int top_command(int argc, char **argv)
{
    struct top top = {.query = {.line = &top_command_line}};
    int result = control_query_read(&top.query, argc, argv);
    if (result >= 0) {
        return result;
    }
    if (top.wanted && !option_number(top.wanted, 1, MOST_TIMES, &top.times)) {
        return command_usage_error("top", "the number of times must be from 1 to %d: %s", MOST_TIMES, top.wanted);
    }
    struct error error;
    struct json_object *status = control_query_ask(&top.query, CONTROL_STATUS, &error);
    if (!status) {
        return control_query_status(&error, HEALTH_DOWN);
    }
    screen_begin(&top.screen);
    run(&top, status);
    screen_end(&top.screen);
    json_object_put(top.before);
    return EXIT_SUCCESS;
}
