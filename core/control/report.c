#include "core/control/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/control/protocol.h"
#include "core/loop/worker_request.h"

/* The worker answers at once unless it is stuck. Less than those who ask wait (CONTROL_PATIENCE), so that they learn it. */
#define PATIENCE_MS 4000

/* The part of a reporter, described on the worker. */
struct part_request {
    struct worker_request request;
    const struct control_report *report;
    void *state;
    char argument[CONTROL_LINE_SIZE];
    struct json_object *answer; /* moved, not shared: its reference count is for one thread */
    bool good;
    struct error error;
};

static void run_part(struct worker_request *request)
{
    struct part_request *part = (struct part_request *)(void *)request;
    part->good = part->report->describe(part->state, part->argument, part->answer, &part->error);
}

static void free_part(struct worker_request *request)
{
    struct part_request *part = (struct part_request *)(void *)request;
    json_object_put(part->answer);
    free(part);
}

/* The answer is NULL afterwards if the worker still has it. */
static bool describe_on_worker(const struct control_reporter *reporter, const struct control_report *report, const char *argument,
                               struct json_object **answer, struct error *error)
{
    struct part_request *part = calloc(1, sizeof *part);
    if (!part) {
        return error_out_of_memory(error);
    }
    worker_request_init(&part->request, run_part, free_part);
    part->report = report;
    part->state = reporter->state;
    snprintf(part->argument, sizeof part->argument, "%s", argument);
    part->answer = *answer;
    *answer = NULL;
    bool good = worker_request_send(&part->request, reporter->worker, PATIENCE_MS, error);
    if (good) {
        *answer = part->answer;
        part->answer = NULL;
        good = part->good;
        *error = part->error;
    }
    worker_request_drop(&part->request);
    return good;
}

static const struct control_report *find_report(const struct control_reporter *reporter, const char *name)
{
    for (const struct control_report *report = reporter->reports; report->name; report++) {
        if (strcmp(report->name, name) == 0) {
            return report;
        }
    }
    return NULL;
}

struct json_object *control_report_make(const struct control_reporter *reporters, const char *name, const char *argument,
                                        struct error *error)
{
    struct json_object *answer = NULL;
    bool good = true, found = false;
    for (const struct control_reporter *reporter = reporters; good && reporter->reports; reporter++) {
        const struct control_report *report = find_report(reporter, name);
        if (!report) {
            continue;
        }
        answer = found ? answer : json_object_new_object();
        found = true;
        good = !answer            ? error_out_of_memory(error)
               : reporter->worker ? describe_on_worker(reporter, report, argument, &answer, error)
                                  : report->describe(reporter->state, argument, answer, error);
    }
    if (!found) {
        error_set(error, STATUS_UNIMPLEMENTED, "crigate " CRIGATE_VERSION " does not know this request");
    }
    if (!good) {
        json_object_put(answer);
        return NULL;
    }
    return answer;
}
