#include "translate/hooks/compare.h"

#include <inttypes.h>
#include <stdio.h>

#include "translate/hooks/judge.h"
#include "translate/hooks/text.h"

bool hook_compare_refuse(const struct hook_compare *compare, const struct hook_path *path, struct bytes key, const char *reason)
{
    char text[HOOK_PATH_TEXT];
    hook_path_text(path, key, text);
    return error_set(compare->error, STATUS_INVALID_ARGUMENT, "%s: %s", text, reason);
}

void hook_compare_note(const struct hook_compare *compare, const struct hook_path *path, struct bytes key, bool overwritten)
{
    if (compare->changes) {
        char text[HOOK_PATH_TEXT];
        hook_path_text(path, key, text);
        hook_changes_add(compare->changes, text, overwritten);
    }
}

static int64_t number_of(struct bytes message, const struct hook_field *field)
{
    struct wire_field found;
    return wire_last_field(message, field->number, WIRE_VARINT, &found) ? (int64_t)found.value : 0;
}

static bool compare_number(const struct hook_comparing *field, struct hook_edit *edit)
{
    const struct hook_compare *compare = field->compare;
    const struct hook_range *range = &field->field->range;
    int64_t before = number_of(field->versions.before, field->field);
    int64_t after = number_of(field->versions.after, field->field);
    bool answer = compare->comparison == HOOK_COMPARE_ANSWER;
    after = answer && after != before ? hook_number_clamped(range, after) : after;
    if (after == before || (after == 0 && compare->comparison != HOOK_COMPARE_EXACT)) {
        return true;
    }
    bool clears = answer && after == range->clears; /* an answer of 0 was handled above */
    if (clears && before == 0) {
        return true;
    }
    if (answer && !clears && !hook_number_is_allowed(range, after)) {
        char reason[128];
        snprintf(reason, sizeof reason, "%" PRId64 " is not from %" PRId64 " to %" PRId64, after, range->least, range->most);
        return hook_compare_refuse(compare, field->path, (struct bytes){0}, reason);
    }
    *edit = (struct hook_edit){.kind = HOOK_EDIT_NUMBER, .number = clears ? 0 : (uint64_t)after};
    hook_compare_note(compare, field->path, (struct bytes){0}, number_of(field->versions.original, field->field) != before);
    return true;
}

/* The last one of a HOOK_PARENT or HOOK_CPUSET. */
static bool compare_text(const struct hook_comparing *field, struct hook_edit *edit)
{
    const struct hook_compare *compare = field->compare;
    uint32_t number = field->field->number;
    bool parent = field->field->word == HOOK_PARENT;
    struct bytes before = wire_last_payload(field->versions.before, number);
    struct bytes after = wire_last_payload(field->versions.after, number);
    /* An answer has the whole new state of cpusets, so that plugins can clear them. An update has only what changes. */
    bool answer = compare->comparison == HOOK_COMPARE_ANSWER;
    bool silent = compare->comparison == HOOK_COMPARE_UPDATE || (answer && parent);
    bool nothing_said = after.len == 0 && (silent || (answer && !hook_text_can_be_sent(before)));
    if (bytes_equal(before, after) || nothing_said) {
        return true;
    }
    if (answer && after.len > 0) {
        const char *reason = parent ? hook_judge_parent(after) : hook_judge_cpuset(after);
        if (reason) {
            return hook_compare_refuse(compare, field->path, (struct bytes){0}, reason);
        }
    }
    *edit = (struct hook_edit){.kind = HOOK_EDIT_TEXT, .bytes = after};
    struct bytes original = wire_last_payload(field->versions.original, number);
    hook_compare_note(compare, field->path, (struct bytes){0}, !bytes_equal(original, before));
    return true;
}

/* A field that plugins cannot change; an update can. */
static bool compare_shown(const struct hook_comparing *field, struct hook_edit *edit)
{
    if (field->compare->comparison != HOOK_COMPARE_UPDATE) {
        return true;
    }
    struct walk_output output;
    if (!walk_output_start(&output, field->compare->arena, field->versions.after.len)) {
        return error_no_memory(field->compare->error);
    }
    struct wire_reader reader = wire_reader_of(field->versions.after);
    struct wire_field found;
    while (reader.at < reader.end && wire_read_field(&reader, &found)) {
        if (found.number == field->field->number && !walk_output_put(&output, found.start, (size_t)(found.end - found.start))) {
            return error_no_memory(field->compare->error);
        }
    }
    struct bytes fields = walk_output_finish(&output);
    if (fields.len > 0) {
        *edit = (struct hook_edit){.kind = HOOK_EDIT_FIELDS, .bytes = fields};
    }
    return true;
}

static bool compare_fields(const struct hook_compare *compare, const struct hook_message *message, const struct hook_path *path,
                           const struct hook_versions *versions, struct hook_edits **edits);

static bool compare_inside(const struct hook_comparing *field, struct hook_edit *edit)
{
    const struct hook_versions *outer = &field->versions;
    uint32_t number = field->field->number;
    struct wire_field found;
    if (field->compare->comparison != HOOK_COMPARE_EXACT && !wire_last_field(outer->after, number, WIRE_LENGTH, &found)) {
        return true;
    }
    struct hook_versions inner = {
        .original = wire_last_payload(outer->original, number),
        .before = wire_last_payload(outer->before, number),
        .after = wire_last_payload(outer->after, number),
    };
    struct hook_edits *inside;
    if (!compare_fields(field->compare, field->field->message, field->path, &inner, &inside)) {
        return false;
    }
    if (inside) {
        *edit = (struct hook_edit){.kind = HOOK_EDIT_INSIDE, .inside = inside};
    }
    return true;
}

static bool compare_field(const struct hook_comparing *field, struct hook_edit *edit)
{
    switch ((enum hook_word)field->field->word) {
    case HOOK_SHOWN:
        return compare_shown(field, edit);
    case HOOK_INSIDE:
        return compare_inside(field, edit);
    case HOOK_NUMBER:
        return compare_number(field, edit);
    case HOOK_PARENT:
    case HOOK_CPUSET:
        return compare_text(field, edit);
    case HOOK_ENTRIES:
    case HOOK_FILES:
        return hook_compare_entries(field, edit);
    case HOOK_ENVIRONMENT:
        return hook_compare_environment(field, edit);
    }
    return true;
}

static bool compare_fields(const struct hook_compare *compare, const struct hook_message *message, const struct hook_path *path,
                           const struct hook_versions *versions, struct hook_edits **edits)
{
    *edits = NULL;
    for (size_t i = 0; i < message->field_count; i++) {
        struct hook_path inner = {.outer = path, .name = message->fields[i].name};
        struct hook_comparing field = {.compare = compare, .field = &message->fields[i], .path = &inner, .versions = *versions};
        struct hook_edit edit = {0};
        if (!compare_field(&field, &edit)) {
            return false;
        }
        if (edit.kind != HOOK_EDIT_NONE && !*edits) {
            *edits = hook_edits_new(message, compare->arena);
            if (!*edits) {
                return error_no_memory(compare->error);
            }
        }
        if (edit.kind != HOOK_EDIT_NONE) {
            (*edits)->fields[i] = edit;
        }
    }
    return true;
}

bool hook_compare_messages(const struct hook_compare *compare, const struct hook_message *message,
                           const struct hook_versions *versions, struct hook_edits **edits)
{
    return compare_fields(compare, message, NULL, versions, edits);
}
