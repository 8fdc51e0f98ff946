/* Bytes of one dialect to bytes of another: the face of translate/ to core/. */
#pragma once

#include "translate/bytes/pieces.h"
#include "translate/schema/method.h"
#include "translate/walk/report.h"

struct leniency;
struct names;
struct node;

struct conversion {
    const struct method *method;
    enum dialect from;
    enum dialect to;
    struct arena *arena;
    const struct names *names; /* NULL: names are the same on both sides */
    const struct node *node;   /* NULL: the node says nothing */
    /* What is left out of requests that would else be refused; NULL: nothing. */
    const struct leniency *leniency;
    /* The caller predates masked_paths (Kubernetes 1.10 and 1.11) although its dialect has them. */
    bool caller_lacks_masked_paths;
    /* The name, as the runtime knows it, by which the caller asked before for the image of the container to be made, where
       convert_needs_image_name; empty: it is not known. */
    struct bytes image_name;
    /* A response that is to be put together with others: held against its schema even where nothing in it changes, because bytes
       that are no message would spoil the whole; and each string of it must be UTF-8, for most decoders refuse a message with one
       that is not. An item of a list that has such a string is taken out. */
    bool merged;
    struct pieces before; /* of a response in pieces, those that come before this one, for the paths in errors */
    struct report report; /* written: what got lost; must be zero at first */
};

/* Converts one request of the caller's dialect to the runtime's. INVALID_ARGUMENT: malformed, or a field that cannot be
   carried and is not let through, with its path. RESOURCE_EXHAUSTED: beyond the arena's cap or the budget of elements.
   UNIMPLEMENTED: `to` lacks the RPC. `out` may be `in` itself when nothing had to change; otherwise it lives in the arena. */
bool convert_request(struct conversion *conversion, struct bytes in, struct bytes *out, struct error *error);

/* Whether callers of the one dialect cannot say which image the user named, and runtimes of the other may want to hear it. */
bool convert_needs_image_name(enum dialect from, enum dialect to);

/* Whether convert_response would hand out any response as it is, without a look at it. */
bool convert_passes_response(const struct conversion *conversion);

/* Converts one response of the runtime's dialect (`from`) to the caller's (`to`). Never refuses a field; INTERNAL when the bytes
   are not the message at all, ABORTED when it is `merged` and holds a string that is none, elsewhere than in an item of a list.
   What needs no change and is not `merged` passes unseen: then the caller judges it. */
bool convert_response(struct conversion *conversion, struct bytes in, struct bytes *out, struct error *error);

/* The encoded response that consists of nothing but one entry of its `info` map: concatenated to a StatusResponse, it adds the
   entry. Empty with a NULL data when memory is short. */
struct bytes response_info_entry(const struct method *method, enum dialect dialect, struct bytes key, struct bytes value,
                                 struct arena *arena);
