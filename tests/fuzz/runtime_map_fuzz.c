/* Any bytes as a runtime map: each is refused with a reason, or gives a map that prints to the same map. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *printed(const struct runtime_map *map, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out) {
        abort();
    }
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
    if (size != again_size || memcmp(text, again_text, size) != 0) {
        abort();
    }
    free(again_text);
    free(text);
    runtime_map_problems_clear(&problems);
    runtime_map_free(again);
}

/* Mistakes, and only they, make the map NULL; all are in order and have a text. */
static void check_problems(const struct runtime_map *map, const struct runtime_map_problems *problems)
{
    if ((map == NULL) != (problems->errors > 0)) {
        abort();
    }
    for (size_t i = 0; i < problems->count; i++) {
        const struct runtime_map_problem *problem = &problems->items[i];
        if (!problem->message || (problem->line == 0) != (problem->column == 0)) {
            abort();
        }
        if (i > 0 && problem->line < problems->items[i - 1].line) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct runtime_map_problems problems;
    struct runtime_map *map = runtime_map_parse("fuzz", (const char *)data, size, &problems);
    check_problems(map, &problems);
    if (map) {
        check_round_trip(map);
    }
    runtime_map_problems_clear(&problems);
    runtime_map_free(map);
    return 0;
}
