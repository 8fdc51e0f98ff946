/* The turns of the plugins before one call: one after another, each sees what those before it made of the facts. */
#pragma once

#include "core/plugins/set.h"

struct plugin_round;

/* Callbacks to the maker of the call. */
struct plugin_round_callbacks {
    /* How many milliseconds the next plugin may take; 0: the caller is gone, and no more are asked. */
    int64_t (*patience)(void *state);
    /* Leaves in the facts only what plugins may see, before the first answer is merged into them. It runs while the plugin works.
       false: the call fails. */
    bool (*reduce)(void *state, struct error *error);
    /* A plugin changed something: takes these facts, whose memory is the round's arena. false, with the reason: they cannot be
       sent, and all is as it was; that is the plugin's failure. */
    bool (*take)(void *state, const struct hook_facts *merged, struct error *error);
    /* All have had their turn; STATUS_OK: the call may go on. FAILED_PRECONDITION: a plugin whose failure counts failed.
       CANCELLED: the caller is gone. Otherwise what `reduce` had. */
    void (*done)(void *state, const struct error *error);
};

/* What a round is about. All of it must outlive the round. */
struct plugin_round_call {
    struct plugin_set *set;
    struct hook_stage stage;
    struct arena *arena;               /* the call's */
    const char *name;                  /* of the call, for the log */
    const struct hook_facts *facts;    /* as the plugins made them so far: `take` changes them */
    const struct hook_facts *original; /* before the first plugin; looked at once `reduce` has run */
    const struct plugin_round_callbacks *callbacks;
    void *state;
};

/* The plugins that want the stage now have a turn each. In the arena. NULL: out of memory. */
struct plugin_round *plugin_round_new(const struct plugin_round_call *call);

/* Whether the failure of one of the plugins fails the call. */
bool plugin_round_can_fail(const struct plugin_round *round);

/* Asks them. Leads to one `done`, perhaps before this returns. */
void plugin_round_run(struct plugin_round *round);

/* The name of the plugin that is being asked; NULL: none is. */
const char *plugin_round_asks(const struct plugin_round *round);

/* The pod wants no plugins: plugin_round_run asks none. */
void plugin_round_skip(struct plugin_round *round);

/* Nobody waits any more: `done` is not called. */
void plugin_round_cancel(struct plugin_round *round);

/* Parts from the plugins. It must have ended, be cancelled, or never have run. May be called again. */
void plugin_round_end(struct plugin_round *round);
