#include "node/systemd/unit_command.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "node/systemd/path_pattern.h"
#include "node/systemd/started.h"

bool read_through_link(const char *path, struct arena *arena, struct node_file *file, bool *is_link, struct error *error)
{
    struct stat status;
    char target[PATH_MAX];
    *is_link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
    if (!*is_link) {
        return node_file_read(path, arena, file, error);
    }
    if (!realpath(path, target)) { /* it leads nowhere: to all readers, there is no file */
        *file = (struct node_file){.path = path};
        return true;
    }
    return node_file_read(target, arena, file, error);
}

static bool add_file(struct unit_command *unit, const char *path, bool is_environment, struct arena *arena, struct error *error)
{
    size_t i = unit->count;
    if (path[0] == '\0') {
        return true;
    }
    if (i == COMMAND_MOST_FILES) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "%s: the unit has too many files", path);
    }
    if (!read_through_link(path, arena, &unit->read[i], &unit->is_link[i], error)) {
        return false;
    }
    unit->files[i] = (struct command_file){.path = path, .text = unit->read[i].text, .is_environment = is_environment};
    if (!unit->read[i].present) {
        unit->files[i].text = bytes_of(NULL, 0);
    }
    unit->count++;
    return true;
}

/* EnvironmentFile= may be a pattern; systemd reads what it leads to in the order of the names. */
static bool add_environment_files(struct unit_command *unit, const char *path, struct arena *arena, struct error *error)
{
    const char *paths[COMMAND_MOST_FILES];
    size_t count;
    if (!path_pattern_expand(path, COMMAND_MOST_FILES, arena, paths, &count)) {
        return error_out_of_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        if (!add_file(unit, paths[i], true, arena, error)) {
            return false;
        }
    }
    return true;
}

bool unit_command_parse(struct unit_command *unit, struct arena *arena, struct error *error)
{
    struct command *command = &unit->command;
    if (!command_read(unit->name, unit->files, unit->count, arena, command, error) ||
        !started_read_shell(command, arena, error)) {
        return false;
    }
    unit->program = started_program(command);
    if (!started_explain(command, unit->program, arena, error)) {
        return false;
    }
    const char **words = arena_zalloc(arena, (command->count + 1) * sizeof *words);
    for (size_t i = 0; words && i < command->count; i++) {
        words[i] = command->words[i].text;
    }
    unit->words = words;
    return words ? kubelet_flags_read(words, command->count, unit->program, arena, &unit->flags, error)
                 : error_out_of_memory(error);
}

struct unit_command *unit_command_read(const struct systemd_unit *unit, struct arena *arena, struct error *error)
{
    struct unit_command *read = arena_zalloc(arena, sizeof *read);
    if (!read) {
        error_out_of_memory(error);
        return NULL;
    }
    read->name = unit->name;
    if (!add_file(read, unit->fragment, false, arena, error)) {
        return NULL;
    }
    for (size_t i = 0; i < unit->drop_in_count; i++) {
        if (!add_file(read, unit->drop_ins[i], false, arena, error)) {
            return NULL;
        }
    }
    for (size_t i = 0; i < unit->environment_file_count; i++) {
        if (!add_environment_files(read, unit->environment_files[i], arena, error)) {
            return NULL;
        }
    }
    return unit_command_parse(read, arena, error) ? read : NULL;
}

static unsigned line_of(struct bytes text, size_t offset)
{
    unsigned line = 1;
    for (size_t i = 0; i < offset && i < text.len; i++) {
        line += text.data[i] == '\n';
    }
    return line;
}

struct text_place unit_command_place(const struct unit_command *unit, size_t word, size_t at, const char **variable)
{
    struct traced_text whole = unit->command.words[word], part = traced_part(whole, at, whole.len - at);
    struct text_place place = {.file = NULL};
    *variable = NULL;
    /* An empty value has no byte of its own: what is before it shows the file. */
    size_t first = part.len == 0 && at > 0 ? at - 1 : at;
    while (first < whole.len && whole.from[first].file == ORIGIN_NOWHERE) {
        first++;
    }
    if (first == whole.len) {
        return place;
    }
    struct origin from = whole.from[first];
    place.file = unit->files[from.file].path;
    place.line = line_of(unit->files[from.file].text, from.offset);
    if (from.variable > 0) {
        *variable = unit->command.variables[from.variable - 1].name;
    }
    if (traced_is_literal(part)) {
        place.offset = from.offset;
        place.length = part.len;
    }
    return place;
}
