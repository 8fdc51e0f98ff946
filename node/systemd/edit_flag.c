#include "node/systemd/edit_flag.h"

#include <string.h>

#include "node/systemd/join.h"

bool path_may_be_edited(const char *path)
{
    static const char *const others[] = {"/usr/", "/lib/", "/run/", "/var/run/", "/nix/", "/snap/", "/proc/", "/sys/", "/dev/"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strncmp(path, others[i], strlen(others[i])) == 0) {
            return false;
        }
    }
    return path[0] == '/';
}

/* What was before a change. */
struct snapshot {
    const char *const *words;
    size_t count;
};

static struct snapshot take_snapshot(const struct flag_editor *editor)
{
    return (struct snapshot){.words = editor->unit->words, .count = editor->unit->command.count};
}

static bool refuse(struct flag_editor *editor, const struct text_place *place, const char *name, const char *why)
{
    if (!place->file) {
        return error_set(editor->error, STATUS_FAILED_PRECONDITION, "--%s is in no file of the unit", name);
    }
    return error_set(editor->error, STATUS_FAILED_PRECONDITION, "%s:%u: %s", place->file, place->line, why);
}

/* Whether a word may change together with another one: both endpoints may come from one variable. */
static bool may_change_too(const struct flag_editor *editor, size_t word, const char *value)
{
    static const char *const names[] = {"container-runtime-endpoint", "image-service-endpoint"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct kubelet_flag *flag = kubelet_flags_last(&editor->unit->flags, names[i]);
        if (flag && flag->value_word == word && strcmp(flag->value, value) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the words are those of before, except for the one of the value. */
static bool only_value_changed(const struct flag_editor *editor, const struct snapshot *before, const char *name,
                               const char *value)
{
    const struct kubelet_flag *flag = kubelet_flags_last(&editor->unit->flags, name);
    if (!flag || strcmp(flag->value, value) != 0 || editor->unit->command.count != before->count) {
        return false;
    }
    for (size_t i = 0; i < before->count; i++) {
        if (i != flag->value_word && strcmp(editor->unit->words[i], before->words[i]) != 0 && !may_change_too(editor, i, value)) {
            return false;
        }
    }
    return true;
}

/* Whether the words are those of `more` without `gap` words from `at` on. */
static bool is_with_gap(const struct snapshot *more, const struct snapshot *less, size_t at, size_t gap)
{
    if (more->count != less->count + gap) {
        return false;
    }
    for (size_t i = 0; i < less->count; i++) {
        if (strcmp(less->words[i], more->words[i < at ? i : i + gap]) != 0) {
            return false;
        }
    }
    return true;
}

/* Replaces bytes in a file and reads the command line again. If that is no longer a command line, the change is undone. */
static bool apply(struct flag_editor *editor, size_t file, size_t offset, size_t length, const char *by)
{
    struct bytes before = editor->unit->files[file].text;
    struct bytes text = text_replace(before, offset, length, bytes_of_string(by), editor->arena);
    if (!text.data) {
        return error_out_of_memory(editor->error);
    }
    editor->unit->files[file].text = text;
    if (unit_command_parse(editor->unit, editor->arena, editor->error)) {
        return true;
    }
    editor->unit->files[file].text = before;
    unit_command_parse(editor->unit, editor->arena, NULL);
    return false;
}

/* Undoes a change that did not have the intended effect. */
static bool take_back(struct flag_editor *editor, size_t file, struct bytes text, const struct text_place *place,
                      const char *name, const char *why)
{
    editor->unit->files[file].text = text;
    return unit_command_parse(editor->unit, editor->arena, editor->error) && refuse(editor, place, name, why);
}

static bool set_why(struct flag_editor *editor, size_t file, const char *verb, const char *name, const char *variable)
{
    const char *other = editor->why[file];
    editor->why[file] = join_strings(editor->arena, other ? other : "", other ? ", " : "", verb, " --", name,
                                     variable ? " in " : "", variable ? variable : "", (char *)NULL);
    return editor->why[file] || error_out_of_memory(editor->error);
}

/* The file of a word's byte; false: it is in no file that may be edited. */
static bool find_file(struct flag_editor *editor, size_t word, size_t at, const struct text_place *place, const char *name,
                      size_t *file)
{
    *file = editor->unit->command.words[word].from[at].file;
    if (*file == ORIGIN_NOWHERE) {
        return refuse(editor, place, name, "the option is written with escapes or specifiers that crigate does not replace");
    }
    if (editor->unit->is_link[*file]) {
        return refuse(editor, place, name, "the file is a symbolic link, which crigate does not edit");
    }
    uint16_t variable = editor->unit->command.words[word].from[at].variable;
    if (variable > 0 && editor->unit->command.variables[variable - 1].entry.doubtful) {
        return refuse(editor, place, name,
                      "the line follows a comment that ends in a backslash, which releases of systemd read "
                      "in different ways");
    }
    return path_may_be_edited(place->file) ||
           refuse(editor, place, name, "the file belongs to a package or to the running system, which crigate does not edit");
}

/* Where the value is: as one piece, or empty after "=". */
static bool find_value(struct flag_editor *editor, const struct kubelet_flag *flag, const struct text_place *place, size_t *file,
                       size_t *offset)
{
    struct traced_text word = editor->unit->command.words[flag->value_word];
    bool empty = flag->value_at == word.len;
    if (flag->is_bare || (empty && flag->value_at == 0)) {
        return refuse(editor, place, flag->name, "the option has no value that could be replaced");
    }
    size_t at = empty ? flag->value_at - 1 : flag->value_at;
    if (!find_file(editor, flag->value_word, at, place, flag->name, file)) {
        return false;
    }
    if (!empty && place->length == 0) {
        return refuse(editor, place, flag->name, "the value is quoted or escaped in a way that crigate does not replace");
    }
    *offset = word.from[at].offset + (empty ? 1 : 0);
    return true;
}

bool flag_editor_set(struct flag_editor *editor, const char *name, const char *value)
{
    const struct kubelet_flag *flag = kubelet_flags_last(&editor->unit->flags, name);
    struct text_place place = {.file = NULL};
    const char *variable = NULL;
    size_t file = 0, offset = 0;
    if (!flag) {
        return refuse(editor, &place, name, "");
    }
    place = unit_command_place(editor->unit, flag->value_word, flag->value_at, &variable);
    if (!find_value(editor, flag, &place, &file, &offset)) {
        return place.file && !path_may_be_edited(place.file) && flag_editor_outvote(editor, name, value);
    }
    struct snapshot before = take_snapshot(editor);
    struct bytes text = editor->unit->files[file].text;
    if (!apply(editor, file, offset, place.length, value)) {
        return false;
    }
    if (!only_value_changed(editor, &before, name, value)) {
        return take_back(editor, file, text, &place, name, "another value here would change more than the option");
    }
    return set_why(editor, file, "set", name, variable);
}

/* ---- removal ---- */

/* A run of bytes in a file. */
struct run {
    size_t file, begin, end;
};

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t';
}

/* Whether nothing but blanks and ends of continued lines is between. */
static bool only_blanks(struct bytes text, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        if (!is_space(text.data[i]) && text.data[i] != '\n' &&
            !(text.data[i] == '\\' && i + 1 < end && text.data[i + 1] == '\n')) {
            return false;
        }
    }
    return begin <= end;
}

/* The words of an option, from its name to its value. false: they are not one run in a file. */
static bool find_run(const struct flag_editor *editor, const struct kubelet_flag *flag, struct run *run)
{
    const struct traced_text *words = editor->unit->command.words;
    struct traced_text name = words[flag->word], value = words[flag->value_word];
    if (!traced_is_literal(name) || !traced_is_literal(value) || name.from[0].file != value.from[0].file) {
        return false;
    }
    run->file = name.from[0].file;
    run->begin = name.from[0].offset;
    run->end = value.from[0].offset + value.len;
    struct bytes text = editor->unit->files[run->file].text;
    return flag->word == flag->value_word || only_blanks(text, run->begin + name.len, value.from[0].offset);
}

/* Removes the blank that is no longer needed, or a whole line that continues in the next. */
static void widen(struct bytes text, struct run *run)
{
    size_t begin = run->begin, end = run->end;
    while (begin > 0 && is_space(text.data[begin - 1])) {
        begin--;
    }
    while (end < text.len && is_space(text.data[end])) {
        end++;
    }
    bool whole_line =
        begin > 0 && text.data[begin - 1] == '\n' && end + 1 < text.len && text.data[end] == '\\' && text.data[end + 1] == '\n';
    if (whole_line) {
        run->begin = begin;
        run->end = end + 2;
    } else if (run->end < text.len && is_space(text.data[run->end])) {
        run->end++;
    } else if (run->begin > 0 && is_space(text.data[run->begin - 1])) {
        run->begin--;
    }
}

static bool remove_one(struct flag_editor *editor, const struct kubelet_flag *flag)
{
    const char *variable;
    struct text_place place = unit_command_place(editor->unit, flag->word, 0, &variable);
    struct run run;
    size_t file;
    if (!find_file(editor, flag->word, 0, &place, flag->name, &file)) {
        return false;
    }
    if (!find_run(editor, flag, &run)) {
        return refuse(editor, &place, flag->name, "the option is quoted or escaped in a way that crigate does not remove");
    }
    struct snapshot before = take_snapshot(editor);
    struct bytes text = editor->unit->files[run.file].text;
    widen(text, &run);
    if (!apply(editor, run.file, run.begin, run.end - run.begin, "")) {
        return false;
    }
    struct snapshot after = take_snapshot(editor);
    if (!is_with_gap(&before, &after, flag->word, flag->value_word - flag->word + 1)) {
        return take_back(editor, run.file, text, &place, flag->name, "without the option, other words would change, too");
    }
    return set_why(editor, run.file, "remove", flag->name, variable);
}

bool flag_editor_remove(struct flag_editor *editor, const char *name)
{
    for (;;) {
        const struct kubelet_flag *flag = kubelet_flags_last(&editor->unit->flags, name);
        if (!flag) {
            return true;
        }
        if (!remove_one(editor, flag)) {
            return false;
        }
    }
}
