/* What `crigate install` does, step by step. */
#pragma once

#include <stdbool.h>

#include "node/install/node_plan.h"
#include "node/journal/journal.h"

struct install {
    struct arena *arena;
    struct journal *journal; /* NULL: nothing is written, steps are only listed */
    struct node_plan node;
    unsigned timeout;  /* milliseconds for the kubelet to become healthy and call crigate */
    bool calls_arrive; /* the kubelet's process calls crigate already: it needs no restart */
    bool kept_down;    /* the runtime does not serve the package that the kubelet asks for, so that the kubelet does not start
                          without crigate */
};

enum install_step_kind {
    STEP_MAP,          /* writes the runtime map */
    STEP_UNIT,         /* writes the unit */
    STEP_DOCKER_FILES, /* writes what the unit that replaces a built-in Docker needs */
    STEP_DOCKER,       /* enables and starts that unit, and waits until it answers */
    STEP_SERVICE,      /* enables and starts crigate, and waits until it is ready */
    STEP_COMPARE,      /* compares lists direct and through */
    STEP_FILES,        /* changes the kubelet's files */
    STEP_KUBELET,      /* restarts the kubelet, and waits until it is healthy and calls crigate */
    STEP_CRICTL,       /* leads crictl to crigate */
    STEP_COUNT,
};

/* Whether the step has anything to do here. */
bool install_step_wanted(const struct install *install, enum install_step_kind kind);

/* What the step does, as text: "write the runtime map /etc/crigate/crigate.yaml". In the arena. */
const char *install_step_text(const struct install *install, enum install_step_kind kind);

/* Does all that are wanted, one after another, with a line for each. Stops at the first that fails, or at a signal: CANCELLED.
 */
bool install_steps_run(struct install *install, struct error *error);

/* Prints the list of the steps. */
void install_steps_print(const struct install *install);
