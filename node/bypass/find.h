/* What is on the node, for `crigate bypass`. Only reads. It works without a crigate that answers, and without a runtime map. */
#pragma once

#include "core/control/bypass_record.h"
#include "node/bypass/judge.h"

#define BYPASS_OTHERS_MOST 16

struct bypass_wish {
    const char *config;  /* the runtime map */
    const char *runtime; /* --runtime: a name in the map or a socket; NULL: the primary */
};

struct bypass_found {
    struct bypass_facts facts; /* points into the rest */
    const char *state;         /* the state folder of the map, or the default */
    struct runtime_found direct;
    struct kubelet kubelet;
    struct error kubelet_error;
    struct bypass_other others[BYPASS_OTHERS_MOST];
    const char *healthz; /* of the kubelet; NULL: none, or not known */
};

/* Finds everything, and asks runtimes, each of them for a few seconds at most. `record` is that of a bypass that is on already,
   or NULL: its link and target are used unless another target is requested. FAILED_PRECONDITION or INVALID_ARGUMENT: it is
   unclear which socket should lead where. Strings live in the arena. */
bool bypass_find(const struct bypass_wish *wish, const struct bypass_record *record, struct arena *arena,
                 struct bypass_found *found, struct error *error);
