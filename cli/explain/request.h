/* How one given request is translated between two dialects. */
#pragma once

#include <json-c/json.h>
#include <stdio.h>

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "cli/explain/peer.h"
#include "translate/schema/method.h"

/* What the translation does to the request. The values are exit statuses of `crigate explain`. */
enum explain_status {
    EXPLAIN_WHOLE = 0,
    EXPLAIN_LOSS = 1,
    EXPLAIN_REFUSED = 2,
};

enum finding_kind {
    FINDING_REFUSED,
    FINDING_IGNORED, /* passed on, and the runtime is known to ignore it */
    FINDING_LEFT_OUT,
    FINDING_CARRIED, /* expressed by other means, or under another name */
    FINDING_ADDED,   /* implicit in the older dialect, or given in both forms */
    FINDING_KINDS,
};

struct finding {
    enum finding_kind kind;
    const char *path; /* in the request, in the names of the .proto file; "" for the request as a whole */
    const char *text;
    struct finding *next;
};

struct request_explained {
    enum explain_status status;
    struct finding *findings[FINDING_KINDS];
    struct json_object *translated; /* the request for the runtime; NULL when it gets none */
};

/* Translates the request, a message of the caller's dialect, and fills `explained`. A request that is refused gets every reason.
   The findings live in the arena; the caller owns `translated`. false when out of memory, or the bytes are not the message.
   */
bool explain_request(const struct method *method, const struct peer *caller, const struct peer *runtime, struct bytes request,
                     struct arena *arena, struct request_explained *explained, struct error *error);

/* Prints it for people. */
void explain_request_print(const struct request_explained *explained, FILE *out);

/* Adds the same to a JSON object, as `verdict`, `findings` and `translated`. */
void explain_request_add(const struct request_explained *explained, struct json_object *json);
