/* The gRPC server of the service: one thread, one completion queue; a call that waits or hangs blocks no other. */
#pragma once

#include <stdatomic.h>
#include <stdio.h>

#include "sim/service.h"

/* What signals have requested. Any thread may receive a signal, those of C core as well. */
struct wishes {
    atomic_bool stop;
    atomic_bool late; /* send answers late */
    atomic_bool drop; /* end the streams of events, once */
};

/* Serves until a signal stops it, then cancels running calls and removes the sockets. Prints "crisim: listening on ..." on stdout
   when it is ready. The journals may be NULL. */
bool server_run(struct cri_service *service, FILE *journal, FILE *event_journal, struct wishes *wishes, struct error *error);
