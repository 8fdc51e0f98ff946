#include "core/process/reload.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"

/* An array of the lines. */
static struct json_object *lines_of(char *text)
{
    struct json_object *lines = json_object_new_array();
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        if (*line) {
            json_object_array_add(lines, json_object_new_string(line));
        }
    }
    return lines;
}

enum reload reload_run(enum reload (*run)(void *state, FILE *report), void *state, struct json_object **messages)
{
    char *text = NULL;
    size_t size = 0;
    FILE *report = open_memstream(&text, &size);
    enum reload outcome = report ? run(state, report) : RELOAD_PUT_OFF;
    if (report && outcome == RELOAD_PUT_OFF) {
        fprintf(report, "this map is tried again every %d s until it can be applied\n", RELOAD_AGAIN_MS / 1000);
    }
    if (report) {
        fclose(report);
    }
    *messages = text ? lines_of(text) : json_object_new_array();
    free(text);
    return outcome;
}

void reload_log(enum reload outcome, struct json_object *messages)
{
    log_line(LOG_SERIOUS, outcome == RELOAD_DONE ? "the runtime map was reloaded"
                                                 : "the runtime map was not reloaded; the previous one stays in force");
    for (size_t i = 0; i < json_object_array_length(messages); i++) {
        log_line(LOG_SERIOUS, "%s", json_object_get_string(json_object_array_get_idx(messages, i)));
    }
}
