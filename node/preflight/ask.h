/* One call of CRI to a socket of the node. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "translate/schema/method.h"

/* The biggest answer that is taken, as crigate itself takes by default. */
#define ASK_LARGEST_LIST ((size_t)64 << 20)

/* The same for answers that are not lists. */
#define ASK_LARGEST_STATUS ((size_t)1 << 20)

struct ask {
    const char *endpoint; /* "unix:///run/containerd/containerd.sock" */
    enum dialect dialect;
    const struct method *method; /* the dialect has it */
    struct bytes request;
    unsigned timeout; /* milliseconds */
    size_t largest;   /* bytes of the answer */
};

/* Makes the call, waits for its end, and copies the answer to the arena. false with the status of the call, whose message cannot
   control a terminal; RESOURCE_EXHAUSTED also if the arena is too small. */
bool ask(const struct ask *ask, struct arena *arena, struct bytes *answer, struct error *error);
