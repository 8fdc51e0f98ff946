/* What signals have requested of a simulated server. Any thread may receive a signal, those of C core as well. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

struct wishes {
    atomic_bool stop; /* SIGTERM, SIGINT */
    atomic_bool late; /* send answers late: from SIGUSR1 until SIGUSR2 */
    atomic_bool drop; /* end the streams of events, once: SIGHUP */
};

/* Catches these signals, SIGHUP only if `drops`, and returns the process's wishes. */
struct wishes *wishes_catch(bool drops);
