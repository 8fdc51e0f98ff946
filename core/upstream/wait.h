/* Upstream calls that wait for what another one of the same runtime gets: see share.h. */
#pragma once

#include "core/upstream/call.h"

/* The upstream call that it is embedded in. */
struct upstream_call *wait_owner(struct shared_call *shared);

/* From now on other calls may wait for it, until wait_close: it is in a list of its runtime. */
void wait_open(struct upstream_call *leader, struct shared_call_list *list);

/* It is waited for no longer. Those that wait go to `waiting`, of which the caller has to take each out with wait_end or
   wait_turns. */
void wait_close(struct upstream_call *leader, struct shared_call_list *waiting);

/* The same between two lists; `to` has no content before. */
void wait_move(struct shared_call_list *from, struct shared_call_list *to);

/* Whether what `leader` gets will be new enough for a call that comes now: it is not older than a second, its caller has not
   gone, and nothing may have changed the runtime's state since it began. */
bool wait_is_worth(const struct upstream_call *leader, const struct upstream_call *upstream);

/* Waits. `over` runs, before wait_end, at the deadline, or if its caller is gone (shared.cancelled). */
void wait_begin(struct upstream_call *leader, struct upstream_call *upstream, gpr_timespec deadline,
                void (*over)(struct upstream_call *upstream));

/* It continues to wait, until another deadline. */
void wait_renew(struct upstream_call *upstream, gpr_timespec deadline);

/* It waits no longer, and is in no list. */
void wait_end(struct upstream_call *upstream);

/* `then` runs when it is its turn: after those of all that wait for theirs already, and never before this returns. */
void wait_turn(struct upstream_call *upstream, void (*then)(struct upstream_call *upstream));

/* wait_end and wait_turn for each: what they have waited for is there, and each must be answered now. */
void wait_turns(struct shared_call_list *waiting, void (*then)(struct upstream_call *upstream));

/* The one with the latest deadline, whose answer can serve the others for longest; NULL if the callers of all are gone. */
struct upstream_call *wait_most_patient(const struct shared_call_list *waiting);
