/* What happened between two answers of `crigate status`: how many calls a second, and how long they took. */
#pragma once

#include <json-c/json.h>
#include <stdint.h>

/* Of the running process, or of one runtime. */
struct rate {
    int64_t calls_a_second; /* in tenths; -1: not known */
    int64_t mean;           /* microseconds that a call took that ended in this time; 0: none did, or it is not known */
};

/* Of all calls that arrived, by `callsArrived`. `before` is the answer from that many milliseconds earlier; NULL, or an answer of
   another process: nothing is known. */
struct rate rate_of_all(struct json_object *before, struct json_object *now, int64_t milliseconds);

/* Of the calls that a runtime, a member of `runtimes` of the later answer, has ended. Found in the earlier one by its name. Also
   unknown if it is new or its count was reset. */
struct rate rate_of_runtime(struct json_object *before, struct json_object *now, struct json_object *runtime,
                            int64_t milliseconds);
