/* Does to the node's processes what must not matter, at random moments that a seed determines: kills, stops, replaces, delays and
   unplugs runtimes, and kills, restarts and relieves the gateway. One thread's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/faults/node.h"

struct adversary;

/* The node's processes must run. So many faults of runtimes and of the gateway are wanted. With `gentle` only those that break
   off no call: late answers and takeovers. */
struct adversary *adversary_new(struct node *node, uint64_t seed, unsigned faults, unsigned gateway_faults, bool gentle);
void adversary_free(struct adversary *adversary);

/* Does what is due; to be called every few milliseconds. With `rest`, no new faults are begun. A process that ends by itself is a
   violation. */
void adversary_step(struct adversary *adversary, bool rest);

/* Whether all that was wanted is done. */
bool adversary_is_done(const struct adversary *adversary);

/* It has some more faults to do. */
void adversary_go_on(struct adversary *adversary);

/* Whether all processes are well again. */
bool adversary_is_quiet(const struct adversary *adversary);

/* Whether one gateway serves, and no other that is about to end is left. */
bool adversary_gateway_is_settled(const struct adversary *adversary);

/* How many gateways were killed, or failed, when they took over. */
unsigned adversary_failed_takeovers(const struct adversary *adversary);

/* "412 of 1000 faults of runtimes, 40 of 100 of the gateway" */
void adversary_print_progress(const struct adversary *adversary, FILE *out);

/* How many of each kind there were. */
void adversary_print(const struct adversary *adversary, FILE *out);
