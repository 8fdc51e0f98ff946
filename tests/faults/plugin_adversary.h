/* Does to the node's plugins what must not matter, at random moments that a seed determines: kills, stops, restarts, replaces and
   delays them, and changes, spoils and removes their files. One thread's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/faults/history.h"
#include "tests/faults/node.h"

struct plugin_adversary;

/* Starts the plugins and writes their files. `history` gets what is known of them and of the gateway. */
struct plugin_adversary *plugin_adversary_new(struct node *node, struct history *history, uint64_t seed, unsigned faults);
void plugin_adversary_free(struct plugin_adversary *adversary);

/* Does what is due; to be called every few milliseconds, right after the step of the other adversary. `settled`: one gateway
   serves, and no other is left; only then files change. With `rest`, no new faults are begun. A plugin that ends by itself is a
   violation. */
void plugin_adversary_step(struct plugin_adversary *adversary, bool settled, bool rest);

/* Whether all that was wanted is done. */
bool plugin_adversary_is_done(const struct plugin_adversary *adversary);

/* Whether all plugins are well again, and the gateway calls them. */
bool plugin_adversary_is_quiet(const struct plugin_adversary *adversary);

/* How many faults of each kind there were. */
void plugin_adversary_print(const struct plugin_adversary *adversary, FILE *out);
