#include "node/kubelet/checkpoints.h"

#include <dirent.h>
#include <stdio.h>

#include "base/bytes/shown.h"
#include "base/json/build.h"
#include "base/json/read.h"
#include "node/files/node_file.h"
#include "node/systemd/join.h"
#include "translate/json/json.h"

/* Not one node in a thousand has this many; the names of this many are enough. */
#define MOST_FILES 4096
#define MOST_NAMES 5
#define FILE_MEMORY ((size_t)4 << 20)

struct looking {
    struct arena *arena;
    const char *names;
    size_t count;
};

static bool has_ports(struct json_object *checkpoint)
{
    struct json_object *data = json_member_of(checkpoint, "data", json_type_object);
    struct json_object *ports = json_member_of(data, "port_mappings", json_type_array);
    return ports && json_count(ports) > 0 && !json_object_get_boolean(json_member_of(data, "host_network", json_type_boolean));
}

static void add(struct looking *looking, struct json_object *checkpoint)
{
    struct json_object *name = json_member_of(checkpoint, "name", json_type_string);
    struct json_object *space = json_member_of(checkpoint, "namespace", json_type_string);
    if (!name || !space || !looking->names || ++looking->count > MOST_NAMES) {
        return;
    }
    looking->names = join_strings(looking->arena, looking->names, looking->names[0] ? ", " : "",
                                  shown_text(bytes_of_string(json_object_get_string(space)), looking->arena), "/",
                                  shown_text(bytes_of_string(json_object_get_string(name)), looking->arena), (char *)NULL);
}

static void look_at(struct looking *looking, const char *path)
{
    struct arena *scratch = arena_new(FILE_MEMORY);
    struct node_file file;
    struct error ignored;
    if (scratch && node_file_read(path, scratch, &file, &ignored) && file.present) {
        struct json_object *checkpoint = json_from_text(file.text, &ignored);
        if (has_ports(checkpoint)) {
            add(looking, checkpoint);
        }
        json_object_put(checkpoint);
    }
    arena_unref(scratch);
}

const char *checkpoints_with_ports(const char *folder, struct arena *arena)
{
    struct looking looking = {.arena = arena, .names = ""};
    DIR *files = opendir(folder);
    size_t left = MOST_FILES;
    for (struct dirent *entry; files && left > 0 && (entry = readdir(files)); left--) {
        const char *path = entry->d_name[0] == '.' ? NULL : join_strings(arena, folder, "/", entry->d_name, (char *)NULL);
        if (path) {
            look_at(&looking, path);
        }
    }
    if (files) {
        closedir(files);
    }
    if (looking.names && looking.count > MOST_NAMES) {
        char more[32];
        snprintf(more, sizeof more, " and %zu more", looking.count - MOST_NAMES);
        return join_strings(arena, looking.names, more, (char *)NULL);
    }
    return looking.names;
}
