/* Reports: what the running process reports about itself, by name, for `crigate status` and its like. Each room has a
   table of what it adds to which report. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>

#include "base/bytes/error.h"
#include "core/loop/worker.h"

struct control_report {
    const char *name; /* of the request, see protocol.h; NULL: the end of the table */
    /* Adds members to the answer; `argument` is what the request has behind its name, or "". false: the request is refused. */
    bool (*describe)(void *state, const char *argument, struct json_object *answer, struct error *error);
};

/* A room that has a part in reports. */
struct control_reporter {
    const struct control_report *reports; /* NULL: the end of the list */
    void *state;                          /* must outlive the worker, which may answer when nobody waits any more */
    struct worker *worker;                /* on whose thread it describes; NULL: on the poll thread */
};

/* The report of that name, with the parts of all reporters in their order. Waits a few seconds for the worker; not on its thread.
   The caller owns the object. NULL with an error: UNIMPLEMENTED, there is no such report; or it is refused, the worker has ended
   or is stuck, or memory is short. */
struct json_object *control_report_make(const struct control_reporter *reporters, const char *name, const char *argument,
                                        struct error *error);
