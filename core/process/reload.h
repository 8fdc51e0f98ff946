/* One reload of the runtime map: what became of it, and what there is to say. On the poll thread's thread. */
#ifndef CRIGATE_PROCESS_RELOAD_H
#define CRIGATE_PROCESS_RELOAD_H

#include <json-c/json.h>
#include <stdio.h>

/* What became of it. */
enum reload {
    RELOAD_DONE,    /* the new map is in force */
    RELOAD_REFUSED, /* the old one is still in force */
    RELOAD_PUT_OFF, /* likewise, for a reason that may go away without the map being changed */
};

/* How often a map that was put off is tried again. */
#define RELOAD_AGAIN_MS 5000

/* Has `run` read the map and put it in force. What it says goes to `messages`, an array with a text a line, which the caller
   owns; where it put the map off, the last line says that it is tried again. */
enum reload reload_run(enum reload (*run)(void *state, FILE *report), void *state, struct json_object **messages);

/* Writes that to the log. */
void reload_log(enum reload outcome, struct json_object *messages);

#endif
