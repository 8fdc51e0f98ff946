#include "core/daemon/reload.h"

#include <stdlib.h>
#include <string.h>

#include "base/json/build.h"
#include "base/log/log.h"
#include "core/service/manager.h"

/* An array of the lines. */
static struct json_object *lines_of(char *text)
{
    struct json_object *lines = json_object_new_array();
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        if (*line) {
            json_append(lines, json_object_new_string(line));
        }
    }
    return lines;
}

static enum reload run(const struct reloader *reloader, struct json_object **messages)
{
    char *text = NULL;
    size_t size = 0;
    FILE *report = open_memstream(&text, &size);
    enum reload outcome = report ? reloader->run(reloader->state, report) : RELOAD_PUT_OFF;
    if (report && outcome == RELOAD_PUT_OFF) {
        fprintf(report, "crigate tries this map again every %d s until it can be applied\n", RELOAD_AGAIN_MS / 1000);
    }
    if (report) {
        fclose(report);
    }
    *messages = text ? lines_of(text) : json_object_new_array();
    free(text);
    return outcome;
}

/* Warnings about a map that was read again without a change were logged before. */
static void log_outcome(struct reloader *reloader, enum reload outcome, struct json_object *messages)
{
    if (outcome == RELOAD_DONE) {
        log_notice("the runtime map was reloaded");
        bool known = reloader->warned && json_object_equal(reloader->warned, messages);
        json_object_put(reloader->warned);
        reloader->warned = json_object_get(messages);
        if (known) {
            return;
        }
    } else {
        log_line(LOG_SERIOUS, "the runtime map was not reloaded; the previous one stays in force");
    }
    for (size_t i = 0; i < json_count(messages); i++) {
        log_line(LOG_SERIOUS, "%s", json_object_get_string(json_object_array_get_idx(messages, i)));
    }
}

bool reload_run(struct reloader *reloader, bool retry, struct json_object **messages)
{
    if (reloader->notify && !retry) {
        service_manager_reloading();
    }
    enum reload outcome = run(reloader, messages);
    bool silent = retry && outcome == RELOAD_PUT_OFF;
    if (!silent) {
        log_outcome(reloader, outcome, *messages);
    }
    if (reloader->notify && !silent) {
        service_manager_ready();
    }
    json_object_put(reloader->refusal);
    reloader->refusal = outcome == RELOAD_DONE ? NULL : json_object_get(*messages);
    reloader->retry.due = 0;
    if (outcome == RELOAD_PUT_OFF) {
        watch_arm(&reloader->retry, RELOAD_AGAIN_MS);
    }
    return outcome == RELOAD_DONE;
}
