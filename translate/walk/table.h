/* The walk's tables: what to do with each field of each message, for each pair of dialects. Generated. */
#pragma once

#include "base/bytes/error.h"
#include "translate/schema/method.h"

enum walk_action {
    WALK_COPY,    /* unchanged; the other side has the same field */
    WALK_DESCEND, /* a sub-message in which something may have to change */
    WALK_NAME,    /* a name that is mapped between the caller's view and the runtime's */
    WALK_DROP,    /* the other side lacks it: left out and counted */
    WALK_REJECT,  /* the other side lacks it: a request that sets it is refused; in a response like WALK_DROP */
    WALK_JUDGED, /* the other side lacks it: inside of a configuration, the model has judged it, so it is left out; elsewhere like
                    WALK_REJECT */
    WALK_CAPTURE, /* captured for the message's carry function */
    WALK_MODEL,   /* a configuration of a pod or container, or resources: goes through the model */
};

/* The messages that go through the model. */
enum model_kind {
    MODEL_POD,       /* PodSandboxConfig */
    MODEL_CONTAINER, /* ContainerConfig */
    MODEL_RESOURCES, /* LinuxContainerResources of UpdateContainerResources */
    MODEL_KIND_COUNT,
};

/* A value of an enum that the other side lacks. */
struct walk_value {
    int32_t number;
    uint16_t rule;
    uint8_t action; /* WALK_DROP, WALK_REJECT or WALK_JUDGED */
};

struct walk_step {
    uint8_t action;                  /* enum walk_action */
    uint8_t slot;                    /* WALK_CAPTURE: index into carry.values; WALK_MODEL: enum model_kind */
    uint8_t value_count;             /* of `values` */
    uint16_t rule;                   /* WALK_DROP, WALK_REJECT, WALK_JUDGED: index into translation_rules */
    const struct walk_value *values; /* values of an enum that the other side lacks */
    const struct walk_table *into;   /* of a message field that is copied or entered; never NULL there */
};

/* Which fields with a tag of one byte pass unchanged if they are encoded in the usual way. */
enum walk_plain {
    WALK_PLAIN_NOT,    /* must be looked at: the other side lacks it or has another form of it */
    WALK_PLAIN_NUMBER, /* a varint */
    WALK_PLAIN_STRING, /* in requests, if it has no NUL */
    WALK_PLAIN_BYTES,
    WALK_PLAIN_NAME,   /* a string, if no names are mapped */
    WALK_PLAIN_COPIED, /* a message of a list or map; in requests, its content must be checked */
    WALK_PLAIN_INTO,   /* one in which something may have to change */
    WALK_PLAIN_ONCE,   /* a message that must not occur twice, of either kind */
};

#define WALK_PLAIN_NUMBERS 16 /* field numbers below this have a tag of one byte */

struct carry;

/* Writes the captured fields of a message in the form of the other side. Runs once, at the end of the message. `in_place`:
   changes the bytes of the first captured value instead, or leaves them as they are; runs at each occurrence of that field. */
typedef bool carry_function(struct carry *carry, struct error *error);

struct walk_table {
    const struct schema_message *message; /* of the source dialect */
    const struct walk_step *steps;        /* parallel to message->fields */
    uint8_t plain[WALK_PLAIN_NUMBERS];    /* enum walk_plain by field number */
    carry_function *carry;                /* NULL when nothing is captured */
    bool in_place;                        /* how `carry` works */
    bool same_package;                    /* unknown fields survive */
    bool changes;                         /* here or below, something besides names may differ; true between packages */
    unsigned names;                       /* here or below, there are names of these kinds: bits 1 << NAME_… */
};

/* Tables of the messages that go through the model, [kind][from][to]; NULL where a dialect lacks the message. */
extern const struct walk_table *const model_tables[MODEL_KIND_COUNT][DIALECT_COUNT][DIALECT_COUNT];

/* Tables of requests and responses, [method][from][to], parallel to `methods`; NULL where one of the two lacks the RPC. */
extern const struct walk_table *const request_tables[][DIALECT_COUNT][DIALECT_COUNT];
extern const struct walk_table *const response_tables[][DIALECT_COUNT][DIALECT_COUNT];

/* The table of a method's request from one dialect to another, or NULL. */
static inline const struct walk_table *walk_table_of_request(const struct method *method, enum dialect from, enum dialect to)
{
    return request_tables[method - methods][from][to];
}

/* The same for its response. */
static inline const struct walk_table *walk_table_of_response(const struct method *method, enum dialect from, enum dialect to)
{
    return response_tables[method - methods][from][to];
}
