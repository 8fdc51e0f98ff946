/* Who is at the other end of a Unix socket, and whether that user may call. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/log/log.h"

/* As the kernel noted it when the connection was made. */
struct peer {
    pid_t pid; /* 0 when it lives outside of our pid namespace */
    uid_t uid;
    gid_t gid;
};

/* Who may call, besides root and the user that this process runs as. Borrowed. */
struct peer_rules {
    gid_t group; /* the socket's; (gid_t)-1: none */
    const uid_t *uids;
    size_t uid_count;
    const gid_t *gids;
    size_t gid_count;
};

/* false when the kernel does not know. */
bool peer_of(int connection, struct peer *peer);

/* Root, or the user that this process runs as. */
bool peer_is_owner(const struct peer *peer);

/* Whether the rules let that one in. All its groups count, not only the primary one. */
bool peer_may_call(int connection, const struct peer *peer, const struct peer_rules *rules);

/* Logs that a peer was refused because `most` callers are connected; as peer_log_refusal. */
void peer_log_surplus(struct log_limit *limit, const struct peer *peer, const char *socket_name, size_t most);

/* Logs that a peer was refused at that socket (`socket_name`), at most one line a second; a line has the number of refusals
 * without one. */
void peer_log_refusal(struct log_limit *limit, const struct peer *peer, const char *socket_name);
