#include "verify.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json/build.h"
#include "base/options/output.h"
#include "base/system/interrupt.h"
#include "node/verify/checks.h"
#include "node/verify/report.h"

enum {
    VERIFIED = 0,
    NOT_AS_IT_SHOULD_BE = 1,
    NOT_CHECKED = 2,
};

#define MEMORY ((size_t)256 << 20)

enum { KUBELET = 256, WAIT, REPORT };

struct options {
    struct look_wish wish;
    enum command_output output;
    const char *report; /* NULL: print it */
};

static const struct option_row rows[] = {
    {OPTION_ROW_OUTPUT(struct options, output)},
    {'c', "config", "FILE", "the runtime map (default " RUNTIME_MAP_DEFAULT_PATH ")", COMPLETE_FILE, NULL,
     OPTION_TEXT(struct options, wish.config)},
    {KUBELET, "kubelet", "PID", "the kubelet's process, if there are several", COMPLETE_NOTHING, NULL,
     OPTION_PID(struct options, wish.kubelet)},
    {WAIT, "wait", "TIME", "how long to wait until all is well, such as 30s or 2m (0s)", COMPLETE_NOTHING, NULL,
     OPTION_TIME_OR_NONE(struct options, wish.wait)},
    {REPORT, "report", "FILE", "write the result there, as JSON that all may read, instead of printing it; for crigate watch",
     COMPLETE_FILE, NULL, OPTION_TEXT(struct options, report)},
    {OPTION_ROW_HELP},
};

const struct command_line verify_command_line = {
    .command = "verify",
    .synopsis = "crigate verify [-o text|json] [--config FILE] [--kubelet PID] [--wait TIME] [--report FILE]",
    .about = "Checks crigate on this node: its unit, process, runtime map and runtimes, what their lists contain with and "
             "without\ncrigate, and whether the kubelet is healthy, its files lead to crigate, and its calls arrive. Prints a "
             "line for each\ncheck, with what to do next. Changes nothing. Needs root.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = "Exit status: 0 no problems, 1 problems, or a bypass is on, 2 crigate cannot be checked, or\nis not in use on this "
             "node, 64 wrong arguments.",
};

/* ---- the checks ---- */

static void check_all(const struct look *look, struct findings *findings)
{
    check_bypass(look, findings);
    check_unit(look, findings);
    check_docker_unit(look, findings);
    check_process(look, findings);
    check_refusals(look, findings);
    check_map(look, findings);
    check_runtimes(look, findings);
    check_plugins(look, findings);
    check_lists_equal(look, findings);
    check_kubelet(look, findings);
    check_endpoint(look, findings);
    check_files(look, findings);
    check_calls(look, findings);
}

/* Replaces the file by the result. */
static bool report(const struct findings *findings, const char *path)
{
    struct error error;
    struct json_object *object = findings_json(findings);
    json_add(object, "version", json_object_new_string(CRIGATE_VERSION));
    bool written = verify_report_write(path, object, &error);
    json_object_put(object);
    if (!written) {
        fprintf(stderr, "crigate verify: %s\n", error.message);
    }
    return written;
}

static int print(const struct findings *findings, const struct options *options)
{
    bool printed;
    if (options->report) {
        return !report(findings, options->report) ? NOT_CHECKED : findings_are_good(findings) ? VERIFIED : NOT_AS_IT_SHOULD_BE;
    }
    if (options->output == COMMAND_OUTPUT_JSON) {
        struct json_object *object = findings_json(findings);
        printed = command_print_json(object, false);
        json_object_put(object);
    } else {
        findings_print(findings, stdout);
        printed = command_is_printed();
    }
    if (!printed) {
        fprintf(stderr, "crigate verify: standard output: %s\n", strerror(errno));
        return NOT_CHECKED;
    }
    return findings_are_good(findings) ? VERIFIED : NOT_AS_IT_SHOULD_BE;
}

static int no_memory(void)
{
    fputs("crigate verify: out of memory\n", stderr);
    return NOT_CHECKED;
}

static int verify(const struct options *options, struct arena *arena)
{
    struct look *look = arena_zalloc(arena, sizeof *look);
    struct findings *findings = arena_zalloc(arena, sizeof *findings);
    int status = NOT_CHECKED;
    if (!look || !findings) {
        return no_memory();
    }
    findings->arena = arena;
    look_take(&options->wish, arena, look);
    if (!look_finds_use(look)) {
        const char *unused = look_finds_nothing(look) ? "crigate is not installed on this node, and so not in use"
                                                      : "crigate is not in use on this node";
        fprintf(stderr, "crigate verify: %s; to install it: crigate install\n", unused);
        findings_add(findings, "installed", CHECK_WRONG, unused, "crigate install");
        if (options->report) {
            report(findings, options->report);
        } else if (options->output == COMMAND_OUTPUT_JSON) {
            print(findings, options);
        }
    } else {
        check_all(look, findings);
        status = print(findings, options);
    }
    look_release(look);
    return status;
}

int verify_command(int argc, char **argv)
{
    struct options options = {.wish.config = RUNTIME_MAP_DEFAULT_PATH};
    int status = options_read(&verify_command_line, &options, argc, argv, 0);
    if (status >= 0) {
        return status;
    }
    if (geteuid() != 0) {
        fputs("crigate verify: only root can check this\n", stderr);
        return NOT_CHECKED;
    }
    interrupts_catch();
    struct arena *arena = arena_new(MEMORY);
    status = arena ? verify(&options, arena) : no_memory();
    arena_unref(arena);
    return status;
}
