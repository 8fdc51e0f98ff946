/* The hooks of one call to a runtime. */
#pragma once

#include "core/hooks/call_facts.h"
#include "translate/convert/convert.h"

struct hook_call;

struct hook_callbacks {
    /* Plugins changed something: converts the request again. false, with the reason: the runtime's dialect cannot carry it. Then
       it is as it was before. */
    bool (*convert)(void *state, const struct hook_adjustment *adjustment, struct error *error);
    /* All hooks before the call have ended; STATUS_OK: it may go to the runtime. FAILED_PRECONDITION: a plugin whose failure
       counts failed. CANCELLED: the caller is gone. */
    void (*done)(void *state, const struct error *error);
};

/* Finds the facts, and calls the plugins of the stage before the call, one after another. Leads to one `done`, perhaps before
   this returns. `call` gets the hooks, in the request's arena; they must be ended by hook_call_end. */
void hook_call_start(struct hooks *hooks, const struct hook_target *target, const struct hook_callbacks *callbacks, void *state,
                     struct hook_call **call);

/* The name of the plugin whose answer it waits for; NULL: for none. */
const char *hook_call_asks(const struct hook_call *call);

/* The caller is gone: if hooks before the call are still running, leads to `done`. */
void hook_call_cancel(struct hook_call *call);

/* The runtime answered OK, with this new id if the call made something. Learns from it. */
void hook_call_answered(struct hook_call *call, struct bytes new_id);

/* The caller has its answer: hooks after the call run now, if the runtime answered OK. */
void hook_call_end(struct hook_call *call);
