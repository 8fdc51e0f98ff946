/* Any texts as the files of a service: its unit, a drop-in and two environment files, with a NUL between each two. Each byte of
   the command line stands where it is said to, and an edit changes the options that it should, or nothing. */
#include <string.h>

#include "node/systemd/edit_flag.h"
#include "tests/fuzz/fuzz.h"

#define FLAG "container-runtime-endpoint"
#define VALUE "unix:///run/crigate/crigate.sock"
#define FILES 4

static const char *const paths[FILES] = {"/etc/a.service", "/etc/a.conf", "/var/lib/kubelet/kubeadm-flags.env",
                                         "/etc/default/kubelet"};

/* An arena for one kind of edit. */
#define CAP ((size_t)1 << 28)

static void take_files(struct unit_command *unit, struct bytes input)
{
    unit->name = "kubelet@a-b.service";
    unit->count = FILES;
    for (size_t i = 0; i < FILES; i++) {
        const uint8_t *end = input.len > 0 ? memchr(input.data, '\0', input.len) : NULL;
        size_t len = end ? (size_t)(end - input.data) : input.len;
        unit->files[i] = (struct command_file){.path = paths[i], .text = bytes_of(input.data, len), .is_environment = i >= 2};
        input = bytes_after(input, end ? len + 1 : len);
    }
}

static void check_places(const struct unit_command *unit)
{
    for (size_t i = 0; i < unit->command.count; i++) {
        struct traced_text word = unit->command.words[i];
        must(strlen(word.text) == word.len);
        for (size_t j = 0; j < word.len; j++) {
            struct origin from = word.from[j];
            must(from.variable <= unit->command.variable_count);
            if (from.file != ORIGIN_NOWHERE) {
                must(from.file < unit->count && from.offset < unit->files[from.file].text.len);
                must(unit->files[from.file].text.data[from.offset] == (uint8_t)word.text[j]);
            }
        }
    }
}

static void check_flags(const struct unit_command *unit)
{
    for (size_t i = 0; i < unit->flags.count; i++) {
        const struct kubelet_flag *flag = &unit->flags.items[i];
        must(flag->value_word < unit->command.count && flag->value_at <= unit->command.words[flag->value_word].len);
        must(flag->is_bare || strcmp(unit->words[flag->value_word] + flag->value_at, flag->value) == 0);
        const char *variable;
        struct text_place place = unit_command_place(unit, flag->value_word, flag->value_at, &variable);
        must(!place.file || place.line > 0);
        must(place.length == 0 || place.length == strlen(flag->value));
    }
}

static size_t count_flags(const struct unit_command *unit)
{
    size_t count = 0;
    for (size_t i = 0; i < unit->flags.count; i++) {
        count += strcmp(unit->flags.items[i].name, FLAG) == 0;
    }
    return count;
}

static bool is_same(const struct unit_command *a, const struct unit_command *b)
{
    bool same = a->command.count == b->command.count;
    for (size_t i = 0; same && i < a->command.count; i++) {
        same = strcmp(a->words[i], b->words[i]) == 0;
    }
    return same;
}

typedef bool edit_function(struct flag_editor *editor);

static bool set(struct flag_editor *editor)
{
    return flag_editor_set(editor, FLAG, VALUE);
}

static bool add(struct flag_editor *editor)
{
    return flag_editor_add(editor, FLAG, VALUE);
}

static bool drop(struct flag_editor *editor)
{
    return flag_editor_remove(editor, FLAG);
}

static void try_edit(struct bytes input, edit_function *edit)
{
    static struct unit_command unit, before;
    struct arena *arena = arena_new(CAP);
    struct error error = {.code = STATUS_OK};
    struct flag_editor editor = {.unit = &unit, .arena = arena, .error = &error};
    memset(&unit, 0, sizeof unit);
    take_files(&unit, input);
    if (unit_command_parse(&unit, arena, &error)) {
        check_places(&unit);
        check_flags(&unit);
        before = unit;
        bool done = edit(&editor);
        const struct kubelet_flag *flag = kubelet_flags_last(&unit.flags, FLAG);
        if (!done) {
            must(error.code != STATUS_OK && (edit == drop || is_same(&unit, &before)));
        } else if (edit == drop) {
            must(!flag);
        } else {
            must(flag && strcmp(flag->value, VALUE) == 0);
            must(count_flags(&unit) == count_flags(&before) + (edit == add ? 1 : 0));
        }
        check_places(&unit);
    }
    arena_unref(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes input = bytes_of(data, size);
    try_edit(input, set);
    try_edit(input, add);
    try_edit(input, drop);
    return 0;
}
