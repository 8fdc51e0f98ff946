/* Hooks after an answer: they run when the caller has it, one after another for each pod, in the order of the pod's calls. */
#pragma once

#include <sys/queue.h>

#include "core/plugins/set.h"

struct after_job;
TAILQ_HEAD(after_queue, after_job);

struct after_hooks {
    struct after_queue jobs; /* in the order of the calls */
    size_t count;
    size_t bytes;     /* that their facts take */
    uint64_t dropped; /* because too many waited */
    struct log_limit dropped_logged;
    /* There were some, and all of them have ended. May free everything. */
    void (*idle)(void *state);
    void *state;
};

void after_init(struct after_hooks *after, void (*idle)(void *state), void *state);

/* Copies the facts and calls the stage's plugins, when those of earlier calls of that pod have ended. Pods with the same id are
   the same if they have the same `holder`, a number. What cannot wait any more, as too many do, is counted and logged. */
void after_add(struct after_hooks *after, const struct plugin_set *plugins, unsigned holder, struct hook_stage stage,
               const struct hook_facts *facts);

/* How many of them are running or waiting; and how many of these a plugin is working on. */
size_t after_pending(const struct after_hooks *after);
size_t after_running(const struct after_hooks *after);

/* Ends them all: what waits is not called, and no answer is waited for. */
void after_cancel(struct after_hooks *after);
