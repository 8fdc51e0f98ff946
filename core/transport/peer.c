#include "peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json/build.h"

bool peer_of(int connection, struct peer *peer)
{
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0 || size != sizeof credentials) {
        return false;
    }
    *peer = (struct peer){.pid = credentials.pid, .uid = credentials.uid, .gid = credentials.gid};
    return true;
}

bool peer_is_owner(const struct peer *peer)
{
    return peer->uid == 0 || peer->uid == geteuid();
}

/* Users and groups are numbers of one type. */
static bool contains(const unsigned *ids, size_t count, unsigned id)
{
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = ids[i] == id;
    }
    return found;
}

static bool group_may_call(const struct peer_rules *rules, gid_t group)
{
    return group != (gid_t)-1 && (group == rules->group || contains(rules->gids, rules->gid_count, group));
}

/* The supplementary groups, to be freed; NULL when there are none or the kernel does not know. */
static gid_t *groups_of(int connection, size_t *count)
{
    *count = 0;
    socklen_t size = 0;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, NULL, &size) == 0 || errno != ERANGE) {
        return NULL;
    }
    gid_t *groups = malloc(size);
    if (groups && getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, groups, &size) == 0) {
        *count = size / sizeof *groups;
    }
    return groups;
}

static bool any_group_may_call(int connection, const struct peer_rules *rules)
{
    size_t count;
    gid_t *groups = groups_of(connection, &count);
    bool may = false;
    for (size_t i = 0; i < count && !may; i++) {
        may = group_may_call(rules, groups[i]);
    }
    free(groups);
    return may;
}

bool peer_may_call(int connection, const struct peer *peer, const struct peer_rules *rules)
{
    return peer_is_owner(peer) || group_may_call(rules, peer->gid) || contains(rules->uids, rules->uid_count, peer->uid) ||
           any_group_may_call(connection, rules);
}

static void log_refusal(struct log_limit *limit, const struct peer *peer, const char *socket_name, const char *why)
{
    unsigned skipped;
    if (!log_limit_allows(limit, &skipped)) {
        return;
    }
    struct json_object *fields = json_object_new_object();
    json_add(fields, "socket", json_object_new_string(socket_name));
    json_add(fields, "pid", json_object_new_int64(peer->pid));
    json_add(fields, "uid", json_object_new_int64(peer->uid));
    json_add(fields, "gid", json_object_new_int64(peer->gid));
    if (skipped > 0) {
        json_add(fields, "refused_before", json_object_new_int64(skipped));
    }
    log_fields(LOG_SERIOUS, why, fields);
}

void peer_log_refusal(struct log_limit *limit, const struct peer *peer, const char *socket_name)
{
    log_refusal(limit, peer, socket_name, "refused a connection: its user is not allowed to connect");
}

void peer_log_surplus(struct log_limit *limit, const struct peer *peer, const char *socket_name, size_t most)
{
    char why[96];
    snprintf(why, sizeof why, "refused a connection: %zu callers are connected (limits.connections)", most);
    log_refusal(limit, peer, socket_name, why);
}
