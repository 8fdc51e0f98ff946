/* A runtime behind the gateway: its connection, its dialect, its health, and what was last seen of it; or its image service, if
   that is a peer of its own, which has all of these but the last. Lives on the worker's thread. */
#pragma once

#include "base/bytes/error.h"
#include "core/map/map.h"
#include "core/metrics/rpc.h"
#include "core/runtimes/abilities.h"
#include "core/runtimes/connection.h"
#include "core/runtimes/loss_counters.h"
#include "core/runtimes/missing_logged.h"
#include "core/runtimes/patience.h"
#include "core/runtimes/shared_calls.h"
#include "core/runtimes/stream_address.h"
#include "core/store/converted_list.h"
#include "core/store/runtime_knowledge.h"
#include "translate/compose/compose.h"
#include "translate/schema/method.h"

enum runtime_state {
    RUNTIME_AWAY,    /* no connection; one is tried forever */
    RUNTIME_PROBING, /* connected; asking which dialect it speaks */
    RUNTIME_READY,   /* calls may go to it */
    RUNTIME_HANGING, /* it let a call go over its budget, or its connection had to be closed; asked again in the background */
    /* Connected, but it speaks no dialect that we know, and is asked again now and then; or it leads back to this process. */
    RUNTIME_UNSUITABLE,
};

#define RUNTIME_TEXT_SIZE 128

struct runtime;

/* Something that is in progress with a runtime until it ends by itself or is cancelled. */
struct runtime_task {
    void (*cancel)(struct runtime_task *task); /* it is gone when this returns */
};

/* All lists of a runtime have been asked for, or one failed; `silent` when the runtime let a list go over its time. The task is
   gone. */
typedef void runtime_lists_done(struct runtime *runtime, bool silent);

/* What a runtime reports, and what it has done for it. */
struct runtime_callbacks {
    void *state;
    /* It became ready, or is no longer ready, or it is no longer probed, or a probe has failed. */
    void (*changed)(void *state, struct runtime *runtime);
    /* Its endpoint is `docker`, which leads to a different socket than before, or to the first one: whether it may. If so,
       nothing is known of the runtime any more. NULL: it always may. */
    bool (*may_move)(void *state, struct runtime *runtime, const struct docker_candidate *to, struct error *error);
    /* Requests that could not be sent to it have been freed: perhaps much memory. */
    void (*let_go)(void *state);
    /* All pods and containers have to be asked for, as after each reconnect. Returns the task that does so and ends with `done`
       later; NULL: out of memory. */
    struct runtime_task *(*list_all)(void *state, struct runtime *runtime, runtime_lists_done *done);
};

struct runtime_private;
struct pull_queue;

struct runtime {
    struct runtime_private *private;   /* only runtime.c knows what is in it */
    const struct runtime_entry *entry; /* of the newest generation that has it */
    unsigned list_items;               /* that a list of it may have: limits.list_items of that generation */
    bool alone;                        /* it is the only one of that generation */
    unsigned slot;                     /* its number in the ownership index, for as long as it lives */
    struct runtime *images;            /* its image service, if that is a peer of its own; NULL: this one serves images, too */
    struct runtime *images_of;         /* this is the image service of that runtime, until that is given up; NULL otherwise */
    struct worker *worker;
    struct connection connection;

    enum runtime_state state;
    enum dialect dialect;                 /* since it first was READY */
    bool met;                             /* it was, so that its dialect is known */
    char version_name[RUNTIME_TEXT_SIZE]; /* as its Version reported: "containerd"; empty if an image service has no Version */
    char version[RUNTIME_TEXT_SIZE];      /* "1.6.20" */
    int64_t since;                        /* of the state, clock_ns(); HANGING: when the call began that it did not answer */
    struct error last_error;              /* why it is not READY now, followed by the reason before that */
    unsigned calls;                       /* in flight to it for callers */
    uint64_t answered;                    /* calls for callers that have ended */
    int64_t answer_time;                  /* how long these took together, nanoseconds */
    int64_t answered_at;                  /* when the last one of them ended well, clock_ns(); 0: none did */
    struct patience patience;             /* with those that nobody else waits for */
    struct abilities abilities;           /* what it accepts in requests but ignores; since it first was READY */
    struct loss_counters losses;          /* what could not be carried to it and from it */
    struct rpc_counters ended;            /* callers' calls to it */
    uint64_t connections;                 /* that were made to it so far */
    struct runtime_knowledge known;
    struct converted_list converted_lists[ID_KIND_COUNT]; /* of its lists in known.last_known */

    struct compose_memory composed;       /* what answers for callers are composed with; while the connection lasts */
    struct shared_calls shared;           /* of callers */
    struct pull_queue *pulls;             /* NULL: none is under way that is counted */
    struct missing_logged missing;        /* of answers without it, since it was ready last */
    struct stream_address stream_address; /* of the bare paths that it answers */
    bool unmasked_logged;                 /* a container whose caller may not know what masks /proc */
    bool replaced;   /* by a reload: nothing is learned from it any more, because another may hold the same things now */
    bool leads_back; /* calls to it come back here */
};

/* Starts connecting, also to its image service. The callbacks and worker must outlive it, and so must the entry until
   runtime_renew. NULL: out of memory. The caller holds one reference. */
struct runtime *runtime_new(const struct runtime_entry *entry, unsigned slot, struct worker *worker, size_t message_size,
                            const struct runtime_callbacks *callbacks);

struct runtime *runtime_ref(struct runtime *runtime);

/* It continues under the entry of a newer generation's map, of which it keeps the memory: streams that are being ended outlive
   the generation, and refer to it. */
void runtime_renew(struct runtime *runtime, const struct runtime_map *map, size_t position);

/* Its endpoint leads to another runtime from now on: what it then reports is that one's first word, even if the version is the
   same, so nothing that the one before reported of itself stays. */
void runtime_is_another(struct runtime *runtime);

/* A call to it came back to this process: it is unsuitable until its connection ends or the map is read again. */
void runtime_leads_back(struct runtime *runtime);

/* The last one ends the connections; calls in flight fail. */
void runtime_unref(struct runtime *runtime);

/* The peer that serves the RPCs of a service for a runtime: itself, or its image service. */
static inline struct runtime *runtime_serving(struct runtime *runtime, enum service service)
{
    return service == SERVICE_IMAGE && runtime->images ? runtime->images : runtime;
}

/* A call may have changed what it holds: answers to calls that were sent before it are not shared with later ones. An RPC of one
   service can change what those of the other answer. */
static inline void runtime_has_changed(struct runtime *runtime)
{
    runtime->shared.changes++;
    if (runtime->images) {
        runtime->images->shared.changes++;
    }
}

/* Whether calls can go to it; otherwise UNAVAILABLE with the reason and since when. */
bool runtime_ready(const struct runtime *runtime, struct error *error);

/* Whether a call goes to it: when it is ready, or only hangs and is the only runtime, so that only the caller's deadline counts.
 * Otherwise `error` is that of runtime_ready. */
bool runtime_takes_calls(const struct runtime *runtime, struct error *error);

/* Whether it probably serves the RPC: its dialect has it, and it has not answered that it lacks it since it became ready. */
bool runtime_serves(const struct runtime *runtime, const struct method *method);

/* The name that its Version reported; for an image service without Version, that of its runtime, before which it stands. */
const char *runtime_reported_name(const struct runtime *runtime);

/* Whether it takes image ids only as the digits alone: CRI-O reads "sha256:" as the name of a repository. */
bool runtime_knows_bare_image_ids(const struct runtime *runtime);

/* Whether it may create a container only if the request says by which name the user requested the image, as CRI-O 1.36 does, and
   speaks a dialect whose callers may be too old to say so: v1, of kubelets before 1.28. */
bool runtime_wants_requested_image(const struct runtime *runtime);

/* It answered that it does not have the RPC: runtime_serves says so until it becomes ready again. Returns whether that is news on
   this connection. */
bool runtime_lacks(struct runtime *runtime, const struct method *method);

/* The same for the stream of a list, and logs it. Only the first one of a version of the runtime is logged: those that
 * lack one lack them all. */
void runtime_lacks_stream(struct runtime *runtime, const struct method *method);

/* A call of that method, whose name is never freed, began at `began` (clock_ns()) and went over the budget: the runtime hangs
   until it answers a probe and lists. Calls that are under way to it go on; that they fail, too, once it is ready again does not
   count against it. */
void runtime_hangs(struct runtime *runtime, int64_t began, const char *method);

/* Whether it hangs, is the only runtime, and yet answers what callers ask, only later than its budget: calls pass. */
bool runtime_answers_late(const struct runtime *runtime);

/* Whether calls wait until it has answered the probe, as they would without crigate: it is connected, and the only runtime, and
   no probe has failed. */
bool runtime_is_awaited(const struct runtime *runtime);

/* Whether calls to it pass: it is ready, or answers late. */
bool runtime_passes_calls(const struct runtime *runtime);

/* HANGING: the method that it did not answer in time; NULL: its connection had to be closed. */
const char *runtime_unanswered(const struct runtime *runtime);

/* A call found that the runtime no longer speaks the dialect that it was probed with: it is probed again. */
void runtime_suspect(struct runtime *runtime);

/* A call of that method begins now that the budget does not end (see patience.h): if it goes over the budget, the runtime hangs.
   Does nothing unless the runtime is ready. patience_end of runtime->patience ends it; until then `waiting` must live. */
void runtime_watch(struct runtime *runtime, struct waiting *waiting, const struct method *method);

/* Asks a runtime that is ready for all it holds; otherwise that happens when it becomes ready. */
void runtime_relist(struct runtime *runtime);

/* Counts what the conversion of a request to it, or of an answer of it, could not carry, and what of a request it ignores. What
   requests lost that could matter is logged, at most once a minute; that items of its answers are left out, once until it is
   ready again; that it ignores a field, once until another version of it is ready. */
void runtime_note_losses(struct runtime *runtime, const struct report *report, bool request);

/* Counts a request that was refused because its dialect, or the runtime, has no equal for a field of it; if that is the reason.
 */
void runtime_note_refusal(struct runtime *runtime, const struct report *report);

/* The dialect in which answers of the runtime are read: the newest of its package. */
static inline enum dialect runtime_answer_dialect(const struct runtime *runtime)
{
    return dialects[runtime->dialect].caller;
}

/* The address at which it is, or was last: that of the map, or the one that `docker` leads to; DOCKER_ENDPOINT while that is not
   known. */
static inline const char *runtime_endpoint(const struct runtime *runtime)
{
    return runtime->connection.docker ? runtime->connection.docker->endpoint : runtime->entry->endpoint;
}

/* "ready", "away" and so on, for people. */
const char *runtime_state_name(enum runtime_state state);
