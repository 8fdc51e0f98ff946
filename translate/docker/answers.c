#include "translate/docker/answers.h"

#include "translate/json/scan.h"

#define ID_LONGEST 255

static bool unreadable(struct error *error, const char *what)
{
    return error_set(error, STATUS_INTERNAL, "Docker's answer is not a %s", what);
}

/* An id: text that may be part of a path. */
static bool read_id(struct bytes json, struct arena *arena, struct bytes *id)
{
    bool good = json_scan_string(json, arena, id) && id->len > 0 && id->len <= ID_LONGEST;
    for (size_t i = 0; good && i < id->len; i++) {
        uint8_t byte = id->data[i];
        good = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    }
    return good;
}

bool docker_created_read(struct bytes answer, struct arena *arena, struct bytes *id, struct error *error)
{
    struct bytes value;
    return (json_scan_pick(answer, (const char *const[]){"Id"}, 1, &value) && read_id(value, arena, id)) ||
           unreadable(error, "created container with an id");
}

bool docker_inspection_read(struct bytes answer, struct arena *arena, struct docker_container *container, struct error *error)
{
    enum { ID, NAME, STATE, CONFIG, SETTINGS, COUNT };
    static const char *const keys[COUNT] = {"Id", "Name", "State", "Config", "HostConfig"};
    struct bytes values[COUNT], config[2], name, running;
    struct docker_sources sources;
    *container = (struct docker_container){0};
    if (!json_scan_pick(answer, keys, COUNT, values) || !read_id(values[ID], arena, &container->id)) {
        return unreadable(error, "container with an id");
    }
    if (!json_scan_string(values[NAME], arena, &name) || !docker_name_read(name, &sources.name) ||
        !json_scan_pick(values[CONFIG], (const char *const[]){"Labels", "Env"}, 2, config)) {
        return true;
    }
    sources.labels = config[0];
    sources.environment = config[1];
    sources.settings = values[SETTINGS];
    json_scan_pick(values[STATE], (const char *const[]){"Running"}, 1, &running);
    container->running = bytes_equal(running, bytes_of_string("true"));
    if (docker_facts_read(&sources, arena, container, error)) {
        return true;
    }
    error->code = error->code == STATUS_RESOURCE_EXHAUSTED ? STATUS_RESOURCE_EXHAUSTED : STATUS_INTERNAL;
    return error_wrap(error, "Docker's answer about container %.*s", BYTES_SHOWN(container->id, 64));
}

bool docker_list_read(struct bytes answer, struct arena *arena, void (*visit)(void *state, struct bytes id), void *state,
                      struct error *error)
{
    struct json_scan scan;
    struct bytes none, item, value, id;
    if (!json_scan_open(answer, false, &scan)) {
        return unreadable(error, "list of containers");
    }
    while (json_scan_next(&scan, &none, &item)) {
        if (!json_scan_pick(item, (const char *const[]){"Id"}, 1, &value) || !read_id(value, arena, &id)) {
            return unreadable(error, "list of containers with ids");
        }
        visit(state, id);
    }
    return !scan.malformed || unreadable(error, "list of containers");
}

struct bytes docker_message_read(struct bytes answer, struct arena *arena)
{
    struct bytes value, text;
    return json_scan_pick(answer, (const char *const[]){"message"}, 1, &value) && json_scan_string(value, arena, &text)
               ? text
               : (struct bytes){0};
}
