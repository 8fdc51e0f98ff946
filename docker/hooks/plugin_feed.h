/* The plugins that the files of a folder name: read again whenever something in it changes. */
#pragma once

#include "base/bytes/error.h"
#include "core/plugins/list.h"

struct plugin_feed;

/* Hands over a list, which is the callee's then; NULL: no plugins. */
typedef void plugin_feed_deliver(void *state, struct plugin_list *plugins);

/* Reads the folder, whose path is borrowed, and watches it on a thread of its own. `deliver` runs before this returns, and then
   on that thread for each change. `timeout`: milliseconds, for a plugin whose file gives no other. */
struct plugin_feed *plugin_feed_open(const char *folder, unsigned timeout, plugin_feed_deliver *deliver, void *state,
                                     struct error *error);

/* Ends the thread. */
void plugin_feed_close(struct plugin_feed *feed);
