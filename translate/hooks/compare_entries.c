#include "translate/hooks/compare.h"
#include "translate/hooks/judge.h"

/* The entries of the field in all versions. */
struct versions {
    struct hook_entries before; /* as they are in the message */
    struct hook_entries original_by_key;
    struct hook_entries before_by_key;
    struct hook_entries after; /* as they are in the message */
    struct hook_entries after_by_key;
};

static bool read_versions(const struct hook_comparing *field, struct versions *versions)
{
    struct arena *arena = field->compare->arena;
    struct hook_entries original;
    bool read = hook_entries_read(field->field, field->versions.original, arena, &original) &&
                hook_entries_read(field->field, field->versions.before, arena, &versions->before) &&
                hook_entries_read(field->field, field->versions.after, arena, &versions->after) &&
                hook_entries_by_key(original, arena, &versions->original_by_key) &&
                hook_entries_by_key(versions->before, arena, &versions->before_by_key) &&
                hook_entries_by_key(versions->after, arena, &versions->after_by_key);
    return read || error_no_memory(field->compare->error);
}

/* Whether two versions of an entry, each NULL if there is none, differ. */
static bool differ(const struct hook_entry *a, const struct hook_entry *b)
{
    return a && b ? !bytes_equal(a->value, b->value) : a != b;
}

static bool judge(const struct hook_comparing *field, const struct hook_entry *entry)
{
    if (field->compare->comparison != HOOK_COMPARE_ANSWER) {
        return true;
    }
    const char *reason = hook_judge_key(field->field, entry->key);
    reason = reason ? reason : hook_judge_value(entry->value);
    /* An empty key must be shown as one: it has data. */
    struct bytes key = bytes_of(entry->key.data ? (const void *)entry->key.data : "", entry->key.len);
    return !reason || hook_compare_refuse(field->compare, field->path, key, reason);
}

/* Reports a change of what `before` has under that key. */
static void note(const struct hook_comparing *field, const struct versions *versions, struct bytes key)
{
    hook_compare_note(field->compare, field->path, key,
                      differ(hook_entries_find(versions->original_by_key, key), hook_entries_find(versions->before_by_key, key)));
}

bool hook_compare_entries(const struct hook_comparing *field, struct hook_edit *edit)
{
    struct versions versions;
    if (!read_versions(field, &versions)) {
        return false;
    }
    struct hook_entries changed = {.items = versions.after_by_key.items};
    for (size_t i = 0; i < versions.after_by_key.count; i++) {
        const struct hook_entry *entry = &versions.after_by_key.items[i];
        if (!differ(entry, hook_entries_find(versions.before_by_key, entry->key))) {
            continue;
        }
        if (!judge(field, entry)) {
            return false;
        }
        note(field, &versions, entry->key);
        changed.items[changed.count++] = *entry;
    }
    if (changed.count > 0) {
        *edit = (struct hook_edit){.kind = HOOK_EDIT_ENTRIES, .entries = changed};
    }
    return true;
}

static bool same_list(struct hook_entries a, struct hook_entries b)
{
    bool same = a.count == b.count;
    for (size_t i = 0; same && i < a.count; i++) {
        same = bytes_equal(a.items[i].key, b.items[i].key) && bytes_equal(a.items[i].value, b.items[i].value);
    }
    return same;
}

/* Adds what the answer makes of a variable: nothing if it removes it. */
static bool merge_old_variable(const struct hook_comparing *field, const struct versions *versions,
                               const struct hook_entry *variable, struct hook_entries *list)
{
    const struct hook_entry *answered = hook_entries_find(versions->after_by_key, variable->key);
    struct hook_entry merged = *variable;
    if (hook_variable_is_sendable(variable, versions->before_by_key) && differ(variable, answered)) {
        if (answered && !judge(field, answered)) {
            return false;
        }
        note(field, versions, variable->key);
        if (!answered) {
            return true;
        }
        merged.value = answered->value;
    }
    list->items[list->count++] = merged;
    return true;
}

/* Adds a variable of the answer, unless it was sent. */
static bool merge_new_variable(const struct hook_comparing *field, const struct versions *versions,
                               const struct hook_entry *answered, struct hook_entries *list)
{
    const struct hook_entry *before = hook_entries_find(versions->before_by_key, answered->key);
    if (before && hook_variable_is_sendable(before, versions->before_by_key)) {
        return true;
    }
    if (!judge(field, answered)) {
        return false;
    }
    note(field, versions, answered->key);
    list->items[list->count++] = *answered;
    return true;
}

/* The list that results from an answer. */
static bool merge_environment(const struct hook_comparing *field, const struct versions *versions, struct hook_entries *list)
{
    size_t most = versions->before.count + versions->after_by_key.count;
    *list = (struct hook_entries){.items = arena_alloc(field->compare->arena, most * sizeof *list->items)};
    if (!list->items) {
        return error_no_memory(field->compare->error);
    }
    bool merged = true;
    for (size_t i = 0; merged && i < versions->before.count; i++) {
        merged = merge_old_variable(field, versions, &versions->before.items[i], list);
    }
    for (size_t i = 0; merged && i < versions->after_by_key.count; i++) {
        merged = merge_new_variable(field, versions, &versions->after_by_key.items[i], list);
    }
    return merged;
}

bool hook_compare_environment(const struct hook_comparing *field, struct hook_edit *edit)
{
    struct versions versions;
    if (!read_versions(field, &versions)) {
        return false;
    }
    struct hook_entries list = versions.after;
    if (field->compare->comparison != HOOK_COMPARE_EXACT) {
        if (versions.after.count == 0) {
            return true; /* it says nothing */
        }
        if (!merge_environment(field, &versions, &list)) {
            return false;
        }
    }
    if (!same_list(versions.before, list)) {
        *edit = (struct hook_edit){.kind = HOOK_EDIT_LIST, .entries = list};
    }
    return true;
}
