#include "core/events/table.h"

#include <stdlib.h>

#include "base/system/hash_table.h"
#include "base/system/keyed_hash.h"
#include "translate/lists/item.h"

#define STAGE(stage) (1U << (stage))

struct thing {
    struct hash_link link;
    struct thing *later; /* deleted after it */
    uint64_t known_at;   /* the newest list that was asked for when it became known */
    uint64_t listed_at;  /* the newest list that shows it */
    unsigned listed;     /* stages, as bits, that lists have shown, reported or not */
    uint8_t kind;
    uint8_t told;                    /* enum container_stage */
    bool is_told;                    /* false: known from a list only */
    bool was_before;                 /* its reported steps happened before anybody listened, and no list has shown it since */
    struct bytes pod;                /* of a container: its own copy; empty when it is not known */
    struct container_event_pod seen; /* of a pod; its own copy */
    size_t id_len;
    uint8_t id[];
};

struct event_table {
    struct hash_key key;
    struct hash_table things; /* deleted ones included */
    struct thing *first_deleted, *last_deleted;
    size_t deleted;
    size_t seen_bytes; /* of all pods */
    uint64_t asked;
};

/* ---- things ---- */

static struct bytes id_of(const struct thing *thing)
{
    return bytes_of(thing->id, thing->id_len);
}

static bool is_deleted(const struct thing *thing)
{
    return thing->is_told && thing->told == STAGE_DELETED;
}

static struct thing *thing_of(struct hash_link *link)
{
    return HASH_ITEM(link, struct thing, link);
}

static struct thing *find(const struct event_table *table, struct bytes id)
{
    struct hash_link *link = hash_table_find(&table->things, keyed_hash(&table->key, id));
    while (link && !bytes_equal(id_of(thing_of(link)), id)) {
        link = hash_link_next(link);
    }
    return link ? thing_of(link) : NULL;
}

static bool own_copy(struct bytes *own, struct bytes bytes)
{
    uint8_t *copy = malloc(bytes.len > 0 ? bytes.len : 1);
    if (!copy) {
        return false;
    }
    if (bytes.len > 0) {
        memcpy(copy, bytes.data, bytes.len);
    }
    free((void *)own->data);
    *own = bytes_of(copy, bytes.len);
    return true;
}

static void forget_pod(struct event_table *table, struct thing *thing)
{
    table->seen_bytes -= thing->seen.message.len;
    free((void *)thing->seen.message.data);
    thing->seen = (struct container_event_pod){0};
}

static void free_thing(struct event_table *table, struct thing *thing)
{
    forget_pod(table, thing);
    free((void *)thing->pod.data);
    free(thing);
}

static struct thing *add(struct event_table *table, enum id_kind kind, struct bytes id)
{
    bool fits = id.len > 0 && id.len <= EVENT_TABLE_LONGEST_ID && event_table_count(table) < EVENT_TABLE_LIMIT;
    struct thing *thing = fits ? calloc(1, sizeof *thing + id.len) : NULL;
    if (!thing) {
        return NULL;
    }
    thing->kind = (uint8_t)kind;
    thing->known_at = table->asked;
    thing->id_len = id.len;
    memcpy(thing->id, id.data, id.len);
    hash_table_add(&table->things, &thing->link, keyed_hash(&table->key, id));
    return thing;
}

static void drop_oldest_deleted(struct event_table *table)
{
    struct thing *oldest = table->first_deleted;
    table->first_deleted = oldest->later;
    table->deleted--;
    hash_table_remove(&table->things, &oldest->link);
    free_thing(table, oldest);
}

static void note_deleted(struct event_table *table, struct thing *thing)
{
    forget_pod(table, thing);
    if (table->deleted++ == 0) {
        table->first_deleted = thing;
    } else {
        table->last_deleted->later = thing;
    }
    table->last_deleted = thing;
    if (table->deleted > EVENT_TABLE_DELETED) {
        drop_oldest_deleted(table);
    }
}

struct event_table *event_table_new(void)
{
    struct event_table *table = calloc(1, sizeof *table);
    if (!table || !hash_table_init(&table->things)) {
        free(table);
        return NULL;
    }
    table->key = hash_key_random();
    return table;
}

void event_table_free(struct event_table *table)
{
    if (!table) {
        return;
    }
    HASH_TABLE_EACH(&table->things, link)
    {
        free_thing(table, thing_of(link));
    }
    hash_table_clear(&table->things);
    free(table);
}

size_t event_table_count(const struct event_table *table)
{
    return table->things.count - table->deleted;
}

/* ---- what was reported ---- */

unsigned event_table_untold(const struct event_table *table, enum id_kind kind, struct bytes id, enum container_stage stage,
                            bool never_started)
{
    const struct thing *thing = find(table, id);
    bool told = thing && thing->is_told;
    if (told && thing->told >= stage) {
        return 0;
    }
    unsigned before = told ? STAGE(thing->told + 1) - 1 : 0;
    unsigned up_to_now = STAGE(stage + 1) - 1;
    unsigned listed = thing ? thing->listed : 0;
    unsigned must_have_been = STAGE(stage) | STAGE(STAGE_CREATED) | (listed & up_to_now);
    bool ran = (told && thing->told == STAGE_STARTED) || (listed & (STAGE(STAGE_STARTED) | STAGE(STAGE_STOPPED)));
    if (kind == ID_POD || (thing && thing->kind == ID_POD)) {
        must_have_been = up_to_now;
    } else if (stage == STAGE_STOPPED && !never_started) {
        must_have_been |= STAGE(STAGE_STARTED);
    } else if (stage == STAGE_DELETED && ran) {
        must_have_been |= STAGE(STAGE_STARTED) | STAGE(STAGE_STOPPED);
    }
    return must_have_been & ~before;
}

bool event_table_is_pod(const struct event_table *table, struct bytes id)
{
    const struct thing *thing = find(table, id);
    return thing && thing->kind == ID_POD;
}

bool event_table_knows(const struct event_table *table, struct bytes id)
{
    const struct thing *thing = find(table, id);
    return thing && !thing->was_before;
}

static void note_pod(struct thing *thing, enum id_kind kind, struct bytes pod)
{
    if (kind == ID_CONTAINER && thing->pod.len == 0 && pod.len > 0 && pod.len <= EVENT_TABLE_LONGEST_ID) {
        own_copy(&thing->pod, pod);
    }
}

static void come_to(struct event_table *table, struct thing *thing, enum container_stage stage)
{
    bool was_deleted = is_deleted(thing);
    if (!thing->is_told || thing->told < stage) {
        thing->is_told = true;
        thing->told = (uint8_t)stage;
    }
    if (!was_deleted && is_deleted(thing)) {
        note_deleted(table, thing);
    }
}

bool event_table_told(struct event_table *table, enum id_kind kind, struct bytes id, struct bytes pod, enum container_stage stage)
{
    struct thing *thing = find(table, id);
    if (!thing) {
        thing = add(table, kind, id);
    }
    if (!thing) {
        return false;
    }
    note_pod(thing, kind, pod);
    thing->was_before = false;
    come_to(table, thing, stage);
    return true;
}

void event_table_was_before(struct event_table *table, enum id_kind kind, struct bytes id, enum container_stage stage)
{
    struct thing *thing = find(table, id);
    if (!thing) {
        thing = add(table, kind, id);
        if (!thing) {
            return;
        }
        thing->was_before = true;
    }
    if (thing->was_before) {
        come_to(table, thing, stage);
    }
}

static void see_pod(struct event_table *table, struct thing *thing, const struct container_event_pod *seen)
{
    forget_pod(table, thing);
    if (seen->message.len <= EVENT_TABLE_SEEN - table->seen_bytes && own_copy(&thing->seen.message, seen->message)) {
        table->seen_bytes += seen->message.len;
        thing->seen.dialect = seen->dialect;
        thing->seen.is_item = seen->is_item;
    }
}

void event_table_see_pod(struct event_table *table, struct bytes id, const struct container_event_pod *seen)
{
    struct thing *thing = find(table, id);
    if (thing && !is_deleted(thing)) {
        see_pod(table, thing, seen);
    }
}

bool event_table_seen_pod(const struct event_table *table, struct bytes id, struct container_event_pod *seen)
{
    const struct thing *thing = find(table, id);
    if (!thing || thing->seen.message.len == 0) {
        return false;
    }
    *seen = thing->seen;
    return true;
}

uint64_t event_table_ask(struct event_table *table)
{
    return ++table->asked;
}

/* ---- comparing ---- */

/* The state of a comparison. */
struct comparing {
    struct event_table *table;
    const struct event_lists *lists;
    struct arena *arena;
    struct event_comparison *comparison;
    size_t tale_room;
    size_t member_room;
};

/* Room for one more item in an array of the arena; what it had is copied. */
static bool make_room(struct arena *arena, void **items, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return true;
    }
    size_t more = *room > 0 ? 2 * *room : 64;
    void *grown = arena_alloc(arena, more * size);
    if (!grown) {
        return false;
    }
    if (count > 0) {
        memcpy(grown, *items, count * size);
    }
    *items = grown;
    *room = more;
    return true;
}

static bool add_tale(struct comparing *comparing, enum id_kind kind, struct bytes id, struct bytes pod,
                     enum container_stage stage, bool pod_is_gone)
{
    struct event_comparison *comparison = comparing->comparison;
    void *items = comparison->tales;
    if (!make_room(comparing->arena, &items, comparison->tale_count, &comparing->tale_room, sizeof *comparison->tales)) {
        return false;
    }
    comparison->tales = items;
    struct event_tale *tale = &comparison->tales[comparison->tale_count];
    *tale = (struct event_tale){.kind = kind, .stage = stage, .pod_is_gone = pod_is_gone};
    tale->id = arena_copy(comparing->arena, id);
    tale->pod = kind == ID_POD ? tale->id : arena_copy(comparing->arena, pod);
    comparison->tale_count += tale->id.data != NULL;
    return tale->id.data != NULL && (pod.len == 0 || tale->pod.data != NULL);
}

static bool add_member(struct comparing *comparing, struct bytes pod, struct bytes id)
{
    struct event_comparison *comparison = comparing->comparison;
    void *items = comparison->members;
    if (!make_room(comparing->arena, &items, comparison->member_count, &comparing->member_room, sizeof *comparison->members)) {
        return false;
    }
    comparison->members = items;
    struct event_member *member = &comparison->members[comparison->member_count];
    *member = (struct event_member){.pod = arena_copy(comparing->arena, pod), .id = arena_copy(comparing->arena, id)};
    comparison->member_count += member->id.data != NULL;
    return member->id.data != NULL && (pod.len == 0 || member->pod.data != NULL);
}

/* What was started before it was stopped comes before what happened in between to others of the pod. */
static bool add_tales_of(struct comparing *comparing, enum id_kind kind, const struct list_item *item, struct bytes pod)
{
    const struct event_table *table = comparing->table;
    enum container_stage stage = container_stage_of_state(kind, item->state);
    enum container_stage first = kind == ID_POD ? STAGE_STARTED : STAGE_CREATED;
    if (stage > first && event_table_untold(table, kind, item->id, first, false) &&
        !add_tale(comparing, kind, item->id, pod, first, false)) {
        return false;
    }
    return !event_table_untold(table, kind, item->id, stage, true) || add_tale(comparing, kind, item->id, pod, stage, false);
}

static bool no_memory(struct error *error)
{
    return error_set(error, STATUS_RESOURCE_EXHAUSTED, "not enough memory to compare lists");
}

static bool read_list(struct comparing *comparing, enum id_kind kind, struct error *error)
{
    const struct event_lists *lists = comparing->lists;
    struct list_items items = list_items_of(kind, lists->dialect, kind == ID_POD ? lists->pods : lists->containers);
    struct list_item item;
    while (list_items_next(&items, &item)) {
        struct thing *thing = find(comparing->table, item.id);
        if (!thing) {
            thing = add(comparing->table, kind, item.id);
        }
        if (!thing) {
            continue; /* beyond the limits */
        }
        thing->kind = (uint8_t)kind;
        thing->was_before = false;
        note_pod(thing, kind, item.pod_sandbox_id);
        thing->listed_at = kind == ID_POD ? lists->pods_asked : lists->containers_asked;
        if (is_deleted(thing)) {
            continue; /* it was still there when the runtime looked */
        }
        if (kind == ID_POD && thing->seen.message.len == 0) {
            see_pod(comparing->table, thing,
                    &(struct container_event_pod){.dialect = lists->dialect, .is_item = true, .message = item.message});
        }
        thing->listed |= STAGE(container_stage_of_state(kind, item.state));
        if (!add_tales_of(comparing, kind, &item, item.pod_sandbox_id) ||
            (kind == ID_CONTAINER && !add_member(comparing, item.pod_sandbox_id, item.id))) {
            return no_memory(error);
        }
    }
    return !items.malformed ||
           error_set(error, STATUS_INTERNAL, "the list of %s is malformed", kind == ID_POD ? "pods" : "containers");
}

static bool add_heard(struct comparing *comparing)
{
    const struct event_lists *lists = comparing->lists;
    for (size_t i = 0; i < lists->heard_count; i++) {
        const struct event_tale *tale = &lists->heard[i];
        const struct thing *thing = find(comparing->table, tale->id);
        struct bytes pod = tale->pod.len > 0 || !thing ? tale->pod : thing->pod;
        if (event_table_untold(comparing->table, tale->kind, tale->id, tale->stage, true) &&
            !add_tale(comparing, tale->kind, tale->id, pod, tale->stage, false)) {
            return false;
        }
    }
    return true;
}

/* Whether a list lacks what was known before it was asked for. */
static bool is_missing(const struct comparing *comparing, const struct thing *thing)
{
    uint64_t asked = thing->kind == ID_POD ? comparing->lists->pods_asked : comparing->lists->containers_asked;
    return thing->known_at < asked && thing->listed_at < asked;
}

/* A container goes with its pod, also when the list of containers was a little too early to show that. */
static bool add_tale_of_missing(struct comparing *comparing, const struct thing *thing)
{
    const struct thing *pod = thing->kind == ID_CONTAINER ? find(comparing->table, thing->pod) : thing;
    bool pod_is_gone = pod && (is_deleted(pod) || (pod->kind == ID_POD && is_missing(comparing, pod)));
    if (is_deleted(thing) || thing->was_before || !(pod_is_gone || is_missing(comparing, thing))) {
        return true;
    }
    return add_tale(comparing, thing->kind, id_of(thing), thing->pod, STAGE_DELETED, pod_is_gone);
}

bool event_table_compare(struct event_table *table, const struct event_lists *lists, struct arena *arena,
                         struct event_comparison *comparison, struct error *error)
{
    struct comparing comparing = {.table = table, .lists = lists, .arena = arena, .comparison = comparison};
    *comparison = (struct event_comparison){0};
    if (!read_list(&comparing, ID_POD, error) || !read_list(&comparing, ID_CONTAINER, error)) {
        return false;
    }
    if (!add_heard(&comparing)) {
        return no_memory(error);
    }
    HASH_TABLE_EACH(&table->things, link)
    {
        if (!add_tale_of_missing(&comparing, thing_of(link))) {
            return no_memory(error);
        }
    }
    event_comparison_sort(comparison);
    return true;
}
