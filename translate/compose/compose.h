/* Answers that crigate composes if a runtime does not give them itself, or gives less than today's callers need.

   methods.yaml names a function for an RPC and an occasion: the outcome of the runtime's first answer. The function looks at that
   answer, and at what the operator has set and the runtime has reported before. Then it is either done, or requests another
   question to the same runtime; it is called again with each further answer. core/ asks the questions and sends the result to the
   caller. All computation is in the files of this folder, and is pure.

   Functions work in the model's dialect and with the runtime's own names, whatever caller and runtime speak: their input is
   converted to that, and their output from that, like any other answer. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "translate/schema/method.h"
#include <protobuf-c/protobuf-c.h>

struct names;
struct node;

/* The outcome of a runtime's first answer, for which a function may be named. */
enum compose_occasion {
    COMPOSE_LACKING,  /* nothing: its dialect lacks the RPC, or it reports that it has not implemented it */
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

/* The settings of a runtime in the runtime map. */
struct compose_settings {
    enum cgroup_driver cgroup_driver;
    const char *storage; /* the folder in which it keeps images, or NULL */
};

#define COMPOSE_IMAGE_NAME_SIZE 320

/* What was learned about a runtime, valid as long as it stays connected. Zero-initialised: nothing. */
struct compose_memory {
    bool status_known;
    int64_t status_read_at; /* milliseconds, as composing.now */
    enum cgroup_driver cgroup_driver;
    char sandbox_image[COMPOSE_IMAGE_NAME_SIZE]; /* as in its verbose status; empty: not there */
    bool pins_sandbox_image;                     /* it reports pinned images itself, or has none */
    bool lists_image_ids;                        /* it has listed containers with the ids of their images */
    int64_t lists_references_until;  /* until then, crigate assumes that its lists contain the id of each image somewhere */
    bool tells_image_ids;            /* the same for statuses */
    int64_t images_listed_at;        /* when image ids were last looked up in a list; 0: never */
    struct lh_table *image_ids;      /* of repository digests, which never change their content; NULL: none yet */
    struct lh_table *cgroup_parents; /* of pods, by their uid in Kubernetes; NULL: none yet */
};

/* Forgets everything. */
void compose_memory_clear(struct compose_memory *memory);

#define COMPOSE_QUESTIONS 3

enum compose_outcome {
    COMPOSED_NOTHING, /* the runtime's first answer is used */
    COMPOSED_QUESTION,
    COMPOSED_ANSWER,
};

struct composing;

/* Fetches the first answer, which may have to be copied for that. false with an error. */
typedef bool compose_receive(struct composing *composing, struct error *error);

struct composing {
    /* Input. */
    const struct method *method;
    enum dialect caller;
    enum dialect runtime;      /* with which its answers are read: the newest of its package */
    struct bytes request;      /* the caller's */
    struct bytes sent;         /* as the runtime got it, with what plugins changed, in `runtime`; empty: it did not get it */
    const struct names *names; /* from the caller's names to the runtime's; NULL: the same */
    struct bytes received;     /* the runtime's first answer, if it was OK and a function has requested it */
    int64_t elapsed;           /* its duration in milliseconds */
    int64_t now;               /* milliseconds of a monotonic clock */
    const char *runtime_name;  /* as in the runtime map, for errors */
    const char *reported_name; /* as in the runtime's answer to Version */
    struct bytes failure;      /* the message of the runtime's first answer, if it failed */
    const struct compose_settings *settings;
    struct compose_memory *memory;
    const struct node *node;
    struct arena *arena;
    compose_receive *receive;                /* puts the first answer into `received`; NULL: it is there */
    void *state;                             /* for that */
    size_t asked;                            /* questions so far */
    struct bytes answers[COMPOSE_QUESTIONS]; /* answers to them, in the model's dialect */

    /* Output of the function; COMPOSED_NOTHING before each call. */
    enum compose_outcome outcome;
    const char *question;  /* name of the RPC */
    struct bytes asking;   /* its request, in the model's dialect */
    struct bytes composed; /* the answer, in the model's dialect */
};

/* A function that methods.yaml names. It returns false with an error if the call must fail with it; but if the runtime had
   answered OK, that answer passes instead, because responses are never refused. */
typedef bool composition(struct composing *composing, struct error *error);

struct composition_entry {
    composition *function; /* NULL: the answer passes unchanged */
    const char *runtime;   /* the name in Version of the runtimes for which it is: "docker"; NULL: for all */
};

/* Parallel to `methods`. Generated from methods.yaml. */
extern const struct composition_entry compositions[][COMPOSE_OCCASIONS];

/* The function for that RPC on that occasion, whatever the runtime; or NULL. */
static inline composition *composition_of(const struct method *method, enum compose_occasion occasion)
{
    return compositions[method - methods][occasion].function;
}

/* The same for a runtime that reports this name in its answer to Version. */
composition *composition_for(const struct method *method, enum compose_occasion occasion, const char *reported_name);

/* ---- for the functions themselves ---- */

/* The caller's request in the model's dialect. */
bool composing_request(const struct composing *composing, struct bytes *request, struct error *error);

/* The request as the runtime got it, in the model's dialect. */
bool composing_sent(const struct composing *composing, struct bytes *request, struct error *error);

/* Makes sure that the runtime's first answer, unchanged, is in composing->received. */
bool composing_receive(struct composing *composing, struct error *error);

/* The runtime's first answer, decoded with the model's stubs; NULL with an error. */
void *composing_received(struct composing *composing, const ProtobufCMessageDescriptor *descriptor, struct error *error);

/* Decodes bytes of the model's dialect; NULL with an error. */
void *composing_decode(const struct composing *composing, const ProtobufCMessageDescriptor *descriptor, struct bytes bytes,
                       struct error *error);

/* Requests a question to the runtime. A NULL request is an empty one. */
bool composing_ask(struct composing *composing, const char *method, const ProtobufCMessage *request, struct error *error);

/* Ends the composition with this answer. */
bool composing_answer(struct composing *composing, const ProtobufCMessage *response, struct error *error);

/* Cleared memory of the arena; NULL with an error. */
void *composing_alloc(const struct composing *composing, size_t size, struct error *error);
