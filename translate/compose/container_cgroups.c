#include "translate/compose/container_cgroups.h"

#include <stdio.h>

#include "translate/bytes/slice.h"

/* Longer ones are not a container's. */
#define LONGEST_PATH 1024
#define LONGEST_UID 64
#define ID_DIGITS 64

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

static bool is_made_of(struct bytes text, const char *some, const char *more)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\0' || (!strchr(some, text.data[i]) && !strchr(more, text.data[i]))) {
            return false;
        }
    }
    return text.len > 0;
}

static bool is_id(struct bytes id)
{
    return id.len == ID_DIGITS && is_made_of(id, "0123456789abcdef", "");
}

/* Dots alone are not a name; a name that begins with one is not a cgroup of a pod. */
static bool is_name(struct bytes name)
{
    return is_made_of(name, letters, "-_.:@\\") && name.data[0] != '.';
}

/* The path without slashes at its ends; empty if one of its parts is not a name. */
static struct bytes path_of(struct bytes parent)
{
    while (parent.len > 0 && parent.data[0] == '/') {
        parent = bytes_after(parent, 1);
    }
    while (parent.len > 0 && parent.data[parent.len - 1] == '/') {
        parent.len--;
    }
    for (struct bytes rest = parent; rest.len > 0;) {
        const uint8_t *slash = memchr(rest.data, '/', rest.len);
        size_t length = slash ? (size_t)(slash - rest.data) : rest.len;
        if (!is_name(bytes_of(rest.data, length))) {
            return (struct bytes){0};
        }
        rest = bytes_after(rest, slash ? length + 1 : length);
    }
    return parent;
}

/* ---- all of them ---- */

struct cgroups {
    struct arena *arena;
    struct bytes id;
    const char **paths;
    size_t count;
};

/* The slice that is the last part of a path, with those that it is in; NULL: it is the usual name of none, or no memory. */
static const char *find_slices(struct bytes path, struct arena *arena)
{
    const uint8_t *slash = memrchr(path.data, '/', path.len);
    struct bytes slice = slash ? bytes_after(path, (size_t)(slash - path.data) + 1) : path;
    const char *slices = slice_is_name(slice) ? slice_path(slice, arena) : NULL;
    return slices ? slices + strlen("/") : NULL;
}

/* `parent` is a path of names. */
static void add_below(struct cgroups *cgroups, struct bytes parent)
{
    char path[LONGEST_PATH] = "";
    int length = 0;
    if (bytes_end_with(parent, bytes_of_string(".slice"))) {
        const char *slices = find_slices(parent, cgroups->arena);
        length = !slices ? 0 : snprintf(path, sizeof path, "%s/docker-%.*s.scope", slices, BYTES_SHOWN(cgroups->id, ID_DIGITS));
    } else if (parent.len > 0 && parent.len < sizeof path) {
        length = snprintf(path, sizeof path, "%.*s/%.*s", BYTES_SHOWN(parent, LONGEST_PATH), BYTES_SHOWN(cgroups->id, ID_DIGITS));
    }
    const char *copy = length > 0 && (size_t)length < sizeof path ? arena_string(cgroups->arena, bytes_of_string(path)) : NULL;
    if (copy) {
        cgroups->paths[cgroups->count++] = copy;
    }
}

/* Kubelets write an underscore for each dash of the uid, because systemd gives dashes a meaning. */
static void add_of_pod(struct cgroups *cgroups, struct bytes uid)
{
    static const char *const forms[] = {
        "kubepods-burstable-pod%s.slice", "kubepods-besteffort-pod%s.slice", "kubepods-pod%s.slice",
        "kubepods/burstable/pod%s",       "kubepods/besteffort/pod%s",       "kubepods/pod%s",
    };
    char plain[LONGEST_UID + 1], escaped[LONGEST_UID + 1], parent[LONGEST_UID + 64];
    snprintf(plain, sizeof plain, "%.*s", BYTES_SHOWN(uid, LONGEST_UID));
    snprintf(escaped, sizeof escaped, "%s", plain);
    for (char *dash = escaped; (dash = strchr(dash, '-')) != NULL;) {
        *dash = '_';
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *slash = strchr(forms[i], '/');
        const char *end = strchr(forms[i], '%');
        snprintf(parent, sizeof parent, "%.*s%s%s", (int)(end - forms[i]), forms[i], slash ? plain : escaped, end + 2);
        add_below(cgroups, bytes_of_string(parent));
    }
}

size_t container_cgroups(struct arena *arena, const struct container_place *place, const char *paths[CONTAINER_CGROUPS])
{
    struct cgroups cgroups = {.arena = arena, .id = place->id, .paths = paths};
    if (!is_id(place->id)) {
        return 0;
    }
    add_below(&cgroups, path_of(place->parent));
    if (place->uid.len <= LONGEST_UID && is_made_of(place->uid, letters, "-")) {
        add_of_pod(&cgroups, place->uid);
    }
    add_below(&cgroups, bytes_of_string("system.slice"));
    add_below(&cgroups, bytes_of_string("docker"));
    return cgroups.count;
}
