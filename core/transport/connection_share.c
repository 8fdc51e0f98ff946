#include "connection_share.h"

#include <grpc/support/alloc.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/transport/fair_reading.h"

/* With fewer in all, there is nothing to share out. */
#define FEW_CALLS 64

/* By descriptor. On the worker's thread. All times by clock_ns(). */
static struct share {
    unsigned in_flight;
    int64_t last_ended;
    int64_t since;  /* when the connection that these two are of was made */
    uint64_t calls; /* that have come over it */
    int64_t last_came;
} shares[FAIR_READING_DESCRIPTORS];

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

static void count_call(int fd, int64_t now)
{
    struct share *share = &shares[fd];
    int64_t since = fair_reading_caller_since(fd);
    if (share->since != since) {
        share->since = since;
        share->calls = 0;
    }
    share->calls++;
    share->last_came = now;
}

bool connection_share_take(int connection, unsigned calls, int64_t now)
{
    if (connection < 0) {
        return true;
    }
    count_call(connection, now);
    return ++shares[connection].in_flight <= connection_share_of(calls);
}

void connection_share_return(int connection)
{
    if (connection >= 0 && --shares[connection].in_flight == 0) {
        shares[connection].last_ended = clock_ns();
    }
}

unsigned connection_share_count(int fd)
{
    return shares[fd].in_flight;
}

int64_t connection_share_last(int fd)
{
    return shares[fd].last_ended;
}

uint64_t connection_share_calls(int fd, int64_t *last)
{
    const struct share *share = &shares[fd];
    bool same = share->since == fair_reading_caller_since(fd);
    *last = same ? share->last_came : 0;
    return same ? share->calls : 0;
}
