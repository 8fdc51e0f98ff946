#include "core/runtime_map_problems.h"

#include <stdarg.h>
#include <stdlib.h>

int place_compare(struct place a, struct place b)
{
    if (a.line != b.line) {
        return a.line < b.line ? -1 : 1;
    }
    return (a.column > b.column) - (a.column < b.column);
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
    problems->items[problems->count++] =
        (struct runtime_map_problem){.line = place.line, .column = place.column, .warning = warning, .message = message};
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
        keep_note(problems, (struct place){0}, "more than %d mistakes; the others are not shown", PROBLEMS_MOST);
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

/* An insertion sort: stable, and they come nearly sorted. */
void problems_sort(struct runtime_map_problems *problems)
{
    struct runtime_map_problem *items = problems->items;
    for (size_t i = 1; i < problems->count; i++) {
        struct runtime_map_problem item = items[i];
        struct place place = {item.line, item.column};
        size_t to = i;
        while (to > 0 && place_compare((struct place){items[to - 1].line, items[to - 1].column}, place) > 0) {
            items[to] = items[to - 1];
            to--;
        }
        items[to] = item;
    }
}

void runtime_map_problems_clear(struct runtime_map_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        free(problems->items[i].message);
    }
    free(problems->items);
    *problems = (struct runtime_map_problems){0};
}

void runtime_map_problems_print(const struct runtime_map_problems *problems, const char *path, FILE *out)
{
    for (size_t i = 0; i < problems->count; i++) {
        const struct runtime_map_problem *problem = &problems->items[i];
        fputs(path, out);
        if (problem->line > 0) {
            fprintf(out, ":%u:%u", problem->line, problem->column);
        }
        fprintf(out, ": %s%s\n", problem->warning ? "warning: " : "", problem->message);
    }
}
