/* The gRPC server around the service: one thread, one completion queue; a call that waits or hangs holds no other up. */
#ifndef CRIGATE_TESTS_CRISIM_SERVER_H
#define CRIGATE_TESTS_CRISIM_SERVER_H

#include <signal.h>
#include <stdio.h>

#include "tests/crisim/service.h"

/* Serves until `*stop` is set, then cancels what is running and removes the sockets. Says "crisim: listening on ..." on stdout
   when it is ready. `journal` may be NULL. */
bool server_run(struct cri_service *service, FILE *journal, const volatile sig_atomic_t *stop, struct error *error);

#endif
