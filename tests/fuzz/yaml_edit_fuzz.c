/* Any bytes as a key, a value and a YAML file: once the key is set it is found with that value, and every other byte is kept. */
#include <string.h>

#include "node/files/yaml_edit.h"
#include "tests/fuzz/fuzz.h"

#define FILE_NAME "file"

struct input {
    const char *key;
    const char *value;
    struct bytes text;
    struct arena *arena;
};

/* A string without NULs from the front of the input; the fallback if there is none. */
static const char *take_string(struct bytes *rest, struct arena *arena, const char *fallback)
{
    const char *text = arena_string(arena, fuzz_take_piece(rest));
    must(text);
    return *text ? text : fallback;
}

/* Whether the place is in the text. */
static void check_place(const struct yaml_edit_value *found, struct bytes text)
{
    must(found->place.offset <= text.len && found->place.length <= text.len - found->place.offset);
    must(found->place.line >= 1 && found->place.line <= text.len + 1);
}

static enum yaml_edit_found find(const struct input *input, struct bytes text, struct yaml_edit_value *found)
{
    struct error error = {0};
    enum yaml_edit_found kind = yaml_edit_find(FILE_NAME, text, input->key, input->arena, found, &error);
    must((kind == YAML_EDIT_INVALID) == (error.code != STATUS_OK));
    if (kind == YAML_EDIT_SCALAR) {
        check_place(found, text);
        must(found->value && found->place.file);
    }
    return kind;
}

/* The bytes before and after the place are as they were. */
static void check_others_kept(struct bytes before, struct bytes after, size_t offset, size_t length)
{
    size_t rest = before.len - offset - length;
    must(after.len >= offset + rest);
    must(bytes_equal(bytes_of(after.data, offset), bytes_of(before.data, offset)));
    must(bytes_equal(bytes_after(after, after.len - rest), bytes_after(before, before.len - rest)));
}

/* All bytes of the shorter text are in the longer one, around one run of others. */
static void check_one_run_added(struct bytes shorter, struct bytes longer)
{
    size_t same = 0;
    must(longer.len >= shorter.len);
    while (same < shorter.len && shorter.data[same] == longer.data[same]) {
        same++;
    }
    must(bytes_equal(bytes_after(longer, longer.len - (shorter.len - same)), bytes_after(shorter, same)));
}

static void check_set(const struct input *input, enum yaml_edit_found kind, const struct yaml_edit_value *before)
{
    struct bytes result;
    struct yaml_edit_value after;
    struct error error = {0};
    if (!yaml_edit_set(FILE_NAME, input->text, input->key, input->value, input->arena, &result, &error)) {
        must(error.code != STATUS_OK);
        return;
    }
    must(kind == YAML_EDIT_SCALAR || kind == YAML_EDIT_ABSENT);
    must(find(input, result, &after) == YAML_EDIT_SCALAR && strcmp(after.value, input->value) == 0);
    if (kind == YAML_EDIT_SCALAR) {
        check_others_kept(input->text, result, before->place.offset, before->place.length);
        return;
    }
    check_one_run_added(input->text, result);
}

void fuzz_try(struct bytes bytes, struct arena *arena)
{
    struct input input = {.arena = arena};
    struct yaml_edit_value found;
    input.key = take_string(&bytes, arena, "key");
    input.value = take_string(&bytes, arena, "unix:///run/a.sock");
    input.text = bytes;
    enum yaml_edit_found kind = find(&input, input.text, &found);
    check_set(&input, kind, &found);
}
