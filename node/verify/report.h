/* What `crigate verify --report` writes, for `crigate watch` in a container that sees nothing else of the node. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/error.h"

/* On a file system in memory: it does not outlive a reboot, and no disk has to be written to. */
#define VERIFY_REPORT_FOLDER "/run/crigate-report"
#define VERIFY_REPORT_PATH VERIFY_REPORT_FOLDER "/verify.json"

/* Replaces the file in one step, readable for all, by the object and the time. The folder is created if it is missing. Nothing in
   it is secret: the caller sees to that. The object gets a member for the time. */
bool verify_report_write(const char *path, struct json_object *report, struct error *error);

struct verify_report {
    bool ok;                    /* all was well */
    int64_t age;                /* milliseconds since it was written; sleep of the machine counts */
    struct json_object *checks; /* array of objects with the texts name, state, detail, and perhaps next; the caller puts it */
};

/* Reads it. NOT_FOUND: there is none; DATA_LOSS: it is not such a report. */
bool verify_report_read(const char *path, struct verify_report *report, struct error *error);
