/* Bytes of one dialect to bytes of another: the face of translate/ to core/. */
#ifndef CRIGATE_TRANSLATE_CONVERT_CONVERT_H
#define CRIGATE_TRANSLATE_CONVERT_CONVERT_H

#include "translate/bytes/arena.h"
#include "translate/bytes/error.h"
#include "translate/bytes/pieces.h"
#include "translate/schema/method.h"
#include "translate/walk/leniency.h"

/* What a name becomes: `front`, and behind it `rest`. A prefix comes and goes without a copy of the name. */
struct mapped_name {
    struct bytes front; /* lives in the arena, in the name, or for longer than the call; mostly empty or a prefix */
    struct bytes rest;  /* an end of the name as it came: mostly all of it; may be empty */
};

/* Leaves a name as it is. Part by part: where it is copied as a whole, right after it was put together from registers, processors
   wait for the stores, and lists consist of names. */
static inline void mapped_name_same(struct mapped_name *mapped, struct bytes name)
{
    mapped->front.data = NULL;
    mapped->front.len = 0;
    mapped->rest.data = name.data;
    mapped->rest.len = name.len;
}

/* How names of the caller's view become names of the runtime's, or the other way round for a response. */
struct names {
    void *state;
    unsigned kinds; /* bit 1 << NAME_… for each kind that differs at all: others are not asked for, and pass as they are */
    /* Maps one name. `carried` is false when the other side has no field for it: a mapper that knows the name to be needless
       there may answer empty, otherwise the field's rule decides. false with an error refuses the call; from the items of a list
       response, one with STATUS_ABORTED takes just that item out. Called once for each occurrence, in the order of the bytes. */
    bool (*map)(void *state, enum name_kind kind, bool carried, struct bytes name, struct arena *arena,
                struct mapped_name *mapped, struct error *error);
};

/* How full a filesystem is. */
struct filesystem_usage {
    int64_t taken_at; /* nanoseconds since 1970 */
    uint64_t used_bytes;
    uint64_t inodes_used;
};

/* What translation needs to know of the node, behind an interface so that translate/ stays pure. Each may answer empty: "the
   node does not say". The answer lives in the arena. */
struct node {
    void *state;
    struct bytes (*mountpoint_of_uuid)(void *state, struct bytes uuid, struct arena *arena);
    struct bytes (*uuid_of_directory)(void *state, struct bytes directory, struct arena *arena);
    /* Of the filesystem that holds an absolute path's directory; false: it does not say. */
    bool (*usage_of_directory)(void *state, struct bytes directory, struct filesystem_usage *usage);
};

/* One field of a request that was left out. */
struct loss {
    uint16_t rule;
    const char *path;   /* "config.mounts[2].image" */
    const char *reason; /* a sentence */
    bool let_through;   /* it would have been refused without the operator's leniency */
};

#define REPORT_TEXT_SIZE 160

/* What a conversion could not carry: how often each rule of rules.yaml dropped something, and unknown fields taken out. */
struct report {
    uint32_t items;                    /* of a list in a response, that were taken out: of names that are another's, or no text */
    char first_item[REPORT_TEXT_SIZE]; /* why, of the first of them */
    uint32_t unknown_fields;
    uint32_t dropped;     /* in all, by rules */
    uint32_t let_through; /* of them, what would have been refused without the operator's leniency */
    struct {
        uint32_t dropped; /* harmless */
        uint32_t let_through;
    } rules[TRANSLATION_RULE_COUNT];
    /* Is told of each loss in a request as it is counted; NULL, as usual: nobody wants to know. */
    void (*tell)(void *state, const struct loss *loss);
    void *state;
};

/* One row of rules.yaml, for people. */
struct translation_rule {
    const char *field; /* "Mount.recursive_read_only" */
    const char *why;
    bool refuses; /* a request may be refused because of it */
};

/* By enum translation_rule_id. */
extern const struct translation_rule translation_rules[TRANSLATION_RULE_COUNT];

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

#endif
