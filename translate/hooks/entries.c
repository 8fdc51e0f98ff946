#include "translate/hooks/entries.h"

#include <stdlib.h>

#include "translate/hooks/text.h"

static size_t count_entries(const struct hook_field *field, struct bytes message)
{
    size_t count = 0;
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field found;
    while (reader.at < reader.end && wire_read_field(&reader, &found)) {
        count += found.number == field->number && found.type == WIRE_LENGTH;
    }
    return count;
}

bool hook_entries_read(const struct hook_field *field, struct bytes message, struct arena *arena, struct hook_entries *entries)
{
    *entries = (struct hook_entries){0};
    size_t count = count_entries(field, message);
    if (count == 0) {
        return true;
    }
    entries->items = arena_alloc(arena, count * sizeof *entries->items);
    if (!entries->items) {
        return false;
    }
    const struct hook_field *key = &field->message->fields[0], *value = &field->message->fields[1];
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field found;
    while (entries->count < count && wire_read_field(&reader, &found)) {
        if (found.number == field->number && found.type == WIRE_LENGTH) {
            entries->items[entries->count] = (struct hook_entry){
                .key = wire_last_payload(found.payload, key->number),
                .value = wire_last_payload(found.payload, value->number),
                .payload = found.payload,
                .index = entries->count,
            };
            entries->count++;
        }
    }
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const struct hook_entry *left = a, *right = b;
    int order = bytes_compare(left->key, right->key);
    return order != 0 ? order : (left->index > right->index) - (left->index < right->index);
}

bool hook_entries_by_key(struct hook_entries entries, struct arena *arena, struct hook_entries *sorted)
{
    *sorted = (struct hook_entries){0};
    if (entries.count == 0) {
        return true;
    }
    struct hook_entry *items = arena_alloc(arena, entries.count * sizeof *items);
    if (!items) {
        return false;
    }
    memcpy(items, entries.items, entries.count * sizeof *items);
    qsort(items, entries.count, sizeof *items, compare_entries);
    size_t kept = 0;
    for (size_t i = 0; i < entries.count; i++) {
        if (i + 1 == entries.count || !bytes_equal(items[i].key, items[i + 1].key)) {
            items[kept++] = items[i];
        }
    }
    *sorted = (struct hook_entries){.items = items, .count = kept};
    return true;
}

static int compare_key(const void *key, const void *entry)
{
    return bytes_compare(*(const struct bytes *)key, ((const struct hook_entry *)entry)->key);
}

const struct hook_entry *hook_entries_find(struct hook_entries sorted, struct bytes key)
{
    return sorted.count == 0 ? NULL : bsearch(&key, sorted.items, sorted.count, sizeof *sorted.items, compare_key);
}

bool hook_variable_is_sendable(const struct hook_entry *variable, struct hook_entries sorted)
{
    const struct hook_entry *last = hook_entries_find(sorted, variable->key);
    return last && last->index == variable->index && hook_text_can_be_sent(variable->key) &&
           hook_text_can_be_sent(variable->value);
}
