#include <stdio.h>
#include <string.h>

#include "node/systemd/edit_flag.h"
#include "node/systemd/join.h"

#define DROP_IN_NAME "99-crigate.conf"
#define UNIT_FOLDER "/etc/systemd/system/"

/* Whether our drop-in would be the last: they apply in the order of their names. */
static bool is_last(const struct systemd_unit *unit)
{
    for (size_t i = 0; i < unit->drop_in_count; i++) {
        if (strcmp(basename(unit->drop_ins[i]), DROP_IN_NAME) >= 0) {
            return false;
        }
    }
    return true;
}

/* Whether the text can be in double quotes of a unit's file without changes. */
static bool is_plain(const char *text)
{
    return text[strcspn(text, "\"\\%\n\r")] == '\0';
}

/* The value of the variable with the option's value replaced. NULL: it is not a plain part of the variable. */
static const char *replaced(struct flag_editor *editor, const struct command_variable *variable, const struct kubelet_flag *flag,
                            const char *value)
{
    struct traced_text whole = variable->entry.value;
    struct traced_text word = editor->unit->command.words[flag->value_word];
    struct traced_text old = traced_part(word, flag->value_at, word.len - flag->value_at);
    if (!traced_is_literal(old)) {
        return NULL;
    }
    for (size_t i = 0; i + old.len <= whole.len; i++) {
        if (whole.from[i].file == old.from[0].file && whole.from[i].offset == old.from[0].offset) {
            char *front = arena_string(editor->arena, bytes_of(whole.text, i));
            char *back = arena_string(editor->arena, bytes_of(whole.text + i + old.len, whole.len - i - old.len));
            return front && back ? join_strings(editor->arena, front, value, back, (char *)NULL) : NULL;
        }
    }
    return NULL;
}

/* Adds a drop-in that is not there yet to the files of the unit; its text becomes the one that is given. */
static bool add_drop_in(struct flag_editor *editor, const char *text)
{
    struct unit_command *unit = editor->unit;
    size_t i = unit->count;
    const char *path = join_strings(editor->arena, UNIT_FOLDER, editor->systemd_unit->name, ".d/" DROP_IN_NAME, (char *)NULL);
    if (!path || !text) {
        return error_out_of_memory(editor->error);
    }
    if (i == COMMAND_MOST_FILES || !node_file_read(path, editor->arena, &unit->read[i], editor->error) || unit->read[i].present) {
        return false;
    }
    unit->files[i] = (struct command_file){.path = path, .text = bytes_of_string(text)};
    unit->is_link[i] = false;
    editor->why[i] = "a drop-in that sets a variable again, because the file that sets it now belongs to a package";
    unit->count++;
    return unit_command_parse(unit, editor->arena, editor->error);
}

/* Sets the variable of a package's unit that has the option again. */
static bool set_variable_anew(struct flag_editor *editor, const char *name, const char *value)
{
    struct unit_command *unit = editor->unit;
    const struct kubelet_flag *flag = kubelet_flags_last(&unit->flags, name);
    struct traced_text word = unit->command.words[flag->value_word];
    uint16_t number = flag->value_at < word.len ? word.from[flag->value_at].variable : 0;
    const struct command_variable *variable = number > 0 ? &unit->command.variables[number - 1] : NULL;
    if (!variable || variable->of_environment_file || !is_last(editor->systemd_unit)) {
        return false;
    }
    const char *const *words = unit->words;
    size_t count = unit->command.count, files = unit->count;
    const char *anew = replaced(editor, variable, flag, value);
    if (!anew || !is_plain(anew) ||
        !add_drop_in(editor, join_strings(editor->arena,
                                          "# Points the kubelet to crigate. `crigate uninstall` removes this file.\n"
                                          "[Service]\nEnvironment=\"",
                                          variable->name, "=", anew, "\"\n", (char *)NULL))) {
        return false;
    }
    const struct kubelet_flag *now = kubelet_flags_last(&unit->flags, name);
    bool good = now && strcmp(now->value, value) == 0 && unit->command.count == count;
    for (size_t i = 0; good && i < count; i++) {
        good = i == now->value_word || strcmp(words[i], unit->words[i]) == 0;
    }
    editor->repeated = good ? variable->name : editor->repeated;
    if (!good) {
        unit->count = files;
        editor->why[files] = NULL;
        unit_command_parse(unit, editor->arena, editor->error);
    }
    return good;
}

bool flag_editor_outvote(struct flag_editor *editor, const char *name, const char *value)
{
    struct error first = *editor->error;
    if (flag_editor_add(editor, name, value) || set_variable_anew(editor, name, value)) {
        *editor->error = (struct error){.code = STATUS_OK};
        return true;
    }
    if (editor->error->code != STATUS_RESOURCE_EXHAUSTED) {
        *editor->error = first;
    }
    return false;
}
