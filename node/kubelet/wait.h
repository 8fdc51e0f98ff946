/* Waits until the kubelet is healthy after its unit was restarted. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/bytes/error.h"

/* Distinguishes a process from another that got the same number later, even after a reboot. */
struct process_identity {
    char text[96]; /* "PID.TIME.BOOT": when it started, in the kernel's ticks since the boot of that id; "" for none */
};

/* "" for a process that is not there, and for 0. */
struct process_identity process_identity(pid_t pid);

struct kubelet_wait {
    const char *unit;
    const char *healthz; /* "127.0.0.1:10248"; NULL: it is not asked */
    const char *control; /* crigate's control socket, when calls of the kubelet must arrive; NULL: they need not */
    unsigned timeout;    /* milliseconds in all */
    unsigned steady;     /* milliseconds for which the same process must have been healthy, at the end */
};

/* Waits until the unit's main process is healthy, and it or another process of the unit has called. false: DEADLINE_EXCEEDED with
   what was still missing; FAILED_PRECONDITION when the service manager has given the unit up; CANCELLED when a signal arrived
   (interrupt.h). */
bool kubelet_wait(const struct kubelet_wait *wait, struct error *error);
