#include "cli/commands/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/system/file.h"
#include "translate/json/json.h"

bool command_read_file(const char *name, struct arena *arena, struct bytes *bytes, struct error *error)
{
    bool given = strcmp(name, "-") == 0;
    int file = given ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return error_set(error, STATUS_NOT_FOUND, "%s: %s", name, strerror(errno));
    }
    struct buffer content = {0};
    bool good = file_read_whole(file, INT_MAX - 1, &content);
    if (!given) {
        close(file);
    }
    *bytes = good ? arena_copy(arena, buffer_bytes(&content)) : bytes_of(NULL, 0);
    good = good && (bytes->data || content.len == 0);
    buffer_clear(&content);
    return good || error_set(error, STATUS_RESOURCE_EXHAUSTED, "%s: cannot be read completely", name);
}

bool command_read_message(const struct schema_message *message, struct bytes text, struct arena *arena, struct bytes *bytes,
                          struct error *error)
{
    struct json_object *json = json_from_text(text, error);
    bool good = json && json_to_message(message, json, false, arena, bytes, error);
    json_object_put(json);
    return good;
}
