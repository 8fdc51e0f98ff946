/* One connection of a scraper: one request, one answer, and it is closed. Bytes and time are bounded. On the thread of the
 * server. */
#pragma once

#include <event2/event.h>
#include <event2/event_struct.h>
#include <sys/queue.h>

#include "base/http/head.h"
#include "base/system/buffer.h"

#define VISIT_HEAD_LARGEST ((size_t)8 * 1024) /* bytes of a request */
#define VISIT_LONGEST 10                      /* seconds, from its begin to its end */

struct visit;
TAILQ_HEAD(visit_list, visit);

/* What is served. */
struct visit_host {
    struct event_base *base;
    struct visit_list visits; /* the oldest first */
    size_t count;
    /* Answers a request for a path, which has no query: appends what follows the head to `body`, and returns the status, 404 for
       an unknown path. `accept` is the value of the header, empty without one. `type` gets the media type. */
    unsigned (*answer)(void *state, struct bytes path, struct bytes accept, struct buffer *body, const char **type);
    void *state;
};

/* Serves a connection, which it owns from now on: reads at once what has arrived on it. */
void visit_begin(struct visit_host *host, int fd);

/* Ends it at once. */
void visit_end(struct visit *visit);

/* Ends the oldest that is not getting an answer: that has not sent its request, or has its answer and does not close. If all are
   getting one, the oldest. So callers that send nothing cannot take the answer from one that reads it. */
void visit_end_least(struct visit_host *host);
