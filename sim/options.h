/* The command line of the simulated runtime. */
#pragma once

#include <sys/types.h>

#include "sim/common/rules.h"
#include "sim/simulation.h"
#include "translate/schema/method.h"

/* Misbehaviour of one method that a test requests. */
enum rule_kind {
    RULE_FAIL,            /* answers with `code` */
    RULE_HANG,            /* never answers */
    RULE_SLOW,            /* delays the effect by `number` milliseconds */
    RULE_HOLD,            /* delays the effect until there is `file` */
    RULE_GARBAGE,         /* answers with bytes that are not a message */
    RULE_NOT_IMPLEMENTED, /* answers UNKNOWN "not implemented" */
    RULE_REPEAT,          /* answers a repeated request as the first time, without a further effect */
    RULE_VARY,            /* each answer differs from the one before */
    RULE_SHUFFLE,         /* a list is in another order each time */
    RULE_OVERSIZE,        /* pads the answer to about `number` bytes */
    RULE_APPEND,          /* adds `appendix` to the answer */
    RULE_BREAK,           /* fails with `code` after `number` messages of a streamed list */
    RULE_STALL,           /* sends nothing more after `number` messages */
    RULE_SPOIL,           /* after `number` messages, sends bytes that are not a message */
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
    unsigned lateness;         /* milliseconds of delay for answers between SIGUSR1 and SIGUSR2 */
    unsigned events_rate;      /* made-up events a second */
    unsigned events_most;      /* made-up events in all; 0: no limit */
    const char *fail_text;     /* of failures by a rule; NULL: "METHOD was told to fail" */
    bool no_events;            /* streams of events end at once */
    bool keep_events;          /* for late listeners */
    bool bare_events;          /* without statuses of containers, and none for created or deleted pods */
    const char *journal;       /* path, or NULL */
    const char *event_journal; /* path, or NULL */
    const char *state;         /* path, or NULL */
    struct rules rules;
};

/* -1 to go on, else the exit status: something was printed. The strings are those of argv. Call options_clear to free the rest,
   whatever the outcome. */
int options_parse(int argc, char **argv, struct options *options);

void options_clear(struct options *options);
