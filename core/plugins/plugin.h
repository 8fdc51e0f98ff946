/* One plugin: its connection, its health, and the results of its hooks. On the worker's thread. */
#pragma once

#include <sys/queue.h>

#include "base/log/log.h"
#include "core/metrics/histogram.h"
#include "core/plugins/list.h"
#include "core/transport/query.h"

enum plugin_state {
    PLUGIN_AWAY,  /* no connection; one is tried forever. Its hooks fail at once */
    PLUGIN_READY, /* it answers, as far as is known */
    /* It let a hook go over its timeout. Its hooks fail at once until it answers a probe. If its connection ends before that,
       they fail at once until there is one with its SETTINGS. */
    PLUGIN_HANGING,
};

enum plugin_result {
    PLUGIN_ANSWERED,
    PLUGIN_FAILED,   /* it answered with a failure, or the connection ended */
    PLUGIN_TOO_LATE, /* it did not answer in time */
    PLUGIN_RESULTS,
};

struct plugin_counters {
    uint64_t calls;    /* hooks that were sent */
    uint64_t ended;    /* of these */
    uint64_t failures; /* likewise; answers that are not used among them */
    uint64_t avoided;  /* hooks that were not sent, because it hangs or is mute */
    uint64_t changes;  /* hooks whose answer changed something */
    int64_t total;     /* nanoseconds that hooks took */
    int64_t longest;   /* the same, of one */
    /* How long hooks took, by stage; NULL: there was none. */
    struct histogram *times[HOOK_POINT_COUNT][HOOK_AFTER + 1][PLUGIN_RESULTS];
};

struct plugin {
    unsigned references;
    const struct plugin_settings *settings; /* the plugin's own copy */
    struct arena *memory;                   /* of the settings */
    struct worker *worker;
    struct channel channel;
    enum plugin_state state;
    int64_t since; /* of the state, clock_ns() */
    struct plugin_counters counters;
    struct error last_error;
    int64_t failed_at; /* clock_ns(); 0: never */
    bool failing;      /* the last hook that ended failed */
    struct log_limit failure_logged;
    struct timer probe;
    struct query *probing;
    int64_t trust;        /* milliseconds until the next probe: the longer, the more often it hung right after one */
    int64_t silence;      /* nanoseconds in which hooks waited for it, went over the caller's time, and nothing came */
    int64_t silent_until; /* clock_ns(): when the last of them ended */
    bool mute;            /* the connection on which it hung ended without an answer; looked at while there is no other */
    bool missed;          /* a hook failed because it was away, as logged */
    bool retired;         /* it is no longer among the plugins */
};

/* Begins to connect. NULL: out of memory. The caller holds one reference. */
struct plugin *plugin_new(const struct plugin_settings *settings, struct worker *worker);

struct plugin *plugin_ref(struct plugin *plugin);

/* The last one frees it, once its connection has ended. NULL is allowed. */
void plugin_unref(struct plugin *plugin);

/* It is no longer among the plugins: ends the connection when the last hook of it has ended. Drops the caller's reference. */
void plugin_retire(struct plugin *plugin);

/* Whether two files mean the same plugin, so that it can keep its connection and its counters. */
bool plugin_settings_equal(const struct plugin_settings *a, const struct plugin_settings *b);

/* Looks at the connection, which may have come or gone since the last hook: the state is up to date then. */
void plugin_look(struct plugin *plugin);

/* Whether calls that want it are refused: its failures count, and it is not ready or failed its last hook. Call plugin_look
   before. */
bool plugin_refuses(const struct plugin *plugin);

/* "ready" and so on. */
const char *plugin_state_name(enum plugin_state state);

/* A hook that was sent and is not answered yet. */
struct plugin_question;

/* `error` is STATUS_OK if there is an answer, which is valid during the call only; else it is the reason, with the plugin's name
   in front. The question is gone afterwards. */
typedef void plugin_answered(void *state, const struct error *error, struct bytes answer);

/* Sends a hook, which may take `milliseconds`, and not more than the plugin's timeout. A plugin that exceeds its timeout hangs.
   `done` runs later, once, unless the question is cancelled. NULL, with the reason: it was not sent. */
struct plugin_question *plugin_ask(struct plugin *plugin, struct hook_stage stage, struct bytes request, int64_t milliseconds,
                                   plugin_answered *done, void *state, struct error *error);

/* `done` is not called any more. */
void plugin_cancel(struct plugin_question *question);

/* Counts and logs a failure that lies in the plugin's answer. */
void plugin_failed(struct plugin *plugin, const struct error *error);
