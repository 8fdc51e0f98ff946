#include "node/verify/report.h"

#include <string.h>
#include <time.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "node/files/node_file.h"

#define MEMORY ((size_t)8 << 20)
#define MODE 0644
#define WRITTEN "uptime_ms"
#define DEPTH 8

/* Since the machine booted: not a clock that can be set. */
static int64_t uptime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- writing ---- */

static bool write_text(const char *path, const char *text, struct arena *arena, struct error *error)
{
    struct node_file file;
    return node_file_read(path, arena, &file, error) && node_file_replace(&file, bytes_of_string(text), MODE, error);
}

bool verify_report_write(const char *path, struct json_object *report, struct error *error)
{
    struct arena *arena = arena_new(MEMORY);
    json_add(report, WRITTEN, json_object_new_int64(uptime()));
    size_t size;
    const char *text = json_print(report, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE, &size);
    bool written = arena && text ? write_text(path, text, arena, error) : error_out_of_memory(error);
    arena_unref(arena);
    return written;
}

/* ---- reading ---- */

static bool is_check(struct json_object *check)
{
    static const char *const texts[] = {"name", "state", "detail"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (!json_member_of(check, texts[i], json_type_string)) {
            return false;
        }
    }
    return true;
}

static bool take(struct json_object *object, struct verify_report *report)
{
    struct json_object *ok = json_member_of(object, "ok", json_type_boolean);
    struct json_object *written = json_member_of(object, WRITTEN, json_type_int);
    struct json_object *checks = json_member_of(object, "checks", json_type_array);
    if (!ok || !written || !checks) {
        return false;
    }
    for (size_t i = 0; i < json_count(checks); i++) {
        if (!is_check(json_object_array_get_idx(checks, i))) {
            return false;
        }
    }
    report->ok = json_object_get_boolean(ok);
    int64_t then = json_object_get_int64(written), now = uptime();
    /* From a time that has not come: as old as can be. */
    report->age = then >= 0 && then <= now ? now - then : INT64_MAX;
    report->checks = json_object_get(checks);
    return true;
}

static bool parse(struct bytes text, const char *path, struct verify_report *report, struct error *error)
{
    struct json_tokener *tokener = json_tokener_new_ex(DEPTH);
    struct json_object *object = tokener ? json_tokener_parse_ex(tokener, (const char *)text.data, (int)text.len) : NULL;
    bool taken = tokener ? object && take(object, report) : error_out_of_memory(error);
    json_object_put(object);
    if (!taken && tokener) {
        error_set(error, STATUS_DATA_LOSS, "%s is not a report of crigate verify", path);
    }
    if (tokener) {
        json_tokener_free(tokener);
    }
    return taken;
}

bool verify_report_read(const char *path, struct verify_report *report, struct error *error)
{
    struct node_file file = {0};
    struct arena *arena = arena_new(MEMORY);
    bool read = arena ? node_file_read(path, arena, &file, error) : error_out_of_memory(error);
    if (read && !file.present) {
        read = error_set(error, STATUS_NOT_FOUND, "%s does not exist yet", path);
    }
    read = read && parse(file.text, path, report, error);
    arena_unref(arena);
    return read;
}
