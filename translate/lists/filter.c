#include "translate/lists/filter.h"

#include <stdlib.h>

/* Every map is a list of entries with these two fields. */
enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };

static const char *const request_names[ID_KIND_COUNT] = {
    [ID_POD] = "ListPodSandboxRequest",
    [ID_CONTAINER] = "ListContainersRequest",
};

/* ---- reading ---- */

static bool read_entry(struct bytes entry, struct list_filter_label *label)
{
    *label = (struct list_filter_label){0};
    struct wire_reader reader = wire_reader_of(entry);
    struct wire_field field;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field)) {
            return false;
        }
        if (field.number != ENTRY_KEY && field.number != ENTRY_VALUE) {
            continue;
        }
        if (field.type != WIRE_LENGTH) {
            return false;
        }
        *(field.number == ENTRY_KEY ? &label->key : &label->value) = field.payload;
    }
    return true;
}

/* While labels are sorted, `met` is their index in the request. */
static int compare_labels(const void *left, const void *right)
{
    const struct list_filter_label *a = left;
    const struct list_filter_label *b = right;
    int order = bytes_compare(a->key, b->key);
    return order ? order : (a->met > b->met) - (a->met < b->met);
}

/* Of several entries with one key the last one counts, as in every map. */
static void settle_labels(struct list_filter *filter)
{
    if (filter->label_count == 0) {
        return;
    }
    qsort(filter->labels, filter->label_count, sizeof *filter->labels, compare_labels);
    size_t kept = 0;
    for (size_t i = 0; i < filter->label_count; i++) {
        if (i + 1 < filter->label_count && bytes_equal(filter->labels[i].key, filter->labels[i + 1].key)) {
            continue;
        }
        filter->labels[kept] = filter->labels[i];
        filter->labels[kept++].met = 0;
    }
    filter->label_count = kept;
}

static bool read_state(const struct schema_field *wrapper, struct bytes bytes, struct list_filter *filter)
{
    filter->has_state = true;
    filter->state = 0;
    struct wire_reader reader = wire_reader_of(bytes);
    struct wire_field field;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field)) {
            return false;
        }
        const struct schema_field *known = schema_field_by_number(wrapper->message, field.number);
        if (known && strcmp(known->name, "state") == 0) {
            if (field.type != WIRE_VARINT) {
                return false;
            }
            filter->state = (int32_t)(uint32_t)field.value;
        }
    }
    return true;
}

static bool read_field(const struct schema_field *known, struct bytes payload, struct list_filter *filter)
{
    if (strcmp(known->name, "id") == 0) {
        filter->id = payload;
    } else if (strcmp(known->name, "pod_sandbox_id") == 0) {
        filter->pod_sandbox_id = payload;
    } else if (strcmp(known->name, "state") == 0) {
        return read_state(known, payload, filter);
    } else if (strcmp(known->name, "label_selector") == 0) {
        struct list_filter_label *label = &filter->labels[filter->label_count];
        if (!read_entry(payload, label)) {
            return false;
        }
        label->met = filter->label_count++;
    }
    return true;
}

/* The number of fields, which is the largest possible number of labels. */
static bool count_fields(struct bytes message, size_t *count)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    for (*count = 0; reader.at < reader.end; ++*count) {
        if (!wire_read_field(&reader, &field)) {
            return false;
        }
    }
    return true;
}

static bool malformed(struct error *error)
{
    return error_set(error, STATUS_INVALID_ARGUMENT, "the filter is malformed");
}

static bool read_filter(struct list_filter *filter, const struct schema_message *message, struct bytes bytes, struct arena *arena,
                        struct error *error)
{
    *filter = (struct list_filter){0};
    size_t count;
    if (!count_fields(bytes, &count)) {
        return malformed(error);
    }
    filter->labels = arena_alloc(arena, count * sizeof *filter->labels);
    if (!filter->labels) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "not enough memory for the filter");
    }
    struct wire_reader reader = wire_reader_of(bytes);
    struct wire_field field;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        const struct schema_field *known = schema_field_by_number(message, field.number);
        /* All that a filter consists of is length-delimited. */
        if (known && (field.type != WIRE_LENGTH || !read_field(known, field.payload, filter))) {
            return malformed(error);
        }
    }
    settle_labels(filter);
    return true;
}

bool list_filter_read(struct list_filter *filter, enum id_kind kind, enum dialect dialect, struct bytes request,
                      struct arena *arena, struct error *error)
{
    *filter = (struct list_filter){0};
    const struct schema_message *message = schema_message_by_name(dialect, request_names[kind]);
    struct wire_reader reader = wire_reader_of(request);
    struct wire_field field;
    while (reader.at < reader.end) {
        if (!message || !wire_read_field(&reader, &field)) {
            return malformed(error);
        }
        const struct schema_field *known = schema_field_by_number(message, field.number);
        if (!known || strcmp(known->name, "filter") != 0) {
            continue;
        }
        if (field.type != WIRE_LENGTH) {
            return malformed(error);
        }
        if (!read_filter(filter, known->message, field.payload, arena, error)) {
            return false;
        }
    }
    return true;
}

/* ---- matching ---- */

static struct list_filter_label *find_label(const struct list_filter *filter, struct bytes key)
{
    size_t low = 0;
    size_t high = filter->label_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = bytes_compare(key, filter->labels[middle].key);
        if (order == 0) {
            return &filter->labels[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

/* Reads each label of the item once, however many labels the filter has. If an item has a label twice, its last value counts. */
static bool has_labels(struct list_filter *filter, const struct list_item *item)
{
    uint64_t pass = ++filter->pass;
    size_t met = 0;
    struct wire_reader reader = wire_reader_of(item->message);
    struct wire_field field;
    struct list_filter_label label;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        if (field.number != item->labels || field.type != WIRE_LENGTH || !read_entry(field.payload, &label)) {
            continue;
        }
        struct list_filter_label *asked = find_label(filter, label.key);
        if (!asked) {
            continue;
        }
        met -= asked->met == pass;
        asked->met = bytes_equal(asked->value, label.value) ? pass : 0;
        met += asked->met == pass;
    }
    return met == filter->label_count;
}

bool list_filter_matches(struct list_filter *filter, const struct list_item *item)
{
    return bytes_start_with(item->id, filter->id) && bytes_start_with(item->pod_sandbox_id, filter->pod_sandbox_id) &&
           (!filter->has_state || filter->state == item->state) && (filter->label_count == 0 || has_labels(filter, item));
}
