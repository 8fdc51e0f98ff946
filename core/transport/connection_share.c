#include "connection_share.h"

#include <grpc/support/alloc.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/transport/fair_reading.h"

/* With fewer in all, there is nothing to share out. */
#define FEW_CALLS 64

/* Calls in flight by their connection's descriptor. On the worker's thread. */
static unsigned calls_of[FAIR_READING_DESCRIPTORS];
static int64_t last_of[FAIR_READING_DESCRIPTORS]; /* when the last call ended, clock_ns() */

unsigned connection_share_of(unsigned calls)
{
    return calls / 2 > FEW_CALLS ? calls / 2 : calls;
}

/* C core names a connection that was added by its descriptor after that: "fd:12". */
int connection_share_connection(grpc_call *call)
{
    static const char before[] = "fd:";
    char *peer = grpc_call_get_peer(call);
    bool named = peer && strncmp(peer, before, sizeof before - 1) == 0;
    long fd = named ? strtol(peer + sizeof before - 1, NULL, 10) : -1;
    gpr_free(peer);
    return fd >= 0 && fd < FAIR_READING_DESCRIPTORS ? (int)fd : -1;
}

bool connection_share_take(int connection, unsigned calls)
{
    return connection < 0 || ++calls_of[connection] <= connection_share_of(calls);
}

void connection_share_return(int connection)
{
    if (connection >= 0 && --calls_of[connection] == 0) {
        last_of[connection] = clock_ns();
    }
}

unsigned connection_share_count(int fd)
{
    return calls_of[fd];
}

int64_t connection_share_last(int fd)
{
    return last_of[fd];
}
