#include "node/deploy/unit_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system/unix_socket.h"
#include "core/map/map.h"
#include "node/deploy/shipped.h"

/* In the unit that is shipped. */
#define PROGRAM "/usr/bin/crigate"

static bool is_plain(const char *path)
{
    size_t letters = strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._+-");
    return path[0] == '/' && path[letters] == '\0';
}

bool unit_file_text(const char *program, struct arena *arena, struct bytes *text, struct error *error)
{
    if (!is_plain(program)) {
        return error_set(error, STATUS_INVALID_ARGUMENT,
                         "a unit cannot name this program, because its path has characters other than letters, digits and /._+-");
    }
    struct bytes rest = shipped_unit;
    *text = bytes_of("", 0);
    for (;;) {
        const uint8_t *found = memmem(rest.data, rest.len, PROGRAM, strlen(PROGRAM));
        struct bytes before = found ? bytes_of(rest.data, (size_t)(found - rest.data)) : rest;
        *text = arena_join(arena, (struct bytes[]){*text, before, bytes_of_string(found ? program : NULL)}, 3);
        if (!text->data) {
            return error_out_of_memory(error);
        }
        if (!found) {
            return true;
        }
        rest = bytes_after(rest, before.len + strlen(PROGRAM));
    }
}

bool unit_file_plan(struct arena *arena, struct planned_file *file, struct error *error)
{
    char program[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    if (len <= 0) {
        return error_set(error, STATUS_INTERNAL, "/proc/self/exe cannot be read");
    }
    program[len] = '\0';
    *file = (struct planned_file){.mode = 0644, .why = "the unit of crigate, because no package has installed one"};
    if (access(program, X_OK) != 0) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "the running program is no longer at its path");
    }
    return node_file_check_owner(program, error) && node_file_check_owner(UNIT_FILE_PATH, error) &&
           node_file_read(UNIT_FILE_PATH, arena, &file->before, error) && unit_file_text(program, arena, &file->after, error);
}

bool unit_file_plan_docker(struct arena *arena, struct planned_file *file, struct error *error)
{
    *file = (struct planned_file){.mode = 0644,
                                  .why = "the unit of cri-dockerd for crigate, because no package has installed one",
                                  .after = shipped_docker_unit};
    return node_file_check_owner(DOCKER_UNIT_FILE_PATH, error) &&
           node_file_read(DOCKER_UNIT_FILE_PATH, arena, &file->before, error);
}

/* The rest of the line after KEY=, without blanks; false if it is a different line. */
static bool read_line(const char *line, size_t len, const char *key, struct bytes *value)
{
    size_t key_len = strlen(key);
    if (len < key_len || memcmp(line, key, key_len) != 0) {
        return false;
    }
    while (len > key_len && (line[len - 1] == ' ' || line[len - 1] == '\t' || line[len - 1] == '\r')) {
        len--;
    }
    while (key_len < len && (line[key_len] == ' ' || line[key_len] == '\t')) {
        key_len++;
    }
    *value = bytes_of(line + key_len, len - key_len);
    return true;
}

bool unit_file_listens(struct bytes text, const char *endpoint)
{
    struct bytes path = bytes_of_string(unix_socket_path(endpoint));
    bool found = false, others = false;
    const char *line = (const char *)text.data;
    for (size_t left = text.len; left > 0;) {
        struct bytes value;
        const char *end = memchr(line, '\n', left);
        size_t len = end ? (size_t)(end - line) : left;
        if (read_line(line, len, "Listen", &value)) {
            bool stream = read_line(line, len, "ListenStream=", &value) && bytes_equal(value, path);
            found = found || stream;
            others = others || !stream;
        }
        left -= end ? len + 1 : len;
        line = end ? end + 1 : line;
    }
    return found && !others;
}
