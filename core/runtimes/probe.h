/* Finds out which dialect a peer speaks, by calling an RPC in one package after the other, newest first: Version of a runtime. An
   image service of its own is asked for ListImages, which is what callers need of it; then for Version, which one that passes
   calls on to a runtime answers, and which tells its release. */
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
    char name[128]; /* as Version reported; empty if an image service has no Version */
    char version[128];
    struct error error; /* when not found */
};

/* The error of a probe that had no answer in time has this behind the RPC. */
#define PROBE_TOO_LATE " was " QUERY_TOO_LATE

/* Runs once, on the worker's thread; the result is valid during the call only. */
typedef void probe_done(void *state, const struct probe_result *result);

/* Starts a probe of a runtime or image service, which has that long for each answer; with an api set in its entry, only that
   package is asked. NULL: out of memory. */
struct probe *probe_start(const struct runtime_entry *entry, struct channel *channel, int64_t milliseconds, probe_done *done,
                          void *state);

/* The RPC that the peer of that entry is asked first. */
const char *probe_question(const struct runtime_entry *entry);

/* Ends a probe early; `done` is not called. */
void probe_cancel(struct probe *probe);
