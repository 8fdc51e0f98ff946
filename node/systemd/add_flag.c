#include <string.h>

#include "node/systemd/edit_flag.h"
#include "node/systemd/join.h"

/* The variables for options of the owner, the best first, with the files that are made for them. */
static const struct {
    const char *name;
    const char *file; /* may lack the variable, or be missing */
} usual[] = {
    {"KUBELET_EXTRA_ARGS", "/etc/default/kubelet"},
    {"KUBELET_EXTRA_ARGS", "/etc/sysconfig/kubelet"},
    {"KUBELET_KUBEADM_ARGS", "/var/lib/kubelet/kubeadm-flags.env"},
    {"KUBELET_ARGS", "/etc/kubernetes/kubelet.env"},
    {"KUBELET_ARGS", "/etc/kubernetes/kubelet"},
    {"DAEMON_ARGS", "/etc/sysconfig/kubelet"},
};

#define USUAL (sizeof usual / sizeof usual[0])

/* A change of one file: bytes at a place replaced by others. */
struct change {
    size_t file, offset, length;
    const char *by;
};

static bool is_spread(const struct flag_editor *editor, const char *name)
{
    for (size_t i = 0; i < editor->unit->command.spread_count; i++) {
        if (strcmp(editor->unit->command.spread[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Behind the last byte of the variable's value, or in place of an empty one. */
static bool change_of_value(const struct flag_editor *editor, const struct command_variable *variable, const char *option,
                            struct change *change)
{
    struct traced_text value = variable->entry.value;
    *change = (struct change){.file = variable->entry.file};
    if (variable->entry.doubtful || editor->unit->is_link[change->file] ||
        !path_may_be_edited(editor->unit->files[change->file].path)) {
        return false;
    }
    if (value.len > 0) {
        struct origin last = value.from[value.len - 1];
        change->offset = last.offset + 1;
        change->by = join_strings(editor->arena, " ", option, (char *)NULL);
        return last.file == change->file && change->by;
    }
    change->offset = variable->entry.raw_offset;
    change->length = variable->entry.raw_length;
    change->by = join_strings(editor->arena, "\"", option, "\"", (char *)NULL);
    return variable->of_environment_file && change->by;
}

/* A new line at the end of a file that the unit reads, or that it would read. */
static bool change_of_file(const struct flag_editor *editor, const char *name, const char *path, const char *option,
                           struct change *change)
{
    for (size_t i = 0; i < editor->unit->count; i++) {
        const struct command_file *file = &editor->unit->files[i];
        if (!file->is_environment || strcmp(file->path, path) != 0 || editor->unit->is_link[i]) {
            continue;
        }
        bool open = file->text.len > 0 && file->text.data[file->text.len - 1] != '\n';
        *change = (struct change){.file = i,
                                  .offset = file->text.len,
                                  .by = join_strings(editor->arena, open ? "\n" : "", name, "=\"", option, "\"\n", (char *)NULL)};
        return change->by != NULL;
    }
    return false;
}

/* Whether all words are unchanged, and the option appears once more, and counts. */
static bool is_as_wanted(const struct flag_editor *editor, const char *const *words, size_t count, const char *option,
                         const char *name)
{
    const struct unit_command *unit = editor->unit;
    const struct kubelet_flag *flag = kubelet_flags_last(&unit->flags, name);
    if (!flag || strcmp(unit->words[flag->word], option) != 0 || unit->command.count != count + 1) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], unit->words[i < flag->word ? i : i + 1]) != 0) {
            return false;
        }
    }
    return true;
}

enum tried {
    TRIED_DONE,
    TRIED_UNFIT, /* all is as before */
    TRIED_FAILED,
};

static enum tried try_change(struct flag_editor *editor, const struct change *change, const char *option, const char *name)
{
    struct unit_command *unit = editor->unit;
    struct bytes text = unit->files[change->file].text;
    const char *const *words = unit->words;
    size_t count = unit->command.count;
    struct error error = {.code = STATUS_OK};
    unit->files[change->file].text =
        text_replace(text, change->offset, change->length, bytes_of_string(change->by), editor->arena);
    if (!unit->files[change->file].text.data) {
        return error_out_of_memory(editor->error) ? TRIED_DONE : TRIED_FAILED;
    }
    if (unit_command_parse(unit, editor->arena, &error) && is_as_wanted(editor, words, count, option, name)) {
        return TRIED_DONE;
    }
    unit->files[change->file].text = text;
    return unit_command_parse(unit, editor->arena, editor->error) ? TRIED_UNFIT : TRIED_FAILED;
}

static enum tried try_variable(struct flag_editor *editor, const char *name, const char *variable, const char *path,
                               const char *option)
{
    struct change change;
    const struct command_variable *set = command_variable(&editor->unit->command, variable);
    bool found = false;
    if (set) {
        found = change_of_value(editor, set, option, &change);
    } else if (path && is_spread(editor, variable)) {
        found = change_of_file(editor, variable, path, option, &change);
    }
    if (!found || !is_spread(editor, variable)) {
        return TRIED_UNFIT;
    }
    enum tried tried = try_change(editor, &change, option, name);
    if (tried == TRIED_DONE) {
        const char *other = editor->why[change.file];
        editor->why[change.file] =
            join_strings(editor->arena, other ? other : "", other ? ", " : "", "add --", name, " to ", variable, (char *)NULL);
        return editor->why[change.file] ? TRIED_DONE : TRIED_FAILED;
    }
    return tried;
}

bool flag_editor_add(struct flag_editor *editor, const char *name, const char *value)
{
    const char *option = join_strings(editor->arena, "--", name, "=", value, (char *)NULL);
    if (!option) {
        return error_out_of_memory(editor->error);
    }
    for (size_t i = 0; i < USUAL; i++) {
        enum tried tried = try_variable(editor, name, usual[i].name, usual[i].file, option);
        if (tried != TRIED_UNFIT) {
            return tried == TRIED_DONE;
        }
    }
    for (size_t i = editor->unit->command.spread_count; i > 0; i--) {
        enum tried tried = try_variable(editor, name, editor->unit->command.spread[i - 1], NULL, option);
        if (tried != TRIED_UNFIT) {
            return tried == TRIED_DONE;
        }
    }
    return error_set(editor->error, STATUS_FAILED_PRECONDITION, "the unit reads no file to which %s could be added", option);
}
