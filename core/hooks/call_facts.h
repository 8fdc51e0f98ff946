/* The facts of the pod and container that a call is about: from the request, from what is known, or from the runtime; and what is
   learned from the call. */
#pragma once

#include "core/hooks/hooks.h"
#include "core/hooks/lookup.h"
#include "translate/walk/table.h"

/* A call, as it would go to the runtime. What is pointed to must outlive its hooks. */
struct hook_target {
    const struct request *request;
    struct runtime *runtime;
    struct bytes sent;                             /* the request in the runtime's dialect */
    struct bytes configurations[MODEL_KIND_COUNT]; /* of the request, see struct conversion */
};

/* Zero-initialised except for the first five. */
struct call_facts {
    struct hooks *hooks;
    struct hook_target target;
    struct arena *arena; /* the request's */
    enum hook_point point;
    /* They are known now. NOT_FOUND: the runtime has no such pod or container. Else, why they could not be found out; then
       `facts` has what the request has. */
    void (*found)(struct call_facts *facts, const struct error *error);

    struct hook_facts facts; /* as the plugins made them so far */
    struct bytes sent_pod;   /* the pod as the request has it: its facts, or the whole configuration */
    bool reduced;            /* else `facts` may have whole configurations: a protocol takes of them only what plugins may see */
    bool parent_changed;     /* the pod's known cgroup parent is not the one that callers send */
    bool has_environment;    /* that of the container is among the facts */
    struct lookup *lookup;   /* under way */
};

/* Finds them, and calls `found`, perhaps before this returns. */
void call_facts_find(struct call_facts *facts);

/* Leaves in the facts only what plugins may see, once they were found. To find and send them this is not needed, so that it can
   be done while the plugin works. Must be done before a plugin's answer is merged. false: out of memory. */
bool call_facts_reduce(struct call_facts *facts, struct error *error);

/* Stops asking the runtime; `found` is not called any more. */
void call_facts_cancel(struct call_facts *facts);

/* Whether the call is about a pod as a whole. */
bool call_facts_about_pod(enum hook_point point);

/* The runtime answered OK, with this new id if the call made something: learns. false: the stage after the call is not due,
   because it was before (a repeated stop), or because nothing is known. */
bool call_facts_learn(struct call_facts *facts, struct bytes new_id);
