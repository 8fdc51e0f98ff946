#include "translate/lists/merge.h"

#include <stdlib.h>

#include "translate/bytes/output.h"
#include "translate/bytes/wire.h"

/* An occurrence of a repeated message at the top of an answer, with the key that identifies it. */
struct item {
    struct bytes key;
    uint32_t number; /* of the field that it is in */
    size_t order;    /* among all items of all answers */
    bool repeats;    /* an earlier one has the same key */
};

/* One trimming. */
struct trimming {
    const struct merging *merging;
    const struct schema_message *response;
    const struct merge_part *parts;
    size_t part;        /* the answer that is being trimmed */
    size_t order;       /* of the next item */
    struct item *items; /* in order; NULL if there are no keys */
    const struct schema_field *handlers;
    const struct schema_field *features;
    const struct schema_field *container_filesystems;
    bool primary_has_container_filesystems;
};

/* Whether an occurrence at the top of an answer is kept. */
typedef bool keep(struct trimming *trimming, const struct wire_field *field);

static bool has_field(struct bytes message, uint32_t number)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        if (field.number == number) {
            return true;
        }
    }
    return false;
}

/* Copies what is kept; an answer that is kept completely stays unchanged. */
static bool trim(struct trimming *trimming, struct merge_part *part, keep *keeps)
{
    struct walk_output output;
    if (!walk_output_start(&output, trimming->merging->arena, part->response.len)) {
        return false;
    }
    struct wire_reader reader = wire_reader_of(part->response);
    struct wire_field field;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        if (!keeps(trimming, &field)) {
            part->changed = true;
        } else if (!walk_output_put(&output, field.start, (size_t)(reader.at - field.start))) {
            return false;
        }
    }
    struct bytes trimmed = walk_output_finish(&output);
    if (part->changed) {
        part->response = trimmed;
    }
    return true;
}

/* ---- duplicates ---- */

/* The key of items of a repeated message: a filesystem's identifier, a metric's name. */
static uint32_t key_of(const struct schema_field *items)
{
    static const char *const keys[] = {"fs_id", "storage_id", "name"};
    for (size_t i = 0; items->message && i < sizeof keys / sizeof keys[0]; i++) {
        const struct schema_field *key = schema_field_by_name(items->message, keys[i]);
        if (key) {
            return key->number;
        }
    }
    return 0;
}

static int by_key(const void *left, const void *right)
{
    const struct item *one = left;
    const struct item *other = right;
    int order = bytes_compare(one->key, other->key);
    order = order != 0 ? order : (one->number > other->number) - (one->number < other->number);
    return order != 0 ? order : (one->order > other->order) - (one->order < other->order);
}

static int by_order(const void *left, const void *right)
{
    const struct item *one = left;
    const struct item *other = right;
    return (one->order > other->order) - (one->order < other->order);
}

static size_t count_occurrences(const struct merge_part *parts, size_t count)
{
    size_t occurrences = 0;
    for (size_t i = 0; i < count; i++) {
        struct wire_reader reader = wire_reader_of(parts[i].response);
        struct wire_field field;
        while (reader.at < reader.end && wire_read_field(&reader, &field)) {
            occurrences++;
        }
    }
    return occurrences;
}

static void read_items(const struct trimming *trimming, const struct merge_part *parts, size_t count, struct item *items)
{
    size_t order = 0;
    for (size_t i = 0; i < count; i++) {
        struct wire_reader reader = wire_reader_of(parts[i].response);
        struct wire_field field;
        while (reader.at < reader.end && wire_read_field(&reader, &field)) {
            const struct schema_field *known = schema_field_by_number(trimming->response, field.number);
            uint32_t key = known && field.type == WIRE_LENGTH ? key_of(known) : 0;
            items[order] = (struct item){.number = field.number, .order = order};
            items[order++].key = key > 0 ? wire_last_payload(field.payload, key) : (struct bytes){0};
        }
    }
}

/* Finds duplicates by sorting: a runtime may send a million items. An item without a key is not a duplicate. */
static bool find_repetitions(struct trimming *trimming, const struct merge_part *parts, size_t count)
{
    size_t total = count_occurrences(parts, count);
    struct item *items = arena_alloc(trimming->merging->arena, (total + 1) * sizeof *items);
    if (!items) {
        return false;
    }
    read_items(trimming, parts, count, items);
    qsort(items, total, sizeof *items, by_key);
    for (size_t i = 1; i < total; i++) {
        items[i].repeats =
            items[i].key.len > 0 && items[i].number == items[i - 1].number && bytes_equal(items[i].key, items[i - 1].key);
    }
    qsort(items, total, sizeof *items, by_order);
    trimming->items = items;
    return true;
}

static bool keep_new(struct trimming *trimming, const struct wire_field *field)
{
    bool repeats = trimming->items[trimming->order++].repeats;
    bool splits = trimming->container_filesystems && field->number == trimming->container_filesystems->number &&
                  trimming->part > 0 && !trimming->primary_has_container_filesystems;
    return !repeats && !splits;
}

static bool trim_repetitions(struct trimming *trimming, struct merge_part *parts, size_t count)
{
    trimming->container_filesystems = schema_field_by_name(trimming->response, "container_filesystems");
    trimming->primary_has_container_filesystems =
        trimming->container_filesystems && has_field(parts[0].response, trimming->container_filesystems->number);
    bool done = find_repetitions(trimming, parts, count);
    for (trimming->part = 0; done && trimming->part < count; trimming->part++) {
        done = trim(trimming, &parts[trimming->part], keep_new);
    }
    return done;
}

/* ---- status ---- */

static bool keep_status(struct trimming *trimming, const struct wire_field *field)
{
    const struct merging *merging = trimming->merging;
    if (field->number == trimming->handlers->number && field->type == WIRE_LENGTH) {
        const struct schema_field *name = schema_field_by_name(trimming->handlers->message, "name");
        return merging->serves(merging->state, trimming->parts[trimming->part].runtime,
                               wire_last_payload(field->payload, name->number));
    }
    return trimming->part == 0 && field->number != trimming->features->number;
}

#define MOST_FEATURES 64

/* The features that a runtime reports, one bit each. Features are flags; unknown later ones count as well. */
static uint64_t features_of(const struct trimming *trimming, struct bytes response)
{
    uint64_t features = 0;
    struct wire_reader reader = wire_reader_of(wire_last_payload(response, trimming->features->number));
    struct wire_field field;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        if (field.type == WIRE_VARINT && field.number <= MOST_FEATURES) {
            uint64_t bit = UINT64_C(1) << (field.number - 1);
            features = field.value != 0 ? features | bit : features & ~bit;
        }
    }
    return features;
}

/* The features that all have, as a field of the answer; empty if only the primary reported any. */
static bool common_features(const struct trimming *trimming, const struct merge_part *parts, size_t count, struct bytes *common)
{
    struct walk_output output;
    uint64_t features = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        features &= features_of(trimming, parts[i].response);
    }
    size_t opened = SIZE_MAX;
    bool done = walk_output_start(&output, trimming->merging->arena, MOST_FEATURES) &&
                (opened = walk_output_open(&output, trimming->features->number, 0)) != SIZE_MAX;
    for (uint32_t feature = 1; done && feature <= MOST_FEATURES; feature++) {
        if (features >> (feature - 1) & 1U) {
            done = walk_output_put_number(&output, feature, 1);
        }
    }
    done = done && walk_output_close(&output, opened, 0);
    *common = done ? walk_output_finish(&output) : (struct bytes){0};
    return done;
}

static bool append(struct arena *arena, struct merge_part *part, struct bytes more)
{
    struct walk_output output;
    if (!walk_output_start(&output, arena, part->response.len + more.len) ||
        !walk_output_put(&output, part->response.data, part->response.len) || !walk_output_put(&output, more.data, more.len)) {
        return false;
    }
    part->response = walk_output_finish(&output);
    part->changed = true;
    return true;
}

/* Adds the handlers that lead to a runtime. */
static bool append_handlers(const struct trimming *trimming, struct merge_part *part)
{
    const struct merging *merging = trimming->merging;
    const struct schema_field *name = schema_field_by_name(trimming->handlers->message, "name");
    struct walk_output output;
    struct bytes handler;
    bool done = walk_output_start(&output, merging->arena, 0);
    for (size_t i = 0; done && merging->handler_at(merging->state, part->runtime, i, &handler); i++) {
        size_t opened = walk_output_open(&output, trimming->handlers->number, handler.len);
        done = opened != SIZE_MAX && (handler.len == 0 || walk_output_put_field(&output, name->number, handler)) &&
               walk_output_close(&output, opened, handler.len);
    }
    struct bytes handlers = done ? walk_output_finish(&output) : (struct bytes){0};
    return done && (handlers.len == 0 || append(merging->arena, part, handlers));
}

static bool trim_status_of_one(struct trimming *trimming, struct merge_part *part)
{
    bool has_handlers = has_field(part->response, trimming->handlers->number);
    return trim(trimming, part, keep_status) && (has_handlers || append_handlers(trimming, part));
}

static bool trim_status(struct trimming *trimming, struct merge_part *parts, size_t count)
{
    struct bytes common = {0};
    trimming->handlers = schema_field_by_name(trimming->response, "runtime_handlers");
    trimming->features = schema_field_by_name(trimming->response, "features");
    if (!trimming->handlers || !trimming->features) {
        return true;
    }
    bool told = has_field(parts[0].response, trimming->features->number);
    if (told && !common_features(trimming, parts, count, &common)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        trimming->part = i;
        if (!trim_status_of_one(trimming, &parts[i])) {
            return false;
        }
    }
    return !told || append(trimming->merging->arena, &parts[0], common);
}

/* ---- all ---- */

bool merge_takes_others(const struct method *method, enum dialect dialect)
{
    const struct schema_message *response = method->in[dialect].response;
    return method->merge != MERGE_STATUS || schema_field_by_name(response, "runtime_handlers") != NULL;
}

bool merge_trim(const struct merging *merging, struct merge_part *parts, size_t count)
{
    struct trimming trimming = {.merging = merging, .parts = parts, .response = merging->method->in[merging->dialect].response};
    switch (merging->method->merge) {
    case MERGE_STATUS:
        return trim_status(&trimming, parts, count);
    case MERGE_FILESYSTEMS:
    case MERGE_DESCRIPTORS:
        return trim_repetitions(&trimming, parts, count);
    case MERGE_NONE:
    case MERGE_CONCAT:
    case MERGE_PRIMARY:
    case MERGE_EVENTS:
        break;
    }
    return true;
}
