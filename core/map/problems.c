#include "core/map/problems.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int place_compare(struct place a, struct place b)
{
    if (a.file != b.file) {
        return a.file < b.file ? -1 : 1;
    }
    if (a.line != b.line) {
        return a.line < b.line ? -1 : 1;
    }
    return (a.column > b.column) - (a.column < b.column);
}

static const char *file_of(const struct runtime_map_problems *problems, struct place place)
{
    return place.file < problems->file_count ? problems->files[place.file] : NULL;
}

struct place_text place_text(const struct runtime_map_problems *problems, struct place from, struct place place)
{
    struct place_text text;
    const char *file = from.file == place.file ? NULL : file_of(problems, place);
    snprintf(text.text, sizeof text.text, "line %u%s%.400s", place.line, file ? " of " : "", file ? file : "");
    return text;
}

void problems_set_files(struct runtime_map_problems *problems, const char *const *files, size_t count)
{
    problems->files = calloc(count, sizeof *problems->files);
    problems->file_count = problems->files ? count : 0;
    for (size_t i = 0; i < problems->file_count; i++) {
        problems->files[i] = strdup(files[i]);
    }
}

static void keep(struct runtime_map_problems *problems, struct place place, bool warning, const char *format, va_list arguments)
{
    if (problems->count > PROBLEMS_MOST) {
        return;
    }
    /* One grows into two, two into four: the room is full whenever the count is a power of two. */
    if ((problems->count & (problems->count - 1)) == 0) {
        size_t room = problems->count ? 2 * problems->count : 1;
        struct runtime_map_problem *items = realloc(problems->items, room * sizeof *items);
        if (!items) {
            return;
        }
        problems->items = items;
    }
    char *message = NULL;
    if (vasprintf(&message, format, arguments) < 0) {
        return;
    }
    problems->items[problems->count++] = (struct runtime_map_problem){.file = file_of(problems, place),
                                                                      .file_number = place.file,
                                                                      .line = place.line,
                                                                      .column = place.column,
                                                                      .warning = warning,
                                                                      .message = message};
}

static void keep_note(struct runtime_map_problems *problems, struct place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    keep(problems, place, false, format, arguments);
    va_end(arguments);
}

void problems_add(struct runtime_map_problems *problems, struct place place, const char *format, ...)
{
    problems->errors++;
    if (problems->count == PROBLEMS_MOST) {
        keep_note(problems, (struct place){0}, "more than %d errors; the others are not shown", PROBLEMS_MOST);
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    keep(problems, place, false, format, arguments);
    va_end(arguments);
}

void problems_warn(struct runtime_map_problems *problems, struct place place, const char *format, ...)
{
    if (problems->count >= PROBLEMS_MOST) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    keep(problems, place, true, format, arguments);
    va_end(arguments);
}

static struct place place_of(const struct runtime_map_problem *problem)
{
    return (struct place){.line = problem->line, .column = problem->column, .file = problem->file_number};
}

/* An insertion sort: stable, and they come nearly sorted. */
void problems_note_meant(struct runtime_map_problems *problems, struct place mapping, const char *meant)
{
    if (problems->count > 0 && problems->count <= PROBLEMS_MOST) {
        struct runtime_map_problem *last = &problems->items[problems->count - 1];
        last->meant = meant;
        last->mapping = mapping;
    }
}

struct place problems_find_meant(const struct runtime_map_problems *problems, struct place mapping, const char *key)
{
    for (size_t i = 0; i < problems->count; i++) {
        const struct runtime_map_problem *item = &problems->items[i];
        if (item->meant && strcmp(item->meant, key) == 0 && place_compare(item->mapping, mapping) == 0) {
            return place_of(item);
        }
    }
    return mapping;
}

void problems_sort(struct runtime_map_problems *problems)
{
    struct runtime_map_problem *items = problems->items;
    for (size_t i = 1; i < problems->count; i++) {
        struct runtime_map_problem item = items[i];
        size_t to = i;
        while (to > 0 && place_compare(place_of(&items[to - 1]), place_of(&item)) > 0) {
            items[to] = items[to - 1];
            to--;
        }
        items[to] = item;
    }
}

const struct runtime_map_problem *runtime_map_problems_first(const struct runtime_map_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        if (!problems->items[i].warning) {
            return &problems->items[i];
        }
    }
    return NULL;
}

void runtime_map_problems_clear(struct runtime_map_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        free(problems->items[i].message);
    }
    free(problems->items);
    for (size_t i = 0; i < problems->file_count; i++) {
        free(problems->files[i]);
    }
    free(problems->files);
    free(problems->state);
    *problems = (struct runtime_map_problems){0};
}

void runtime_map_problems_print(const struct runtime_map_problems *problems, const char *path, FILE *out)
{
    for (size_t i = 0; i < problems->count; i++) {
        const struct runtime_map_problem *problem = &problems->items[i];
        fputs(problem->file ? problem->file : path, out);
        if (problem->line > 0) {
            fprintf(out, ":%u:%u", problem->line, problem->column);
        }
        fprintf(out, ": %s%s\n", problem->warning ? "warning: " : "", problem->message);
    }
}
