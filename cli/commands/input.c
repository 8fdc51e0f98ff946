#include "cli/commands/input.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "translate/json/json.h"

bool command_read_file(const char *name, struct arena *arena, struct bytes *bytes, struct error *error)
{
    FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    if (!file) {
        return error_set(error, STATUS_NOT_FOUND, "%s: %s", name, strerror(errno));
    }
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    char piece[65536];
    size_t count;
    while (memory && (count = fread(piece, 1, sizeof piece, file)) > 0 && size + count < INT_MAX) {
        fwrite(piece, 1, count, memory);
        fflush(memory);
    }
    bool good = memory && feof(file) && !ferror(memory);
    if (memory) {
        fclose(memory);
    }
    if (file != stdin) {
        fclose(file);
    }
    *bytes = arena_copy(arena, bytes_of(text, good ? size : 0));
    good = good && (bytes->data || bytes->len == 0);
    free(text);
    return good || error_set(error, STATUS_RESOURCE_EXHAUSTED, "%s: cannot be read to its end", name);
}

bool command_read_message(const struct schema_message *message, struct bytes text, struct arena *arena, struct bytes *bytes,
                          struct error *error)
{
    struct json_object *json = json_from_text(text, error);
    bool good = json && json_to_message(message, json, false, arena, bytes, error);
    json_object_put(json);
    return good;
}
