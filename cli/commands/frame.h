/* One picture of `crigate top`, as text. */
#pragma once

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Answers of the running process; the reader borrows them. */
struct frame {
    struct json_object *before; /* of CONTROL_STATUS; NULL: there is no earlier one */
    struct json_object *now;    /* the same */
    struct json_object *calls;  /* of CONTROL_CALLS, with programs */
    int64_t milliseconds;       /* between `before` and `now` */
    size_t most_calls;          /* this many lines for calls; the others are counted */
};

/* Prints a line about the process, a table of its runtimes, and one of the calls in progress. Text from outside cannot control
   the terminal. */
void frame_print(const struct frame *frame, FILE *out);
