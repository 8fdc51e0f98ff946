/* Finds out which dialect a runtime speaks, by calling Version in one package after the other, newest first. */
#pragma once

#include "core/transport/channel.h"
#include "core/transport/query.h"

#include "base/bytes/error.h"
#include "core/loop/worker.h"
#include "core/map/map.h"

struct probe;

struct probe_result {
    bool found;
    /* Not found: whether the runtime answered that it knows none of the packages, rather than not at all. */
    bool unsuitable;
    /* Not found: whether the probe came back to this process, or to another gateway that it had passed. */
    bool leads_back;
    enum dialect dialect;
    char name[128]; /* as Version reported */
    char version[128];
    struct error error; /* when not found */
};

/* The error of a probe that had no answer in time begins with this. */
#define PROBE_TOO_LATE "Version was " QUERY_TOO_LATE

/* Runs once, on the worker's thread; the result is valid during the call only. */
typedef void probe_done(void *state, const struct probe_result *result);

/* Starts a probe of a runtime, which has that long for each answer; with an api set in its entry, only that package is asked.
   NULL: out of memory. */
struct probe *probe_start(const struct runtime_entry *entry, struct channel *channel, int64_t milliseconds, probe_done *done,
                          void *state);

/* Ends a probe early; `done` is not called. */
void probe_cancel(struct probe *probe);
