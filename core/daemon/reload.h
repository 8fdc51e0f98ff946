/* Reloads of the runtime map: their outcome and their messages. On the poll thread. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/loop/poll_thread.h"

enum reload {
    RELOAD_DONE,    /* the new map is in force */
    RELOAD_REFUSED, /* the old one is still in force */
    RELOAD_PUT_OFF, /* likewise, for a reason that may pass without a change of the map */
};

/* How long until a map that was put off is tried again. */
#define RELOAD_AGAIN_MS 5000

struct reloader {
    /* Reads the map and puts it in force. Messages go to `report`, one a line. */
    enum reload (*run)(void *state, FILE *report);
    void *state;
    struct watch retry;          /* armed while a map is put off; its owner sets what it runs */
    bool notify;                 /* the service manager knows that the process is ready, and gets notified */
    struct json_object *warned;  /* messages of the last reload that was done, as logged; NULL: none was. Released likewise */
    struct json_object *refusal; /* messages of the last reload if it was not done; else NULL. The owner releases it */
};

/* Reloads the map, logs the outcome, and notifies the service manager. As a `retry`, does neither if the map is put off again.
   Returns whether the new map is in force. The caller owns `messages`, an array with one text for each line of the report. When
   the map was put off, the last one states that it is tried again. */
bool reload_run(struct reloader *reloader, bool retry, struct json_object **messages);
