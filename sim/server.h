/* The gRPC server of the service. */
#pragma once

#include <stdio.h>

#include "sim/common/wishes.h"
#include "sim/service.h"

/* Serves until a signal stops it, then cancels running calls and removes the sockets. Prints "crisim: listening on ..." on stdout
   when it is ready. The journals may be NULL. */
bool server_run(struct cri_service *service, FILE *journal, FILE *event_journal, struct wishes *wishes, struct error *error);
