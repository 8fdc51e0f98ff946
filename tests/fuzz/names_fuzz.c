/* Any bytes as the id of a pod, or the name of an image, of any runtime: what is told to the caller leads back to the same
   runtime and the same name. The first byte says which runtime. */
#include "core/map/owner.h"
#include "core/runtimes/name_map.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/core/map/map_fixture.h"
#include "translate/bytes/image_id.h"

static const char file[] =
    "listen: /run/l.sock\n"
    "runtimes:\n"
    "- {name: vm, endpoint: /run/v.sock}\n"
    "- {name: containerd, endpoint: /run/c.sock, primary: true, image_prefix: main}\n"
    "- {name: virtlet.cloud, endpoint: /run/w.sock, stream_url: \"http://127.0.0.1:1\"}\n"
    "- {name: kata, endpoint: /run/k.sock, image_prefix: vms/kata, handlers: {kata: \"\", fc: firecracker}}\n";

static const struct runtime_map *the_map(void)
{
    static struct runtime_map *map;
    if (!map) {
        struct runtime_map_problems problems;
        map = runtime_map_parse("f", file, strlen(file), &problems);
        runtime_map_problems_clear(&problems);
        must(map);
    }
    return map;
}

static bool map_name(const struct name_map *map, enum name_kind kind, struct bytes name, struct arena *arena,
                     struct bytes *mapped)
{
    *mapped = name;
    struct error error = {0};
    bool asked = map->names.kinds >> kind & 1U;
    struct mapped_name parts;
    mapped_name_same(&parts, name);
    bool done = !asked || map->names.map(map->names.state, kind, true, name, arena, &parts, &error);
    must(done == (error.code == STATUS_OK));
    must(done || strlen(error.message) > 0);
    if (done) {
        must(parts.rest.len == 0 || parts.rest.data + parts.rest.len == name.data + name.len);
        *mapped = parts.front.len > 0 ? arena_join(arena, (struct bytes[]){parts.front, parts.rest}, 2) : parts.rest;
    }
    return done;
}

/* Where an id leads by itself: to the runtime whose prefix it carries, else to the primary, the only one with plain ids. */
static size_t holder_of(const struct runtime_map *map, struct bytes id, struct bytes *local)
{
    size_t owner;
    return owner_by_prefix(map, id, &owner, local) ? owner : map->primary;
}

static void names_of_response(struct name_map *names, const struct runtime_map *map, size_t runtime)
{
    name_map_for_response(names, map, runtime, NULL, 0, 0);
}

/* The primary has its ids to itself, but for those that read as if another runtime's prefix were on them: these it must not tell
   of. */
static void check_id(size_t runtime, struct bytes id, struct arena *arena)
{
    const struct runtime_map *map = the_map();
    struct bytes local, told, again;
    struct name_map there, back;
    names_of_response(&there, map, runtime);
    name_map_for_request(&back, map, runtime);
    if (id.len == 0) {
        return;
    }
    if (runtime == map->primary && holder_of(map, id, &local) != runtime) {
        must(!map_name(&there, NAME_POD, id, arena, &told));
        return;
    }
    must(map_name(&there, NAME_POD, id, arena, &told));
    must(holder_of(map, told, &local) == runtime && bytes_equal(local, id));
    must(map_name(&back, NAME_CONTAINER, told, arena, &again) && bytes_equal(again, id));
}

/* A name that already carries a prefix is taken for what it says. */
static void check_image(size_t runtime, struct bytes image, struct arena *arena)
{
    const struct runtime_map *map = the_map();
    struct name_map there, back;
    names_of_response(&there, map, runtime);
    name_map_for_request(&back, map, runtime);
    struct bytes told, again;
    size_t owner;
    struct image_parts parts;
    bool prefixed = owner_of_image(map, image, &owner, &parts);
    must(map_name(&there, NAME_IMAGE, image, arena, &told));
    if (image_id_is_digest(image)) {
        must(bytes_equal(told, image));
    }
    if (prefixed) {
        map_name(&back, NAME_IMAGE, told, arena, &again);
    } else {
        must(map_name(&back, NAME_IMAGE, told, arena, &again) && bytes_equal(again, image));
    }
}

static void check_others(size_t runtime, struct bytes name, struct arena *arena)
{
    struct name_map there, back;
    names_of_response(&there, the_map(), runtime);
    name_map_for_request(&back, the_map(), runtime);
    struct bytes told;
    must(map_name(&there, NAME_HANDLER, name, arena, &told) && map_name(&back, NAME_HANDLER, name, arena, &told));
    must(map_name(&there, NAME_STREAM_URL, name, arena, &told) && told.len >= name.len);
    must(bytes_equal(bytes_after(told, told.len - name.len), name));
    map_name(&back, NAME_POD, name, arena, &told);
    map_name(&back, NAME_IMAGE, name, arena, &told);
}

void fuzz_try(struct bytes bytes, struct arena *arena)
{
    if (bytes.len == 0) {
        return;
    }
    size_t runtime = bytes.data[0] % the_map()->runtime_count;
    struct bytes name = bytes_after(bytes, 1);
    check_id(runtime, name, arena);
    check_image(runtime, name, arena);
    check_others(runtime, name, arena);
}
