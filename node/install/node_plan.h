/* What an install finds on the node, and what it would do there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "node/deploy/map_file.h"
#include "node/install/crictl.h"
#include "node/preflight/survey.h"

struct node_plan {
    struct survey survey; /* has a kubelet, a plan for it, and a runtime that answers */
    const char *endpoint; /* that crigate listens on */
    const char *direct;   /* that of the runtime behind it, the primary */
    const char *compared; /* whose lists must be those through crigate: the same, or the Docker that is built into the kubelet */
    enum dialect dialect; /* the newest that this runtime speaks */
    struct wanted_runtime runtimes[RUNTIMES_FOUND_MOST];
    struct wanted_map map;
    struct map_plan map_plan;
    bool writes_unit; /* there is none */
    struct planned_file unit;
    bool writes_docker_unit; /* likewise; only where the kubelet has Docker built in */
    struct planned_file docker_unit;
    struct crictl_plan crictl;
};

/* Plans from a survey, which the caller has put there. Writes nothing. Everything lives in the arena. `replace_map`: a map of the
   operator's own may be overwritten; `creates_crictl`: see crictl_plan. false: the reason why crigate must not be installed;
   survey.plan.by_hand and survey.search.candidates may have more lines about it. */
bool node_plan_make(struct node_plan *plan, bool replace_map, bool creates_crictl, struct arena *arena, struct error *error);

/* Prints the differences of all files that would change. */
void node_plan_print_files(const struct node_plan *plan);

/* The control socket of the crigate that runs with the map as it is now; in the arena, NULL without memory. */
const char *node_plan_control(struct arena *arena);
