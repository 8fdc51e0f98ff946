#include "core/map/listen.h"

#include <sys/stat.h>

#include "base/system/unix_socket.h"
#include "core/map/names.h"

/* What agents that only read get by default: much less than kubelets, beside whom they call. */
#define AGENT_CONNECTIONS 64
#define AGENT_CALLS 256
#define AGENT_STREAMS 64

static const struct parsed_socket default_socket = {.entry = {.mode = 0660}, .group.gid = (gid_t)-1};

static void read_socket_limits(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    static const struct yaml_key keys[] = {
        {"connections", false, offsetof(struct map_socket, limits.connections), value_connections, NULL},
        {"calls", false, offsetof(struct map_socket, limits.calls), value_calls, NULL},
        {"streams", false, offsetof(struct map_socket, limits.streams), value_calls, NULL},
    };
    struct place places[sizeof keys / sizeof keys[0]] = {0};
    yaml_read_mapping(reader, node, what, keys, sizeof keys / sizeof keys[0], value, places);
}

static const struct yaml_key socket_keys[LISTEN_KEYS] = {
    [LISTEN_ADDRESS] = {"address", true, offsetof(struct parsed_socket, entry.address), value_socket, NULL},
    [LISTEN_MODE] = {"mode", false, offsetof(struct parsed_socket, entry.mode), value_mode, NULL},
    [LISTEN_GROUP] = {"group", false, offsetof(struct parsed_socket, group), value_group, NULL},
    [LISTEN_CALLERS] = {"callers", false, offsetof(struct parsed_socket, callers), value_callers, NULL},
    [LISTEN_UIDS] = {"uids", false, offsetof(struct parsed_socket, uids), NULL, value_users},
    [LISTEN_GIDS] = {"gids", false, offsetof(struct parsed_socket, gids), NULL, value_groups},
    [LISTEN_ACCESS] = {"access", false, offsetof(struct parsed_socket, entry.read_only), value_access, NULL},
    [LISTEN_LIMITS] = {"limits", false, offsetof(struct parsed_socket, entry), NULL, read_socket_limits},
};

static void read_socket(struct yaml_reader *reader, yaml_node_t *node, const char *what, struct parsed_socket *socket)
{
    socket->place = yaml_place(reader, node);
    if (node->type == YAML_SCALAR_NODE) {
        socket->places[LISTEN_ADDRESS] = yaml_place(reader, node);
        yaml_read_scalar(reader, node, what, value_socket, &socket->entry.address);
    } else if (yaml_read_mapping(reader, node, what, socket_keys, LISTEN_KEYS, socket, socket->places)) {
        socket->is_mapping = true;
    }
}

/* Sockets without a value, in the arena. */
static bool begin(struct yaml_reader *reader, struct parsed_map *parsed, size_t count)
{
    parsed->sockets = arena_alloc(reader->memory, count * sizeof *parsed->sockets);
    parsed->socket_count = parsed->sockets ? count : 0;
    for (size_t i = 0; i < parsed->socket_count; i++) {
        parsed->sockets[i] = default_socket;
    }
    return parsed->sockets != NULL;
}

static void read_list(struct yaml_reader *reader, yaml_node_t *node, const char *what, struct parsed_map *parsed)
{
    size_t count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    if (count == 0) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: the list is empty; name at least one socket", what);
    } else if (count > MAP_MOST_SOCKETS) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: %zu sockets; at most %d", what, count, MAP_MOST_SOCKETS);
    } else if (!begin(reader, parsed, count)) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: out of memory", what);
    } else {
        for (size_t i = 0; i < count; i++) {
            read_socket(reader, yaml_document_get_node(&reader->document, node->data.sequence.items.start[i]), what,
                        &parsed->sockets[i]);
        }
    }
}

void listen_read(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    struct parsed_map *parsed = value;
    if (node->type == YAML_SEQUENCE_NODE) {
        read_list(reader, node, what, parsed);
    } else if (parsed->socket_count > 1) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: %s has a list of sockets; write the whole list here, too",
                     what, place_text(reader->problems, yaml_place(reader, node), parsed->sockets[0].place).text);
    } else if (parsed->socket_count == 1 || begin(reader, parsed, 1)) {
        read_socket(reader, node, what, parsed->sockets);
    } else {
        problems_add(reader->problems, yaml_place(reader, node), "%s: out of memory", what);
    }
}

/* ---- the whole ---- */

void listen_note_missing(struct parsed_map *parsed)
{
    for (size_t i = 0; i < parsed->socket_count; i++) {
        const struct parsed_socket *socket = &parsed->sockets[i];
        if (socket->is_mapping) {
            yaml_note_missing(parsed->problems, socket->place, "listen", socket_keys, LISTEN_KEYS, socket->places);
        }
    }
}

static bool is_any_full(const struct parsed_map *parsed)
{
    bool full = parsed->socket_count == 0;
    for (size_t i = 0; i < parsed->socket_count; i++) {
        full = full || !parsed->sockets[i].entry.read_only;
    }
    return full;
}

void listen_check(struct parsed_map *parsed)
{
    for (size_t i = 0; i < parsed->socket_count; i++) {
        const struct parsed_socket *socket = &parsed->sockets[i];
        if (socket->entry.mode & S_IWOTH && socket->entry.read_only) {
            problems_warn(
                parsed->problems, socket->places[LISTEN_MODE],
                "mode: every user of this node may see all pods, images and statistics; \"0660\" and a group are safer");
        } else if (socket->entry.mode & S_IWOTH) {
            problems_warn(
                parsed->problems, socket->places[LISTEN_MODE],
                "mode: every user of this node may call the runtimes, which is equivalent to root access; \"0660\" and a "
                "group are safer");
        }
    }
    if (!is_any_full(parsed)) {
        problems_warn(parsed->problems, parsed->sockets[0].places[LISTEN_ACCESS],
                      "access: no socket takes calls that change something, so no kubelet can use this crigate; add one with "
                      "access: full");
    }
}

static void finish_socket(const struct parsed_map *parsed, const struct parsed_socket *socket, struct map_socket *entry)
{
    *entry = socket->entry;
    entry->path = unix_socket_path(entry->address);
    entry->group = socket->group.name;
    entry->gid = socket->group.gid;
    entry->callers = socket->callers.release;
    entry->callers_lack_masked_paths = socket->callers.lack_masked_paths;
    entry->uids = socket->uids.items;
    entry->uid_count = socket->uids.count;
    entry->gids = socket->gids.items;
    entry->gid_count = socket->gids.count;
    bool agents = entry->read_only;
    const unsigned connections = agents ? AGENT_CONNECTIONS : parsed->map->limits.connections;
    const unsigned calls = agents ? AGENT_CALLS : parsed->map->limits.calls;
    const unsigned streams = agents ? AGENT_STREAMS : parsed->map->limits.streams;
    entry->limits.connections = entry->limits.connections ? entry->limits.connections : connections;
    entry->limits.calls = entry->limits.calls ? entry->limits.calls : calls;
    entry->limits.streams = entry->limits.streams ? entry->limits.streams : streams;
}

bool listen_finish(struct parsed_map *parsed)
{
    struct runtime_map *map = parsed->map;
    struct map_socket *more = arena_alloc(map->memory, parsed->socket_count * sizeof *more);
    size_t first = 0;
    while (first < parsed->socket_count && parsed->sockets[first].entry.read_only) {
        first++;
    }
    first = first < parsed->socket_count ? first : 0;
    for (size_t i = 0; more && i < parsed->socket_count; i++) {
        bool kubelets = i == first;
        struct map_socket *entry = kubelets ? &map->listen : &more[map->more_socket_count];
        finish_socket(parsed, &parsed->sockets[i], entry);
        /* Half of them are the first one's. */
        entry->parts = parsed->socket_count == 1 ? 1 : kubelets ? 2 : 2 * (unsigned)(parsed->socket_count - 1);
        map->more_socket_count += !kubelets;
    }
    map->more_sockets = more;
    return more != NULL;
}
