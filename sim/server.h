/* The gRPC server around the service: one thread, one completion queue; a call that waits or hangs holds no other up. */
#pragma once

#include <stdatomic.h>
#include <stdio.h>

#include "sim/service.h"

/* What signals have asked for. Any thread may take a signal, those of C core as well. */
struct wishes {
    atomic_bool stop;
    atomic_bool late; /* send answers late */
    atomic_bool drop; /* end the streams of events, once */
};

/* Serves until it is to stop, then cancels what is running and removes the sockets. Says "crisim: listening on ..." on stdout
   when it is ready. The journals may be NULL. */
bool server_run(struct cri_service *service, FILE *journal, FILE *event_journal, struct wishes *wishes, struct error *error);
