/* C core without a network: in place of its calls (the linker's --wrap), batches that the test completes, in an order and with
   results that it chooses. Holds what C core demands of its users, and fails the test otherwise: a part of a call is asked for
   once, and a call is released once, when nothing more is written to what was asked for. */
#pragma once

#include <grpc/grpc.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- choices ---- */

/* A number below `count`, which is not 0: at random, or the next one of all sequences of choices there are. */
unsigned fake_choose(unsigned count);

/* All choices are random from now on, with that seed. */
void fake_choose_at_random(uint64_t seed);

/* All sequences of choices, one after another: call it before each. false: the last one has been tried, or as many as are tried
   at most. */
bool fake_choose_next_sequence(void);

/* From now on nothing unlikely happens, and each runtime and plugin answers with one message and OK, in the order of the
 * questions. */
void fake_choose_calm(void);

/* Whether something unlikely happens, about once in that many times. Never while all sequences are tried. */
bool fake_chance(unsigned times);

/* ---- calls ---- */

/* From now on: batches are refused, and memory for calls is lacking, at random; or one batch in each sequence of choices. */
void fake_trouble(bool trouble);

/* A call arrives at the server, if it expects one, with that method and message. Returns whether it did. */
bool fake_arrive(const char *method, const char *message, size_t size, int64_t milliseconds);

/* The allocation of that number from now on fails, of those of crigate's own code, of json-c and protobuf-c where there are
   archives of them, and of what is taken out of an arena; 0: none. */
void fake_fail_allocation(unsigned long number);

/* Whether it has. */
bool fake_allocation_failed(void);

/* What the caller whose call ended last was told. */
struct fake_reply {
    grpc_status_code status;
    char details[256];
    uint64_t messages; /* a hash of all */
};
const struct fake_reply *fake_last_reply(void);

/* How many calls the server could take in now. */
unsigned fake_expected(void);

enum fake_callers {
    CALLERS_WAIT,
    CALLERS_MAY_LEAVE,
    CALLERS_LEAVE, /* all of them, now */
};

/* Completes a batch, or has a caller hang up. false: there was nothing to do. */
bool fake_step(enum fake_callers callers);

/* All callers hang up, and crigate learns of it, before anything else happens. */
void fake_leave(void);

/* How many calls to runtimes and plugins have not ended, and were not cancelled. */
unsigned fake_working(void);

/* No more arrive: what the server expects ends without a call. */
void fake_end_expected(void);

/* Fails unless every call was released, every caller has its end, and nothing is under way. Forgets them all. */
void fake_end(void);
