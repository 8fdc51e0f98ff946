/* The kubelet's own word on its health. */
#pragma once

#include <stdbool.h>

#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

/* Asks for http://ADDRESS/healthz, an address and a port such as "127.0.0.1:10248" or "[::1]:10248", for at most `timeout`
   milliseconds. An address that means all of the machine's is asked at the loopback address. false: UNAVAILABLE when nobody
   answers in time, FAILED_PRECONDITION when the answer is not well, INVALID_ARGUMENT when this is no address. */
bool healthz_ask(const char *address, unsigned timeout, struct error *error);

/* Whether this is an HTTP answer with status 200 and the text "ok". Otherwise the error has what it is, without what could
   control a terminal. */
bool healthz_is_well(struct bytes answer, struct error *error);
