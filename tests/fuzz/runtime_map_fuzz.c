/* Any bytes as a runtime map and its drop-ins, parted by NULs: they are refused with reasons, or give a map that prints to the
   same map. */
#include <stdlib.h>
#include <string.h>

#include "core/map/print.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/core/map/map_fixture.h"

#define MOST_FILES 4

/* What stands below the comment with the names of the files is the same for the same map. */
static const char *below_comment(const char *text)
{
    while (*text == '#') {
        text = strchr(text, '\n') + 1;
    }
    return text;
}

static char *printed(const struct runtime_map *map, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    must(out);
    runtime_map_print(map, out);
    fclose(out);
    return text;
}

/* What was printed must load, and print again as it is. */
static void check_round_trip(const struct runtime_map *map)
{
    size_t size = 0;
    size_t again_size = 0;
    char *text = printed(map, &size);
    struct runtime_map_problems problems;
    struct runtime_map *again = runtime_map_parse("printed", text, size, &problems);
    if (!again) {
        runtime_map_problems_print(&problems, "printed", stderr);
        abort();
    }
    char *again_text = printed(again, &again_size);
    must(strcmp(below_comment(text), below_comment(again_text)) == 0);
    free(again_text);
    free(text);
    runtime_map_problems_clear(&problems);
    runtime_map_free(again);
}

/* Mistakes, and only they, make the map NULL; all are in order and have a text. */
static void check_problems(const struct runtime_map *map, const struct runtime_map_problems *problems)
{
    must((map == NULL) == (problems->errors > 0));
    for (size_t i = 0; i < problems->count; i++) {
        const struct runtime_map_problem *problem = &problems->items[i];
        must(problem->message && (problem->line == 0) == (problem->column == 0));
        const struct runtime_map_problem *before = &problems->items[i > 0 ? i - 1 : 0];
        must(problem->file_number > before->file_number ||
             (problem->file_number == before->file_number && problem->line >= before->line));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct runtime_map_problems problems;
    struct runtime_map_text texts[MOST_FILES];
    size_t count = 0;
    const char *at = (const char *)data;
    const char *end = at + size;
    do {
        const char *nul = count + 1 < MOST_FILES && at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
        const char *stop = nul ? nul : end;
        texts[count++] = (struct runtime_map_text){.path = "fuzz", .text = at, .size = (size_t)(stop - at)};
        at = nul ? nul + 1 : NULL;
    } while (at);
    struct runtime_map *map = runtime_map_parse_files(texts, count, &problems);
    check_problems(map, &problems);
    if (map) {
        check_round_trip(map);
    }
    runtime_map_problems_clear(&problems);
    runtime_map_free(map);
    return 0;
}
