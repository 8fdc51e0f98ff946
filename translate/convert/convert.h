/* Converts bytes of one dialect to bytes of another: the interface of translate/ to core/. */
#pragma once

#include "translate/bytes/pieces.h"
#include "translate/schema/method.h"
#include "translate/walk/report.h"
#include "translate/walk/table.h"

struct ability_set;
struct leniency;
struct names;
struct node;

/* What hooks changed in the configurations of a request: facts (translate/hooks/facts.h) of each kind before and after. Nothing
   changes where they are equal, nor where the request has no such configuration. */
struct hook_adjustment {
    struct bytes before[MODEL_KIND_COUNT];
    struct bytes after[MODEL_KIND_COUNT];
};

struct conversion {
    const struct method *method;
    enum dialect from;
    enum dialect to;
    struct arena *arena;
    const struct names *names; /* NULL: names are the same on both sides */
    const struct node *node;   /* NULL: the node answers nothing */
    /* What is left out of requests that would otherwise be refused, or refused although it would pass; NULL: nothing. */
    const struct leniency *leniency;
    /* What the runtime accepts in requests but ignores, with values that hooks changed; NULL: it honours all of its dialect. */
    const struct ability_set *abilities;
    /* The caller predates masked_paths (Kubernetes 1.10 and 1.11) although its dialect has them. */
    bool caller_lacks_masked_paths;
    /* Set for a container that is not privileged and has neither masked nor read-only paths, if callers of its dialect may lack
       them and this one is not known to. NULL: not wanted. */
    bool *unmasked;
    /* The runtime's name for the image of the new container, by which the caller asked for it before, if
       convert_needs_image_name or wants_requested_image; empty: unknown. */
    struct bytes image_name;
    /* The runtime creates a container only if the request says by which name the user requested the image, and callers of its own
       dialect may be too old to say so: see requested_image.h. */
    bool wants_requested_image;
    /* A response that will be merged with others. It is checked against its schema even if nothing in it changes, because
       malformed bytes would spoil the merged message. Each string must be UTF-8, because most decoders refuse a message with one
       that is not. An item of a list with such a string is dropped. */
    bool merged;
    struct pieces before;                     /* of a response in pieces: the pieces before this one, for the paths in errors */
    const struct hook_adjustment *adjustment; /* of a request; NULL: none */
    /* Written for a request, by kind: its configurations in the model's dialect, with the runtime's names, as they were before
       the adjustment; empty where it has none. NULL: not wanted. */
    struct bytes *configurations;
    struct report report; /* written: what was lost; must be zero at first */
};

/* Converts one request of the caller's dialect to the runtime's. INVALID_ARGUMENT: malformed, or a field that cannot be carried
   or that the runtime is known to ignore, and is not let through, with its path. RESOURCE_EXHAUSTED: the arena's cap or the limit
   of elements is exceeded. UNIMPLEMENTED: `to` lacks the RPC. `out` may be `in` itself if nothing had to change; otherwise it is
   in the arena. */
bool convert_request(struct conversion *conversion, struct bytes in, struct bytes *out, struct error *error);

/* Whether callers of one dialect cannot name the image that the user requested, while runtimes of the other may need the name. */
bool convert_needs_image_name(enum dialect from, enum dialect to);

/* Whether convert_response would return any response unchanged and unread. */
bool convert_passes_response(const struct conversion *conversion);

/* Converts one response of the runtime's dialect (`from`) to the caller's (`to`). Never refuses a field. INTERNAL: the bytes are
   not the message. ABORTED: it is `merged` and has a string that is not UTF-8 outside of a list's items. A response that needs no
   change and is not `merged` passes unread: then the caller validates it. */
bool convert_response(struct conversion *conversion, struct bytes in, struct bytes *out, struct error *error);

/* An encoded response with a single entry of its `info` map: appended to a StatusResponse, it adds the entry. Empty with a NULL
   data if memory is short. */
struct bytes response_info_entry(const struct method *method, enum dialect dialect, struct bytes key, struct bytes value,
                                 struct arena *arena);
