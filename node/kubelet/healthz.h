/* The kubelet's health, as it reports it. */
#pragma once

#include <stdbool.h>

#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

/* Asks for http://ADDRESS/healthz, an address and a port such as "127.0.0.1:10248" or "[::1]:10248", for at most `timeout`
   milliseconds. An address that means all of the machine's is asked at the loopback address. false: UNAVAILABLE if there is no
   answer in time, FAILED_PRECONDITION if the answer is not "ok", INVALID_ARGUMENT if this is not an address. */
bool healthz_ask(const char *address, unsigned timeout, struct error *error);

/* Whether this is an HTTP answer with status 200 and the text "ok". Otherwise the error has what it is, without what could
   control a terminal. */
bool healthz_is_well(struct bytes answer, struct error *error);
