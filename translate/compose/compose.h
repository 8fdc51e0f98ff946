/* Answers that crigate puts together where a runtime does not give them itself, or gives less than callers of today need.

   methods.yaml names a function for an RPC and an occasion: what the runtime answered at first. The function looks at that, at
   what the operator and the runtime said before, and either is done or wants the same runtime to be asked something; then it is
   called again, with one answer more. core/ asks the questions and brings the outcome to the caller; all that is computed stands
   in the files of this folder and is pure.

   Functions work in the model's dialect and with the runtime's own names, whatever caller and runtime speak: what comes in is
   converted to that, and what goes out is converted from that, as any answer would be. */
#pragma once

#include "translate/bytes/arena.h"
#include "translate/bytes/error.h"
#include "translate/schema/method.h"

struct names;
struct node;

/* What a runtime answered, where the gateway may look further: compose/compose.h tells how. */
enum compose_occasion {
    COMPOSE_LACKING,  /* nothing: its dialect lacks the RPC, or it says that it has not implemented it */
    COMPOSE_UNKNOWN,  /* a failure with the code UNKNOWN */
    COMPOSE_ANSWERED, /* OK */
    COMPOSE_OCCASIONS,
};

enum cgroup_driver {
    CGROUP_DRIVER_NOT_SAID,
    CGROUP_DRIVER_SYSTEMD,
    CGROUP_DRIVER_CGROUPFS,
    CGROUP_DRIVER_COUNT,
};

/* What the runtime map says of a runtime. */
struct compose_settings {
    enum cgroup_driver cgroup_driver;
    const char *storage; /* the folder that it keeps images in, or NULL */
};

#define COMPOSE_IMAGE_NAME_SIZE 320

/* What was learned of a runtime and holds as long as it stays connected. Zero-initialised it knows nothing. */
struct compose_memory {
    bool status_known;
    int64_t status_read_at; /* milliseconds, as composing.now */
    enum cgroup_driver cgroup_driver;
    char sandbox_image[COMPOSE_IMAGE_NAME_SIZE]; /* as its verbose status names it; empty: it does not */
    bool pins_sandbox_image;                     /* it does so itself, or names none */
    bool lists_image_ids;                        /* it was seen to list containers with the ids of their images */
    int64_t lists_references_until;              /* until then its lists are taken to say the id of each image somewhere */
    bool tells_image_ids;                        /* the same of statuses */
    int64_t images_listed_at;                    /* when image ids were last looked up in a list; 0: never */
    struct lh_table *image_ids;                  /* of repository digests, which name one content for ever; NULL: none yet */
};

/* Forgets everything. */
void compose_memory_clear(struct compose_memory *memory);

#define COMPOSE_QUESTIONS 3

enum compose_outcome {
    COMPOSED_NOTHING, /* the runtime's first answer stands */
    COMPOSED_QUESTION,
    COMPOSED_ANSWER,
};

struct composing;

/* Fetches the first answer, which may have to be copied for that. false: with an error. */
typedef bool compose_receive(struct composing *composing, struct error *error);

struct composing {
    /* Given. */
    const struct method *method;
    enum dialect caller;
    enum dialect runtime;      /* that its answers are read with: the newest of its package */
    struct bytes request;      /* the caller's */
    const struct names *names; /* from the caller's view to the runtime's; NULL: the same */
    struct bytes received;     /* the runtime's first answer, when that was OK and somebody has asked for it */
    int64_t elapsed;           /* milliseconds that it took */
    int64_t now;               /* milliseconds of a clock that never goes back */
    const char *runtime_name;  /* as the runtime map has it, for errors */
    const struct compose_settings *settings;
    struct compose_memory *memory;
    const struct node *node;
    struct arena *arena;
    compose_receive *receive;                /* puts the first answer into `received`; NULL: it is there */
    void *state;                             /* for that */
    size_t asked;                            /* questions until now */
    struct bytes answers[COMPOSE_QUESTIONS]; /* to them, in the model's dialect */

    /* The function's: COMPOSED_NOTHING before each call. */
    enum compose_outcome outcome;
    const char *question;  /* name of the RPC */
    struct bytes asking;   /* its request, in the model's dialect */
    struct bytes composed; /* the answer, in the model's dialect */
};

/* One of the functions that methods.yaml names. It answers false with an error when the call is to fail with it: where the
   runtime had answered OK, that answer passes instead, for responses are never refused. */
typedef bool composition(struct composing *composing, struct error *error);

/* Parallel to `methods`; NULL: the answer passes as it is. Generated from methods.yaml. */
extern composition *const compositions[][COMPOSE_OCCASIONS];

/* The function for that RPC on that occasion, or NULL. */
static inline composition *composition_of(const struct method *method, enum compose_occasion occasion)
{
    return compositions[method - methods][occasion];
}

/* ---- for the functions themselves ---- */

/* The caller's request in the model's dialect. */
bool composing_request(const struct composing *composing, struct bytes *request, struct error *error);

/* Has the runtime's first answer in composing->received, as it came. */
bool composing_receive(struct composing *composing, struct error *error);

/* The runtime's first answer, decoded with the stubs of the model; NULL with an error. */
void *composing_received(struct composing *composing, const ProtobufCMessageDescriptor *descriptor, struct error *error);

/* Bytes of the model's dialect, decoded; NULL with an error. */
void *composing_decode(const struct composing *composing, const ProtobufCMessageDescriptor *descriptor, struct bytes bytes,
                       struct error *error);

/* Wants the runtime to be asked. A NULL request is an empty one. */
bool composing_ask(struct composing *composing, const char *method, const ProtobufCMessage *request, struct error *error);

/* Is done, with this answer. */
bool composing_answer(struct composing *composing, const ProtobufCMessage *response, struct error *error);

/* Cleared memory of the arena; NULL with an error. */
void *composing_alloc(const struct composing *composing, size_t size, struct error *error);
