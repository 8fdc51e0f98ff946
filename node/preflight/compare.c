#include "node/preflight/compare.h"

#include <stdio.h>
#include <sysexits.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/options/output.h"
#include "base/options/table.h"
#include "node/preflight/images.h"
#include "node/preflight/side.h"

enum { SAME = 0, DIFFERENT = 1, NOT_ASKED = 2 };
enum { TIMEOUT = 256 };

#define MEMORY ((size_t)64 << 20)
#define DEFAULT_TIMEOUT 30000 /* milliseconds; Docker may take long to add up what its images take */

struct comparison {
    enum command_output output;
    unsigned timeout;
    const char *wishes[2];
    struct side sides[2];
    struct arena *arena;
};

static const struct option_row rows[] = {
    {OPTION_ROW_OUTPUT(struct comparison, output)},
    {TIMEOUT, "timeout", "TIME", "how long each call may take (30s)", COMPLETE_NOTHING, NULL,
     OPTION_TIME(struct comparison, timeout)},
    {OPTION_ROW_HELP},
};

const struct command_line compare_command_line = {
    .command = "compare",
    .synopsis = "crigate compare [-o text|json] [--timeout TIME] RUNTIME RUNTIME",
    .about = "Prints which images only one of two runtimes of this node has, and how much disk space the images of both "
             "use.\nChanges nothing. RUNTIME is a socket, docker (as in the runtime map), or a name such as containerd or cri-o.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = "Exit status: 0 both have the same images, 1 they do not, 2 a runtime does not answer, 64 wrong arguments.",
};

/* ---- as JSON ---- */

static int64_t number(struct json_object *object, const char *outer, const char *inner)
{
    return json_object_get_int64(json_member(json_member(object, outer), inner));
}

/* Up to Kubernetes 1.9, filesystems have a UUID in place of a path. */
static struct json_object *filesystem_json(struct json_object *filesystem)
{
    static const char *const ids[] = {"fsId", "storageId"};
    struct json_object *json = json_object_new_object(), *id = NULL;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0] && !id; i++) {
        id = json_member(filesystem, ids[i]);
    }
    struct json_object *place = json_member(id, "mountpoint");
    json_add_text(json, "place", json_object_get_string(place ? place : json_member(id, "uuid")));
    json_add(json, "usedBytes", json_object_new_int64(number(filesystem, "usedBytes", "value")));
    return json;
}

static struct json_object *side_json(const struct side *side, const struct side *other)
{
    struct json_object *json = json_object_new_object(), *filesystems = NULL;
    if (side->filesystems) {
        filesystems = json_object_new_array();
        for (size_t i = 0; i < json_count(side->filesystems); i++) {
            json_append(filesystems, filesystem_json(json_object_array_get_idx(side->filesystems, i)));
        }
    }
    json_add_text(json, "endpoint", side->endpoint);
    json_add_text(json, "runtimeName", side->found.runtime_name);
    json_add_text(json, "runtimeVersion", side->found.runtime_version);
    json_add(json, "images", json_object_new_int64((int64_t)json_count(side->images)));
    json_add(json, "imageBytes", json_object_new_int64(images_size(side->images)));
    json_add(json, "filesystems", filesystems);
    json_add_text(json, "problem", side->no_filesystems);
    json_add(json, "onlyHere", images_only_here(side->images, other->images, side->containers));
    return json;
}

static struct json_object *report(const struct comparison *comparison)
{
    struct json_object *json = json_object_new_object(), *runtimes = json_object_new_array();
    size_t only = 0;
    for (size_t i = 0; i < 2; i++) {
        struct json_object *side = side_json(&comparison->sides[i], &comparison->sides[1 - i]);
        only += json_count(json_member(side, "onlyHere"));
        json_append(runtimes, side);
    }
    json_add(json, "same", json_object_new_boolean(only == 0));
    json_add(json, "runtimes", runtimes);
    return json;
}

/* ---- as text ---- */

static void print_bytes(struct json_object *value, char *cell)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double bytes = (double)json_object_get_int64(value);
    size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < sizeof units / sizeof units[0]; unit++) {
        bytes /= 1024;
    }
    snprintf(cell, TABLE_CELL_SIZE, "%.*f %s", unit == 0 ? 0 : 1, bytes, units[unit]);
}

static void print_yes(struct json_object *value, char *cell)
{
    snprintf(cell, TABLE_CELL_SIZE, "%s", json_object_get_boolean(value) ? "yes" : "no");
}

static void print_images(struct json_object *side, FILE *out)
{
    static const struct table_column columns[] = {
        {"NAME", "name", table_text, false},
        {"SIZE", "size", print_bytes, true},
        {"PULLED", "pulled", print_yes, false},
        {"CONTAINERS", "usedBy", table_count, true},
        {"OTHER OF THAT NAME", "other", print_yes, false},
        {"ID", "id", table_text, false},
    };
    static const struct table table = {columns, sizeof columns / sizeof columns[0]};
    struct json_object *images = json_member(side, "onlyHere");
    fputs("IMAGES ONLY IN ", out);
    command_print_text(command_text_member(side, "endpoint"), out);
    putc('\n', out);
    if (json_count(images) > 0) {
        table_print(&table, images, out);
    } else {
        fputs("none\n", out);
    }
    putc('\n', out);
}

/* A line for each filesystem, or one with a reason. */
static struct json_object *disk_rows(struct json_object *side)
{
    struct json_object *filesystems = json_member(side, "filesystems"), *list = json_object_new_array();
    size_t count = json_count(filesystems);
    for (size_t i = 0; i < (count > 0 ? count : 1); i++) {
        struct json_object *row = json_object_new_object();
        json_object_object_foreach(side, name, member)
        {
            json_add(row, name, json_object_get(member));
        }
        struct json_object *filesystem = count > 0 ? json_object_array_get_idx(filesystems, i) : NULL;
        json_add_from(filesystem, "place", row, "place");
        json_add_from(filesystem, "usedBytes", row, "usedBytes");
        json_append(list, row);
    }
    return list;
}

static void print_disk(struct json_object *runtimes, FILE *out)
{
    static const struct table_column columns[] = {
        {"ENDPOINT", "endpoint", table_text, false},       {"RUNTIME", "runtimeName", table_text, false},
        {"VERSION", "runtimeVersion", table_text, false},  {"IMAGES", "images", table_count, true},
        {"SUM OF SIZES", "imageBytes", print_bytes, true}, {"IN", "place", table_text, false},
        {"USED", "usedBytes", print_bytes, true},          {"PROBLEM", "problem", table_text, false},
    };
    static const struct table table = {columns, sizeof columns / sizeof columns[0]};
    struct json_object *all = json_object_new_array();
    for (size_t i = 0; i < json_count(runtimes); i++) {
        struct json_object *list = disk_rows(json_object_array_get_idx(runtimes, i));
        for (size_t j = 0; j < json_count(list); j++) {
            json_append(all, json_object_get(json_object_array_get_idx(list, j)));
        }
        json_object_put(list);
    }
    fputs("DISK\n", out);
    table_print(&table, all, out);
    json_object_put(all);
}

static void print_text(struct json_object *json, FILE *out)
{
    struct json_object *runtimes = json_member(json, "runtimes");
    for (size_t i = 0; i < json_count(runtimes); i++) {
        print_images(json_object_array_get_idx(runtimes, i), out);
    }
    print_disk(runtimes, out);
}

/* ---- the command ---- */

static int print(const struct comparison *comparison)
{
    struct json_object *json = report(comparison);
    int status = json_object_get_boolean(json_member(json, "same")) ? SAME : DIFFERENT;
    bool printed;
    if (comparison->output == COMMAND_OUTPUT_JSON) {
        printed = command_print_json(json, false);
    } else {
        print_text(json, stdout);
        printed = command_is_printed();
    }
    json_object_put(json);
    return printed ? status : EX_IOERR;
}

static int run(struct comparison *comparison)
{
    struct error error = {0};
    for (size_t i = 0; i < 2; i++) {
        const char *endpoint = side_endpoint(comparison->wishes[i], comparison->arena, &error);
        if (!endpoint) {
            return command_usage_error("compare", "%s", error.message);
        }
        if (!side_ask(endpoint, comparison->timeout, comparison->arena, &comparison->sides[i], &error)) {
            fputs("crigate compare: ", stderr);
            command_print_text(error.message, stderr);
            putc('\n', stderr);
            return NOT_ASKED;
        }
    }
    return print(comparison);
}

int compare_command(int argc, char **argv)
{
    struct comparison comparison = {.timeout = DEFAULT_TIMEOUT};
    int status = options_read(&compare_command_line, &comparison, argc, argv, argc);
    if (status >= 0) {
        return status;
    }
    if (argc - optind != 2) {
        return command_usage_error("compare", "name two runtimes to compare");
    }
    comparison.wishes[0] = argv[optind];
    comparison.wishes[1] = argv[optind + 1];
    comparison.arena = arena_new(MEMORY);
    status = comparison.arena ? run(&comparison) : EX_OSERR;
    for (size_t i = 0; i < 2; i++) {
        side_release(&comparison.sides[i]);
    }
    arena_unref(comparison.arena);
    return status;
}
