#include "node/kubelet/snap_arguments.h"

#include <string.h>

#include "node/systemd/words.h"

static const struct {
    const char *name, *value;
} variables[] = {
    {"${SNAP_COMMON}", "/var/snap/microk8s/common"},
    {"${SNAP_DATA}", "/var/snap/microk8s/current"},
    {"${SNAP}", "/snap/microk8s/current"},
};

/* Puts what is at the text: a variable's value, or a byte. Returns how much of the text that was. */
static size_t put_next(struct traced_builder *builder, struct bytes text, struct origin from)
{
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        struct bytes name = bytes_of_string(variables[i].name);
        if (bytes_start_with(text, name)) {
            from.file = ORIGIN_NOWHERE;
            for (const char *c = variables[i].value; *c; c++) {
                traced_put(builder, *c, from);
            }
            return name.len;
        }
    }
    traced_put(builder, (char)text.data[0], from);
    return 1;
}

/* The text without comments, with the values of variables. */
static bool trace(struct bytes text, struct arena *arena, struct traced_text *traced)
{
    struct traced_builder builder = {.arena = arena};
    static const char program[] = "kubelet ";
    for (const char *c = program; *c; c++) {
        traced_put(&builder, *c, (struct origin){.file = ORIGIN_NOWHERE});
    }
    bool begins = true, comment = false;
    for (size_t i = 0; i < text.len;) {
        comment = begins ? text.data[i] == '#' : comment;
        begins = text.data[i] == '\n';
        i += comment ? 1 : put_next(&builder, bytes_after(text, i), (struct origin){.offset = (uint32_t)i});
    }
    return traced_finish(&builder, traced);
}

static bool split(struct traced_text text, struct arena *arena, struct unit_command *command)
{
    struct traced_text *words = arena_zalloc(arena, (text.len / 2 + 2) * sizeof *words);
    const char **strings = arena_zalloc(arena, (text.len / 2 + 2) * sizeof *strings);
    size_t at = 0, count = 0;
    if (!words || !strings) {
        return false;
    }
    enum words_result result;
    while ((result = words_next(text, &at, WORDS_OF_VARIABLE, arena, &words[count])) == WORDS_WORD) {
        strings[count] = words[count].text;
        count++;
    }
    command->words = strings;
    command->command = (struct command){.words = words, .count = count};
    return result == WORDS_END;
}

struct unit_command *snap_command_read(const char *path, struct arena *arena, struct error *error)
{
    struct unit_command *command = arena_zalloc(arena, sizeof *command);
    struct traced_text text;
    if (!command) {
        error_out_of_memory(error);
        return NULL;
    }
    if (!read_through_link(path, arena, &command->read[0], &command->is_link[0], error)) {
        return NULL;
    }
    command->files[0] = (struct command_file){.path = path, .text = command->read[0].text, .is_environment = true};
    command->count = 1;
    if (!trace(command->read[0].text, arena, &text) || !split(text, arena, command)) {
        error_out_of_memory(error);
        return NULL;
    }
    return kubelet_flags_read(command->words, command->command.count, 0, arena, &command->flags, error) ? command : NULL;
}
