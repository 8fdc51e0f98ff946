#include "connection_share.h"

#include <grpc/support/alloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "core/transport/fair_reading.h"

/* With fewer in all, there is nothing to share out. */
#define FEW_CALLS 64

/* Most processes have few descriptors: room for so many is made when the first of them is used, and stays. */
#define BLOCK 256

/* By descriptor. On the worker's thread. All times by clock_ns(). */
struct share {
    unsigned in_flight;
    int64_t last_ended;
    int64_t since;  /* when the connection that these two are of was made */
    uint64_t calls; /* that have come over it */
    int64_t last_came;
    int64_t asked_to_go;
};

static struct share *blocks[FAIR_READING_DESCRIPTORS / BLOCK];

/* NULL: none of its block was ever used. */
static struct share *find(int fd)
{
    struct share *block = blocks[fd / BLOCK];
    return block ? &block[fd % BLOCK] : NULL;
}

/* NULL: no memory. */
static struct share *make(int fd)
{
    if (!blocks[fd / BLOCK]) {
        blocks[fd / BLOCK] = calloc(BLOCK, sizeof(struct share));
    }
    return find(fd);
}

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
    return fd >= 0 && fd < FAIR_READING_DESCRIPTORS && make((int)fd) ? (int)fd : -1;
}

static void count_call(struct share *share, int fd, int64_t now)
{
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
    struct share *share = find(connection);
    count_call(share, connection, now);
    return ++share->in_flight <= connection_share_of(calls);
}

void connection_share_return(int connection)
{
    struct share *share = connection >= 0 ? find(connection) : NULL;
    if (share && --share->in_flight == 0) {
        share->last_ended = clock_ns();
    }
}

unsigned connection_share_count(int fd)
{
    const struct share *share = find(fd);
    return share ? share->in_flight : 0;
}

int64_t connection_share_last(int fd)
{
    const struct share *share = find(fd);
    return share ? share->last_ended : 0;
}

uint64_t connection_share_calls(int fd, int64_t *last)
{
    const struct share *share = find(fd);
    bool same = share && share->since == fair_reading_caller_since(fd);
    *last = same ? share->last_came : 0;
    return same ? share->calls : 0;
}

int64_t *connection_share_asked_to_go(int fd)
{
    struct share *share = make(fd);
    return share ? &share->asked_to_go : NULL;
}
