#include "translate/docker/parent.h"

#include "translate/bytes/slice.h"

bool docker_parent_path(struct bytes text, struct arena *arena, struct bytes *path, struct error *error)
{
    char *made = slice_path(text, arena);
    *path = bytes_of_string(made);
    return made || error_no_memory(error);
}

bool docker_parent_text(struct bytes path, struct bytes now, struct arena *arena, struct bytes *text, struct error *error)
{
    struct bytes again;
    *text = path;
    if (!slice_is_name(now)) {
        return true;
    }
    for (size_t i = path.len; i > 0; i--) {
        if (path.data[i - 1] == '/') {
            *text = bytes_after(path, i);
            break;
        }
    }
    if (!docker_parent_path(*text, arena, &again, error)) {
        return false;
    }
    return (slice_is_name(*text) && bytes_equal(again, path)) ||
           error_set(error, STATUS_INVALID_ARGUMENT, "linux.cgroup_parent: %.*s is not the path of one of systemd's slices",
                     BYTES_SHOWN(path, 200));
}
