/* One reload of the runtime map: its outcome and its messages. On the poll thread. */
#ifndef CRIGATE_PROCESS_RELOAD_H
#define CRIGATE_PROCESS_RELOAD_H

#include <json-c/json.h>
#include <stdio.h>

enum reload {
    RELOAD_DONE,    /* the new map is in force */
    RELOAD_REFUSED, /* the old one is still in force */
    RELOAD_PUT_OFF, /* likewise, for a reason that may pass without a change of the map */
};

/* How long until a map that was put off is tried again. */
#define RELOAD_AGAIN_MS 5000

/* Calls `run` to read the map and put it in force. The caller owns `messages`, an array with one text for each line of the
   report. When the map was put off, the last one states that it is tried again. */
enum reload reload_run(enum reload (*run)(void *state, FILE *report), void *state, struct json_object **messages);

/* Logs the outcome and the messages. */
void reload_log(enum reload outcome, struct json_object *messages);

#endif
