#include "node/preflight/runtime_found.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes/shown.h"
#include "core/map/map.h"
#include "node/preflight/ask.h"

#define LIST_TIMEOUT_MS 15000
#define PAUSE_NS (500L * 1000 * 1000)

/* As many as crigate takes by default from one runtime. */
#define MOST_ITEMS 50000

/* Runtimes list each id once; this bounds what is compared for a list that does not. */
#define MOST_NAMESAKES 16

/* What is compared of an item: fields that neither translation nor time changes. Repeated ones in any order. */
static const struct subject {
    const char *name, *method;
    const char *fields[8];
    const char *born; /* the field with the time at which it was made; NULL: any item counts */
    bool images;      /* asked where the runtime has its images; the second list may have more of them, from other runtimes, that
                         its ids do not tell apart */
} subjects[] = {
    {"pod", "ListPodSandbox", {"metadata", "state", "created_at", "labels", "annotations"}, "created_at", false},
    {"container", "ListContainers", {"pod_sandbox_id", "metadata", "state", "created_at", "labels", "annotations"}, NULL, false},
    {"image", "ListImages", {"repo_tags", "repo_digests", "size"}, NULL, true},
};

struct item {
    struct bytes id;
    struct bytes message;
};

struct list {
    const char *endpoint;
    const struct schema_message *schema; /* of an item */
    struct item *items;                  /* by id */
    size_t count;
};

struct comparison {
    const struct subject *subject;
    enum dialect dialect; /* in which both are asked */
    struct list direct, through;
    struct arena *arena;
    struct error *error;
};

/* ---- reading ---- */

static int by_id(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return bytes_compare(a->id, b->id);
}

static bool malformed(const struct comparison *comparison, const struct list *list)
{
    return error_set(comparison->error, STATUS_DATA_LOSS, "%s of %s is malformed", comparison->subject->method, list->endpoint);
}

/* Counts the items, or takes them if there is room. */
static bool take_items(struct list *list, const struct schema_field *field, struct bytes answer, size_t *count)
{
    uint32_t id = schema_number_by_name(list->schema, "id");
    struct wire_reader reader = wire_reader_of(answer);
    struct wire_field found;
    *count = 0;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &found)) {
            return false;
        }
        if (found.number != field->number || found.type != WIRE_LENGTH) {
            continue;
        }
        if (list->items) {
            list->items[*count] = (struct item){.id = wire_last_payload(found.payload, id), .message = found.payload};
        }
        ++*count;
    }
    return true;
}

static bool read_list(const struct comparison *comparison, struct list *list, struct arena *arena)
{
    const struct method *method = method_by_name(comparison->subject->method);
    const struct schema_field *field = &method->in[comparison->dialect].response->fields[0];
    const struct ask question = {
        .endpoint = list->endpoint,
        .dialect = comparison->dialect,
        .method = method,
        .timeout = LIST_TIMEOUT_MS,
        .largest = ASK_LARGEST_LIST,
    };
    struct bytes answer;
    list->schema = field->message;
    list->items = NULL;
    if (!ask(&question, arena, &answer, comparison->error)) {
        return error_wrap(comparison->error, "%s of %s", method->name, list->endpoint);
    }
    if (!take_items(list, field, answer, &list->count)) {
        return malformed(comparison, list);
    }
    if (list->count > MOST_ITEMS) {
        return error_set(comparison->error, STATUS_RESOURCE_EXHAUSTED, "%s of %s has more than %d items", method->name,
                         list->endpoint, MOST_ITEMS);
    }
    list->items = arena_alloc(arena, (list->count + 1) * sizeof *list->items);
    if (!list->items) {
        return error_out_of_memory(comparison->error);
    }
    take_items(list, field, answer, &list->count);
    qsort(list->items, list->count, sizeof *list->items, by_id);
    return true;
}

/* ---- comparing ---- */

static int by_bytes(const void *left, const void *right)
{
    const struct bytes *a = left, *b = right;
    return bytes_compare(*a, *b);
}

/* All occurrences of a field, sorted. SIZE_MAX: the message is malformed, or there is no memory. */
static size_t occurrences(struct bytes message, uint32_t number, struct arena *arena, struct bytes **values)
{
    size_t most = 0, count = 0;
    for (int pass = 0; pass < 2; pass++) {
        struct wire_reader reader = wire_reader_of(message);
        struct wire_field field;
        *values = pass == 1 ? arena_alloc(arena, (most + 1) * sizeof **values) : NULL;
        if (pass == 1 && !*values) {
            return SIZE_MAX;
        }
        while (reader.at < reader.end) {
            if (!wire_read_field(&reader, &field)) {
                return SIZE_MAX;
            }
            if (field.number == number && pass == 1) {
                (*values)[count++] = bytes_of(field.start, (size_t)(field.end - field.start));
            }
            most += field.number == number;
        }
    }
    qsort(*values, count, sizeof **values, by_bytes);
    return count;
}

static bool field_is_equal(const struct list *list, const char *name, struct bytes left, struct bytes right, struct arena *arena)
{
    uint32_t number = schema_number_by_name(list->schema, name);
    struct bytes *before, *after;
    if (number == 0) {
        return true;
    }
    size_t count = occurrences(left, number, arena, &before);
    bool equal = count != SIZE_MAX && count == occurrences(right, number, arena, &after);
    for (size_t i = 0; equal && i < count; i++) {
        equal = bytes_equal(before[i], after[i]);
    }
    return equal;
}

/* The name of the first field that differs, or NULL. */
static const char *difference(const struct comparison *comparison, struct bytes left, struct bytes right)
{
    const char *const *field = comparison->subject->fields;
    /* Twice both messages, as arrays of what is in them: an occurrence has two bytes or more. */
    struct arena *scratch = arena_new((left.len + right.len + 64) * sizeof(struct bytes));
    while (scratch && *field && field_is_equal(&comparison->direct, *field, left, right, scratch)) {
        field++;
    }
    arena_unref(scratch);
    return scratch ? *field : "memory";
}

static const struct item *find(const struct list *list, struct bytes id)
{
    size_t from = 0, to = list->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (bytes_compare(list->items[middle].id, id) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < list->count && bytes_equal(list->items[from].id, id) ? &list->items[from] : NULL;
}

static bool differ(const struct comparison *comparison, struct bytes id, const char *how, const char *what)
{
    return error_set(comparison->error, STATUS_ABORTED, "%s %s %s %s", comparison->subject->name,
                     shown_text(id, comparison->arena), how, what);
}

static bool check_direct(const struct comparison *comparison, const struct item *item)
{
    const struct list *other = &comparison->through;
    const struct item *namesake = find(other, item->id);
    const char *first = NULL;
    if (!namesake) {
        return differ(comparison, item->id, "is only in the list of", comparison->direct.endpoint);
    }
    for (size_t i = 0; i < MOST_NAMESAKES && namesake + i < other->items + other->count; i++) {
        if (!bytes_equal(namesake[i].id, item->id)) {
            break;
        }
        const char *field = difference(comparison, item->message, namesake[i].message);
        if (!field) {
            return true;
        }
        first = first ? first : field;
    }
    return differ(comparison, item->id, "is not the same in both lists:", first);
}

/* For a pod that was removed without them, dockershim (to Kubernetes 1.23) and cri-dockerd list what their own checkpoint has: a
   name. A runtime that did not make the pod does not know it. Each other pod has a time. */
static bool is_remnant(const struct comparison *comparison, struct bytes message)
{
    const char *time = comparison->subject->born;
    uint32_t number = time ? schema_number_by_name(comparison->direct.schema, time) : 0;
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    while (number > 0 && reader.at < reader.end) {
        if (!wire_read_field(&reader, &field) || field.number == number) {
            return false;
        }
    }
    return number > 0;
}

/* An id with a prefix is another runtime's. */
static bool is_of_other_runtime(const struct comparison *comparison, struct bytes id)
{
    return comparison->subject->images || memmem(id.data, id.len, ID_SEPARATOR, strlen(ID_SEPARATOR)) != NULL;
}

static bool compare(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->direct.count; i++) {
        const struct item *item = &comparison->direct.items[i];
        if (!is_remnant(comparison, item->message) && !check_direct(comparison, item)) {
            return false;
        }
    }
    for (size_t i = 0; i < comparison->through.count; i++) {
        const struct item *item = &comparison->through.items[i];
        if (!find(&comparison->direct, item->id) && !is_of_other_runtime(comparison, item->id) &&
            !is_remnant(comparison, item->message)) {
            return differ(comparison, item->id, "is only in the list of", comparison->through.endpoint);
        }
    }
    return true;
}

/* An image service of its own may speak another package than the runtime. */
static bool read_direct(struct comparison *comparison, struct arena *arena)
{
    bool good = read_list(comparison, &comparison->direct, arena);
    for (size_t i = 0; i < DIALECT_COUNT && !good && comparison->subject->images; i++) {
        if (comparison->error->code != STATUS_UNIMPLEMENTED) {
            return false;
        }
        if (dialects[i].caller == (enum dialect)i) {
            comparison->dialect = (enum dialect)i;
            good = read_list(comparison, &comparison->direct, arena);
        }
    }
    return good;
}

/* Reads and compares the lists of one subject, in memory of its own. */
static bool compare_subject(struct comparison *comparison)
{
    size_t room = ASK_LARGEST_LIST + (MOST_ITEMS + 1) * sizeof(struct item) + ((size_t)1 << 20);
    struct arena *one = arena_new(room);
    struct arena *other = arena_new(room);
    bool good = one && other
                    ? read_direct(comparison, one) && read_list(comparison, &comparison->through, other) && compare(comparison)
                    : error_out_of_memory(comparison->error);
    arena_unref(one);
    arena_unref(other);
    return good;
}

static bool compare_all(struct comparison *comparison, const struct runtime_sockets *direct, enum dialect dialect)
{
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        comparison->subject = &subjects[i];
        comparison->dialect = dialect;
        comparison->direct.endpoint = subjects[i].images && direct->images ? direct->images : direct->endpoint;
        if (!compare_subject(comparison)) {
            return false;
        }
    }
    return true;
}

bool runtime_lists_equal(const struct runtime_sockets *direct, const char *through, enum dialect dialect, unsigned rounds,
                         struct arena *arena, struct error *error)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    struct comparison comparison = {
        .through = {.endpoint = through},
        .arena = arena,
        .error = error,
    };
    bool equal = compare_all(&comparison, direct, dialect);
    for (unsigned round = 1; !equal && error->code == STATUS_ABORTED && round < rounds; round++) {
        nanosleep(&pause, NULL);
        equal = compare_all(&comparison, direct, dialect);
    }
    return equal;
}
