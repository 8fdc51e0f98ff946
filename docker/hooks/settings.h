/* What hooks for Docker's API need from their owner. */
#pragma once

#include "core/loop/worker.h"

struct docker_hooks_settings {
    struct worker *worker;  /* must outlive it */
    const char *docker;     /* the path of Docker Engine's socket; borrowed, like the next two */
    const char *skip_label; /* pods whose label of that name has that value get no hooks */
    const char *skip_value;
    void (*idle)(void *state); /* there were hooks after requests, and all have ended */
    void *state;
};
