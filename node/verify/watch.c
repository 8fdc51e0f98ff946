#include "node/verify/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json/build.h"
#include "base/options/output.h"
#include "base/system/interrupt.h"
#include "node/verify/report.h"

#define DEFAULT_AGE 120000
#define BETWEEN_LOOKS 1000

enum { REPORT = 256, READY, AGE };

struct options {
    const char *path;
    bool ready;
    unsigned age; /* milliseconds */
};

static const struct option_row rows[] = {
    {REPORT, "report", "FILE", "the report (default " VERIFY_REPORT_PATH ")", COMPLETE_FILE, NULL,
     OPTION_TEXT(struct options, path)},
    {READY, "ready", NULL, "only report whether the last report is good and recent, and if not, why; the exit status says which",
     COMPLETE_NOTHING, NULL, OPTION_FLAG(struct options, ready)},
    {AGE, "max-age", "TIME", "how old a report may be, such as 90s or 2m (2m)", COMPLETE_NOTHING, NULL,
     OPTION_TIME(struct options, age)},
    {OPTION_ROW_HELP},
};

const struct command_line watch_command_line = {
    .command = "watch",
    .synopsis = "crigate watch [--report FILE] [--max-age TIME]\n"
                "crigate watch --ready [--report FILE] [--max-age TIME]",
    .about = "Prints what crigate verify has reported to a file on this node, and then each change, until it gets SIGTERM. For "
             "a\ncontainer that can only read that file of its node, and for its readiness probe.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = "Exit status: 0 ended by a signal; as a probe: the report is good and recent, 1 as a probe: it is not, 64 wrong\n"
             "arguments.",
};

/* ---- the report ---- */

/* The check of that name, or NULL. */
static struct json_object *find_check(struct json_object *checks, const char *name)
{
    for (size_t i = 0; i < (checks ? json_count(checks) : 0); i++) {
        struct json_object *check = json_object_array_get_idx(checks, i);
        if (strcmp(command_text_member(check, "name"), name) == 0) {
            return check;
        }
    }
    return NULL;
}

static void print_member(struct json_object *check, const char *before, const char *name)
{
    const char *text = command_text_member(check, name);
    if (*text) {
        fputs(before, stdout);
        command_print_text(text, stdout);
    }
}

/* Prints the checks whose state has changed. What they say besides may change all the time. */
static void print_changes(struct json_object *before, struct json_object *checks)
{
    for (size_t i = 0; i < json_count(checks); i++) {
        struct json_object *check = json_object_array_get_idx(checks, i);
        struct json_object *old = find_check(before, command_text_member(check, "name"));
        if (old && strcmp(command_text_member(old, "state"), command_text_member(check, "state")) == 0) {
            continue;
        }
        print_member(check, "", "state");
        print_member(check, "  ", "name");
        print_member(check, ": ", "detail");
        print_member(check, "; next: ", "next");
        putchar('\n');
    }
}

/* ---- watching ---- */

enum sight {
    NEVER_LOOKED,
    UNREADABLE,
    OLD,
    BAD,
    GOOD,
};

/* What was seen last. */
struct seen {
    enum sight sight;
    struct json_object *checks; /* NULL: none yet */
};

static enum sight look(const struct options *options, struct verify_report *report, struct error *error)
{
    *report = (struct verify_report){0};
    if (!verify_report_read(options->path, report, error)) {
        return UNREADABLE;
    }
    return report->age > options->age ? OLD : report->ok ? GOOD : BAD;
}

static void print_sight(enum sight sight, const struct options *options, const struct error *error, FILE *out)
{
    switch (sight) {
    case GOOD:
        fputs("ready: crigate verify reports no problems on this node\n", out);
        break;
    case BAD:
        fputs("not ready: crigate verify reports problems on this node\n", out);
        break;
    case OLD:
        fprintf(out, "not ready: the last report of crigate verify is older than %u s; is crigate-verify.timer active?\n",
                options->age / 1000);
        break;
    default:
        fputs("not ready: ", out);
        command_print_text(error->message, out);
        putc('\n', out);
    }
}

static void print_news(const struct options *options, struct seen *seen)
{
    struct error error = {0};
    struct verify_report report;
    enum sight sight = look(options, &report, &error);
    if (report.checks && sight != OLD) {
        print_changes(seen->checks, report.checks);
        json_object_put(seen->checks);
        seen->checks = json_object_get(report.checks);
    }
    if (sight != seen->sight) {
        print_sight(sight, options, &error, stdout);
    }
    fflush(stdout);
    seen->sight = sight;
    json_object_put(report.checks);
}

static int watch(const struct options *options)
{
    struct seen seen = {0};
    interrupts_catch();
    do {
        print_news(options, &seen);
    } while (interrupt_sleep(BETWEEN_LOOKS));
    json_object_put(seen.checks);
    return EXIT_SUCCESS;
}

static int is_ready(const struct options *options)
{
    struct error error = {0};
    struct verify_report report;
    enum sight sight = look(options, &report, &error);
    if (sight == BAD) {
        print_changes(NULL, report.checks);
    }
    json_object_put(report.checks);
    print_sight(sight, options, &error, stdout);
    return sight == GOOD ? EXIT_SUCCESS : EXIT_FAILURE;
}

int watch_command(int argc, char **argv)
{
    struct options options = {.path = VERIFY_REPORT_PATH, .age = DEFAULT_AGE};
    int status = options_read(&watch_command_line, &options, argc, argv, 0);
    if (status >= 0) {
        return status;
    }
    return options.ready ? is_ready(&options) : watch(&options);
}
