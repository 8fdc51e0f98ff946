/* The command line of the simulated runtime. */
#pragma once

#include <sys/types.h>

#include "sim/simulation.h"
#include "translate/schema/method.h"

/* Misbehaviour that a test asks for, of one method. */
enum rule_kind {
    RULE_FAIL,            /* answers with `code` */
    RULE_HANG,            /* never answers */
    RULE_SLOW,            /* begins only after `milliseconds` */
    RULE_GARBAGE,         /* answers bytes that are no message */
    RULE_NOT_IMPLEMENTED, /* answers UNKNOWN "not implemented" */
    RULE_REPEAT,          /* answers the same request as the first time, without doing it again */
    RULE_VARY,            /* no answer is like the one before */
    RULE_SHUFFLE,         /* a list is in another order each time */
    RULE_OVERSIZE,        /* pads the answer to about `bytes` */
    RULE_APPEND,          /* puts `bytes` behind the answer, `copies` times */
    RULE_BREAK,           /* fails with `code` after `messages` of a streamed list */
    RULE_STALL,           /* sends nothing more after so many */
    RULE_SPOIL,           /* the message after so many is none */
};

struct method_rule {
    const struct method *method;
    enum rule_kind kind;
    enum status_code code;
    long times; /* still to come; negative: always */
    size_t bytes;
    const char *appendix; /* as two hex digits a byte */
    unsigned copies;
    unsigned messages;
    unsigned milliseconds;
};

struct options {
    const char *listen;       /* path of the socket */
    const char *image_listen; /* path of the socket for the image service alone, or NULL */
    bool mode_set;
    mode_t mode; /* of both sockets */
    bool served[DIALECT_COUNT];
    struct simulation_settings settings;
    unsigned containers;
    unsigned images;
    unsigned latency;          /* milliseconds */
    unsigned lateness;         /* milliseconds; of answers while the program is told to be late */
    unsigned events_rate;      /* made-up events a second */
    unsigned events_most;      /* made-up events in all; 0: no end */
    bool no_events;            /* streams of events end at once */
    bool keep_events;          /* for those who come late */
    bool bare_events;          /* without statuses of containers, and not of pods that come or go */
    const char *journal;       /* path, or NULL */
    const char *event_journal; /* path, or NULL */
    const char *state;         /* path, or NULL */
    struct method_rule *rules;
    size_t rule_count;
};

enum options_outcome {
    OPTIONS_RUN,
    OPTIONS_DONE,  /* help or version was asked for and printed */
    OPTIONS_WRONG, /* said on stderr */
};

/* The strings stay those of argv. What it allocates is given back by options_clear, whatever the outcome. */
enum options_outcome options_parse(int argc, char **argv, struct options *options);

void options_clear(struct options *options);
