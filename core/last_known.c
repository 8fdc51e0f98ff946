#include "core/last_known.h"

#include <stdlib.h>

#include "core/keyed_hash.h"
#include "translate/walk_output.h"

#define SMALLEST_TABLE 64

/* No store lives that long; what says so comes from a hostile file. */
#define HIGHEST_SEQUENCE (UINT64_MAX / 2)

enum change {
    CHANGE_NONE,
    CHANGE_CREATED,
    CHANGE_REMOVED,
};

/* Bytes that the store owns. */
struct content {
    uint8_t *data;
    size_t len;
};

struct status {
    struct content content; /* without data: none is known */
    enum dialect dialect;
    int32_t state;
    uint64_t asked;
    int64_t taken_at;
};

/* What is known of one id besides the lists. */
struct thing {
    struct thing *next; /* in the table */
    uint64_t hash;
    enum id_kind kind;

    enum change change;
    uint64_t changed; /* when, as a sequence number */
    enum dialect created_dialect;
    struct content created; /* the list that shows it */

    struct status status;
    struct thing *older; /* statuses by age */
    struct thing *newer;

    uint64_t met; /* the last pass over a list that found it there */
    size_t id_len;
    uint8_t id[];
};

struct known_list {
    bool known;
    enum dialect dialect;
    struct content content;
    uint64_t asked;
    int64_t taken_at;
    uint64_t digest; /* of ids and states, whatever their order */
};

struct last_known {
    size_t limit;
    size_t used;
    uint64_t sequence;
    uint64_t version;
    uint64_t not_before; /* what was asked for earlier lacks changes that were given up */
    struct known_list lists[ID_KIND_COUNT];
    uint64_t pass; /* counts passes over lists */
    struct hash_key key;
    struct thing **table;
    size_t capacity; /* a power of two */
    size_t count;
    struct thing *oldest_status;
    struct thing *newest_status;
};

static struct bytes bytes_of_content(struct content content)
{
    return bytes_of(content.data, content.len);
}

static bool malformed(struct error *error, const char *what)
{
    return error_set(error, STATUS_INTERNAL, "%s is malformed", what);
}

static bool no_room(const struct last_known *store, struct error *error)
{
    return error_set(error, STATUS_RESOURCE_EXHAUSTED, "what was last known takes more than %zu bytes, or memory is short",
                     store->limit);
}

static bool set_content(struct last_known *store, struct content *content, struct bytes bytes)
{
    uint8_t *data = malloc(bytes.len ? bytes.len : 1);
    if (!data) {
        return false;
    }
    if (bytes.len > 0) {
        memcpy(data, bytes.data, bytes.len);
    }
    *content = (struct content){.data = data, .len = bytes.len};
    store->used += bytes.len;
    return true;
}

static void clear_content(struct last_known *store, struct content *content)
{
    store->used -= content->len;
    free(content->data);
    *content = (struct content){0};
}

/* ---- things ---- */

static uint64_t hash_of(const struct last_known *store, enum id_kind kind, struct bytes id)
{
    return keyed_hash(&store->key, id) + (uint64_t)kind;
}

static struct bytes id_of(const struct thing *thing)
{
    return bytes_of(thing->id, thing->id_len);
}

static struct thing *find(const struct last_known *store, enum id_kind kind, struct bytes id)
{
    uint64_t hash = hash_of(store, kind, id);
    struct thing *thing = store->table[hash & (store->capacity - 1)];
    while (thing && (thing->hash != hash || thing->kind != kind || !bytes_equal(id_of(thing), id))) {
        thing = thing->next;
    }
    return thing;
}

static bool resize(struct last_known *store, size_t capacity)
{
    struct thing **table = calloc(capacity, sizeof(struct thing *));
    if (!table) {
        return false;
    }
    for (size_t i = 0; i < store->capacity; i++) {
        while (store->table[i]) {
            struct thing *thing = store->table[i];
            struct thing **place = &table[thing->hash & (capacity - 1)];
            store->table[i] = thing->next;
            thing->next = *place;
            *place = thing;
        }
    }
    free(store->table);
    store->table = table;
    store->used += (capacity - store->capacity) * sizeof(struct thing *);
    store->capacity = capacity;
    return true;
}

static struct thing *find_or_add(struct last_known *store, enum id_kind kind, struct bytes id)
{
    struct thing *thing = find(store, kind, id);
    if (thing || (store->count >= store->capacity && !resize(store, store->capacity * 2))) {
        return thing;
    }
    thing = calloc(1, sizeof *thing + id.len);
    if (!thing) {
        return NULL;
    }
    thing->hash = hash_of(store, kind, id);
    thing->kind = kind;
    thing->id_len = id.len;
    memcpy(thing->id, id.data, id.len);
    struct thing **place = &store->table[thing->hash & (store->capacity - 1)];
    thing->next = *place;
    *place = thing;
    store->count++;
    store->used += sizeof *thing + id.len;
    return thing;
}

static void clear_change(struct last_known *store, struct thing *thing)
{
    store->version += thing->change != CHANGE_NONE;
    thing->change = CHANGE_NONE;
    clear_content(store, &thing->created);
}

static void clear_status(struct last_known *store, struct thing *thing)
{
    if (!thing->status.content.data) {
        return;
    }
    *(thing->older ? &thing->older->newer : &store->oldest_status) = thing->newer;
    *(thing->newer ? &thing->newer->older : &store->newest_status) = thing->older;
    thing->older = NULL;
    thing->newer = NULL;
    clear_content(store, &thing->status.content);
    store->version++;
}

/* Frees the thing at that place in the table when there is nothing left to say about it. */
static bool free_if_empty(struct last_known *store, struct thing **place)
{
    struct thing *thing = *place;
    if (thing->change != CHANGE_NONE || thing->status.content.data) {
        return false;
    }
    *place = thing->next;
    store->count--;
    store->used -= sizeof *thing + thing->id_len;
    free(thing);
    return true;
}

/* Shows each thing to `look`, which may clear what is known of it. */
static void sweep(struct last_known *store, void (*look)(struct last_known *store, struct thing *thing, const void *state),
                  const void *state)
{
    for (size_t i = 0; i < store->capacity; i++) {
        struct thing **place = &store->table[i];
        while (*place) {
            look(store, *place, state);
            if (!free_if_empty(store, place)) {
                place = &(*place)->next;
            }
        }
    }
}

/* ---- giving up ---- */

static void clear_thing(struct last_known *store, struct thing *thing, const void *state)
{
    (void)state;
    clear_change(store, thing);
    clear_status(store, thing);
}

/* No answer to an earlier question will be believed: it may lack what is forgotten here. */
void last_known_forget(struct last_known *store)
{
    sweep(store, clear_thing, NULL);
    for (size_t kind = 0; kind < ID_KIND_COUNT; kind++) {
        clear_content(store, &store->lists[kind].content);
        store->lists[kind] = (struct known_list){0};
    }
    store->not_before = ++store->sequence;
    store->version++;
}

static void drop_oldest_status(struct last_known *store)
{
    struct thing *thing = store->oldest_status;
    struct thing **place = &store->table[thing->hash & (store->capacity - 1)];
    while (*place != thing) {
        place = &(*place)->next;
    }
    clear_status(store, thing);
    free_if_empty(store, place);
}

/* Back to the limit. false: nothing is known any more. */
static bool keep_limit(struct last_known *store)
{
    while (store->oldest_status && store->used > store->limit) {
        drop_oldest_status(store);
    }
    if (store->used > store->limit) {
        last_known_forget(store);
        return false;
    }
    return true;
}

/* ---- changes ---- */

/* When it was removed; 0 when nobody told of that, or lists asked for later have taken it into account. */
static uint64_t removed_at(const struct last_known *store, enum id_kind kind, struct bytes id)
{
    const struct thing *thing = find(store, kind, id);
    return thing && thing->change == CHANGE_REMOVED ? thing->changed : 0;
}

static bool mark_removed(struct last_known *store, enum id_kind kind, struct bytes id, uint64_t sequence)
{
    struct thing *thing = find_or_add(store, kind, id);
    if (!thing) {
        return false;
    }
    clear_change(store, thing);
    clear_status(store, thing);
    thing->change = CHANGE_REMOVED;
    thing->changed = sequence;
    store->version++;
    return true;
}

static bool mark_containers_of(struct last_known *store, struct list_items items, struct bytes pod, uint64_t sequence)
{
    struct list_item item;
    while (list_items_next(&items, &item)) {
        if (bytes_equal(item.pod_sandbox_id, pod) && item.id.len > 0 && !mark_removed(store, ID_CONTAINER, item.id, sequence)) {
            return false;
        }
    }
    return true;
}

struct removal {
    struct bytes pod;
    uint64_t sequence;
};

/* The thing itself is there already, so that this needs no memory. */
static void remove_created_container(struct last_known *store, struct thing *thing, const void *state)
{
    const struct removal *removal = state;
    if (thing->kind != ID_CONTAINER || thing->change != CHANGE_CREATED) {
        return;
    }
    struct list_items items = list_items_of(ID_CONTAINER, thing->created_dialect, bytes_of_content(thing->created));
    struct list_item item;
    if (list_items_next(&items, &item) && bytes_equal(item.pod_sandbox_id, removal->pod)) {
        mark_removed(store, ID_CONTAINER, id_of(thing), removal->sequence);
    }
}

void last_known_removed(struct last_known *store, enum id_kind kind, struct bytes id)
{
    if (id.len == 0) {
        return;
    }
    struct removal removal = {.pod = id, .sequence = ++store->sequence};
    bool marked = mark_removed(store, kind, id, removal.sequence);
    if (marked && kind == ID_POD) {
        const struct known_list *containers = &store->lists[ID_CONTAINER];
        struct list_items items = list_items_of(ID_CONTAINER, containers->dialect, bytes_of_content(containers->content));
        marked = mark_containers_of(store, items, id, removal.sequence);
        sweep(store, remove_created_container, &removal);
    }
    if (!marked) {
        last_known_forget(store);
    }
    keep_limit(store);
}

/* The one item of a list of one. */
static bool only_item(enum id_kind kind, enum dialect dialect, struct bytes list, struct list_item *item)
{
    struct list_items items = list_items_of(kind, dialect, list);
    struct list_item second;
    return list_items_next(&items, item) && item->id.len > 0 && !list_items_next(&items, &second) && !items.malformed;
}

static bool mark_created(struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes list, uint64_t sequence,
                         struct error *error)
{
    struct list_item item;
    if (!only_item(kind, dialect, list, &item)) {
        return malformed(error, "the item of what was created");
    }
    struct thing *thing = find_or_add(store, kind, item.id);
    if (thing) {
        clear_change(store, thing);
    }
    store->version++;
    if (!thing || !set_content(store, &thing->created, list)) {
        last_known_forget(store);
        return no_room(store, error);
    }
    thing->change = CHANGE_CREATED;
    thing->changed = sequence;
    thing->created_dialect = dialect;
    return keep_limit(store) || no_room(store, error);
}

bool last_known_created(struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes item, struct error *error)
{
    return mark_created(store, kind, dialect, item, ++store->sequence, error);
}

/* ---- lists ---- */

/* Reads a list once without believing it. */
static bool read_list(const struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes list,
                      uint64_t *digest)
{
    struct list_items items = list_items_of(kind, dialect, list);
    struct list_item item;
    *digest = 0;
    while (list_items_next(&items, &item)) {
        struct hash_key key = store->key;
        key.halves[1] ^= (uint64_t)(uint32_t)item.state + 1;
        *digest += keyed_hash(&key, item.id);
    }
    return !items.malformed;
}

/* Compares one item of a new list with what is known of its id. false: no memory. */
static bool meet_item(struct last_known *store, enum id_kind kind, const struct list_item *item, uint64_t asked)
{
    struct thing *thing = find(store, kind, item->id);
    if (thing) {
        thing->met = store->pass;
        if (thing->status.content.data && thing->status.asked < asked && thing->status.state != item->state) {
            clear_status(store, thing);
        }
    }
    uint64_t removal = kind == ID_CONTAINER ? removed_at(store, ID_POD, item->pod_sandbox_id) : 0;
    bool goes_along = removal > asked && item->id.len > 0 && removal > removed_at(store, kind, item->id);
    return !goes_along || mark_removed(store, kind, item->id, removal);
}

/* A pod's removal also hides its containers, so it is kept until both lists are newer. */
static bool is_settled(const struct last_known *store, const struct thing *thing)
{
    uint64_t asked = store->lists[thing->kind].asked;
    if (thing->change == CHANGE_REMOVED && thing->kind == ID_POD && store->lists[ID_CONTAINER].asked < asked) {
        asked = store->lists[ID_CONTAINER].asked;
    }
    return thing->changed <= asked;
}

/* What a list says that is newer than a change or a status. What was created stays until a list was asked for after that, even
   when one shows it already: another one, asked for earlier too, may come that does not. */
static void settle(struct last_known *store, struct thing *thing, const void *state)
{
    const struct known_list *list = state;
    if (thing->change != CHANGE_NONE && is_settled(store, thing)) {
        clear_change(store, thing);
    }
    bool lacking = &store->lists[thing->kind] == list && thing->met != store->pass && thing->change != CHANGE_CREATED;
    if (lacking && thing->status.asked < list->asked) {
        clear_status(store, thing);
    }
}

static bool take_list(struct last_known *store, enum id_kind kind, const struct known_list *list, struct bytes bytes)
{
    struct known_list *known = &store->lists[kind];
    bool same = known->known && known->digest == list->digest && known->dialect == list->dialect;
    clear_content(store, &known->content);
    *known = *list;
    if (!set_content(store, &known->content, bytes)) {
        return false;
    }
    store->pass++;
    struct list_items items = list_items_of(kind, list->dialect, bytes);
    struct list_item item;
    while (list_items_next(&items, &item)) {
        if (!meet_item(store, kind, &item, list->asked)) {
            return false;
        }
    }
    sweep(store, settle, known);
    store->version += !same;
    return true;
}

bool last_known_set_list(struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes list, uint64_t asked,
                         int64_t now, struct error *error)
{
    struct known_list taken = {.known = true, .dialect = dialect, .asked = asked, .taken_at = now};
    if (!read_list(store, kind, dialect, list, &taken.digest)) {
        return malformed(error, "the list");
    }
    if (asked < store->not_before || (store->lists[kind].known && asked < store->lists[kind].asked)) {
        return true;
    }
    if (list.len > store->limit || !take_list(store, kind, &taken, list)) {
        last_known_forget(store);
        return no_room(store, error);
    }
    return keep_limit(store) || no_room(store, error);
}

/* ---- statuses ---- */

static void add_newest_status(struct last_known *store, struct thing *thing)
{
    thing->older = store->newest_status;
    thing->newer = NULL;
    *(store->newest_status ? &store->newest_status->newer : &store->oldest_status) = thing;
    store->newest_status = thing;
}

/* A status that there is no room for is only not kept: it hides nothing. */
static bool store_status(struct last_known *store, struct thing *thing, const struct status *status, struct bytes response)
{
    bool same = thing->status.content.data && bytes_equal(bytes_of_content(thing->status.content), response);
    uint64_t version = store->version;
    clear_status(store, thing);
    thing->status = *status;
    if (!set_content(store, &thing->status.content, response)) {
        return false;
    }
    add_newest_status(store, thing);
    store->version = version + !same;
    return true;
}

static bool keep_status(struct last_known *store, enum id_kind kind, struct bytes id, const struct status *status,
                        struct bytes response, struct error *error)
{
    struct thing *thing = find_or_add(store, kind, id);
    bool kept = thing && store_status(store, thing, status, response);
    return (keep_limit(store) && kept) || no_room(store, error);
}

/* An answer is too late when its pod or container was removed meanwhile, or an answer that was asked for later tells more. */
static bool is_late(const struct last_known *store, enum id_kind kind, struct bytes id, uint64_t asked)
{
    const struct thing *thing = find(store, kind, id);
    return asked < store->not_before || asked < store->lists[kind].asked || removed_at(store, kind, id) > asked ||
           (thing && thing->status.content.data && asked < thing->status.asked);
}

bool last_known_set_status(struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes response,
                           uint64_t asked, int64_t now, struct error *error)
{
    struct bytes id;
    struct status status = {.dialect = dialect, .asked = asked, .taken_at = now};
    if (!list_item_of_status(kind, dialect, response, &id, &status.state)) {
        return malformed(error, "the status");
    }
    return is_late(store, kind, id, asked) || keep_status(store, kind, id, &status, response, error);
}

bool last_known_status(const struct last_known *store, enum id_kind kind, struct bytes id, struct last_known_piece *status,
                       int64_t *taken_at)
{
    const struct thing *thing = find(store, kind, id);
    if (!thing || !thing->status.content.data) {
        return false;
    }
    *status = (struct last_known_piece){.dialect = thing->status.dialect, .response = bytes_of_content(thing->status.content)};
    *taken_at = thing->status.taken_at;
    return true;
}

/* ---- answering ---- */

/* One output a dialect; those without data are empty. */
struct answer {
    struct walk_output outputs[DIALECT_COUNT];
    struct arena *arena;
    struct list_filter *filter;
};

static bool show(struct answer *answer, enum dialect dialect, const struct list_item *item)
{
    struct walk_output *output = &answer->outputs[dialect];
    if (!list_filter_matches(answer->filter, item)) {
        return true;
    }
    return (output->data || walk_output_start(output, answer->arena, item->whole.len)) &&
           walk_output_put(output, item->whole.data, item->whole.len);
}

/* The items of the list but for those that were removed since it was asked for. */
static bool show_list(const struct last_known *store, enum id_kind kind, struct answer *answer)
{
    const struct known_list *list = &store->lists[kind];
    struct list_items items = list_items_of(kind, list->dialect, bytes_of_content(list->content));
    struct list_item item;
    while (list_items_next(&items, &item)) {
        struct thing *thing = find(store, kind, item.id);
        if (thing) {
            thing->met = store->pass;
        }
        bool hidden = thing && thing->change == CHANGE_REMOVED && thing->changed > list->asked;
        if (!hidden && !show(answer, list->dialect, &item)) {
            return false;
        }
    }
    return true;
}

/* What was created and is not in the list. */
static bool show_created(const struct last_known *store, enum id_kind kind, struct answer *answer)
{
    for (size_t i = 0; i < store->capacity; i++) {
        for (const struct thing *thing = store->table[i]; thing; thing = thing->next) {
            struct list_item item;
            if (thing->kind == kind && thing->change == CHANGE_CREATED && thing->met != store->pass &&
                only_item(kind, thing->created_dialect, bytes_of_content(thing->created), &item) &&
                !show(answer, thing->created_dialect, &item)) {
                return false;
            }
        }
    }
    return true;
}

bool last_known_list(struct last_known *store, enum id_kind kind, struct list_filter *filter, struct arena *arena,
                     struct last_known_list *list, struct error *error)
{
    *list = (struct last_known_list){0};
    if (!store->lists[kind].known) {
        return error_set(error, STATUS_UNAVAILABLE, "nothing is known yet of its %s", kind == ID_POD ? "pods" : "containers");
    }
    struct answer answer = {.arena = arena, .filter = filter};
    store->pass++;
    if (!show_list(store, kind, &answer) || !show_created(store, kind, &answer)) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the last-known list is too big to be answered");
    }
    for (size_t dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        if (answer.outputs[dialect].data) {
            list->pieces[list->count++] = (struct last_known_piece){
                .dialect = (enum dialect)dialect,
                .response = walk_output_finish(&answer.outputs[dialect]),
            };
        }
    }
    list->taken_at = store->lists[kind].taken_at;
    return true;
}

bool last_known_taken_at(const struct last_known *store, enum id_kind kind, int64_t *taken_at)
{
    *taken_at = store->lists[kind].taken_at;
    return store->lists[kind].known;
}

/* ---- the store ---- */

struct last_known *last_known_new(size_t limit)
{
    struct last_known *store = calloc(1, sizeof *store);
    if (store && !resize(store, SMALLEST_TABLE)) {
        free(store);
        return NULL;
    }
    if (store) {
        store->limit = limit;
        store->key = hash_key_random();
    }
    return store;
}

void last_known_free(struct last_known *store)
{
    if (store) {
        last_known_forget(store);
        free(store->table);
        free(store);
    }
}

uint64_t last_known_sequence(struct last_known *store)
{
    return ++store->sequence;
}

uint64_t last_known_version(const struct last_known *store)
{
    return store->version;
}

size_t last_known_memory(const struct last_known *store)
{
    return store->used + sizeof *store;
}

/* ---- a copy elsewhere ---- */

typedef bool visit_record(void *state, const struct last_known_record *record);

static bool visit_lists(const struct last_known *store, visit_record *visit, void *state)
{
    for (size_t kind = 0; kind < ID_KIND_COUNT; kind++) {
        const struct known_list *list = &store->lists[kind];
        const struct last_known_record record = {
            .part = LAST_KNOWN_LIST,
            .kind = (enum id_kind)kind,
            .dialect = list->dialect,
            .sequence = list->asked,
            .taken_at = list->taken_at,
            .content = bytes_of_content(list->content),
        };
        if (list->known && !visit(state, &record)) {
            return false;
        }
    }
    return true;
}

static bool visit_change(const struct thing *thing, visit_record *visit, void *state)
{
    const struct last_known_record created = {
        .part = LAST_KNOWN_CREATED,
        .kind = thing->kind,
        .dialect = thing->created_dialect,
        .sequence = thing->changed,
        .content = bytes_of_content(thing->created),
    };
    const struct last_known_record removed = {
        .part = LAST_KNOWN_REMOVED, .kind = thing->kind, .sequence = thing->changed, .id = id_of(thing)};
    return thing->change == CHANGE_NONE || visit(state, thing->change == CHANGE_CREATED ? &created : &removed);
}

static bool visit_statuses(const struct last_known *store, visit_record *visit, void *state)
{
    for (const struct thing *thing = store->oldest_status; thing; thing = thing->newer) {
        const struct last_known_record record = {
            .part = LAST_KNOWN_STATUS,
            .kind = thing->kind,
            .dialect = thing->status.dialect,
            .sequence = thing->status.asked,
            .taken_at = thing->status.taken_at,
            .content = bytes_of_content(thing->status.content),
        };
        if (!visit(state, &record)) {
            return false;
        }
    }
    return true;
}

bool last_known_each(const struct last_known *store, visit_record *visit, void *state)
{
    if (!visit_lists(store, visit, state)) {
        return false;
    }
    for (size_t i = 0; i < store->capacity; i++) {
        for (const struct thing *thing = store->table[i]; thing; thing = thing->next) {
            if (!visit_change(thing, visit, state)) {
                return false;
            }
        }
    }
    return visit_statuses(store, visit, state);
}

static bool restore_list(struct last_known *store, const struct last_known_record *record, struct error *error)
{
    if (store->lists[record->kind].known || !list_is_well_formed(record->kind, record->dialect, record->content)) {
        return malformed(error, "a list");
    }
    return last_known_set_list(store, record->kind, record->dialect, record->content, record->sequence, record->taken_at, error);
}

static bool restore_created(struct last_known *store, const struct last_known_record *record, struct error *error)
{
    if (!list_is_well_formed(record->kind, record->dialect, record->content)) {
        return malformed(error, "the item of what was created");
    }
    return mark_created(store, record->kind, record->dialect, record->content, record->sequence, error);
}

static bool restore_removed(struct last_known *store, const struct last_known_record *record, struct error *error)
{
    if (record->id.len == 0) {
        return malformed(error, "a removal");
    }
    return (mark_removed(store, record->kind, record->id, record->sequence) && keep_limit(store)) || no_room(store, error);
}

/* Unlike a new answer, it may be older than the list. */
static bool restore_status(struct last_known *store, const struct last_known_record *record, struct error *error)
{
    struct bytes id;
    struct status status = {.dialect = record->dialect, .asked = record->sequence, .taken_at = record->taken_at};
    if (!status_is_well_formed(record->kind, record->dialect, record->content) ||
        !list_item_of_status(record->kind, record->dialect, record->content, &id, &status.state)) {
        return malformed(error, "a status");
    }
    return removed_at(store, record->kind, id) > record->sequence ||
           keep_status(store, record->kind, id, &status, record->content, error);
}

bool last_known_restore(struct last_known *store, const struct last_known_record *record, struct error *error)
{
    static bool (*const restore[LAST_KNOWN_PARTS])(struct last_known *, const struct last_known_record *, struct error *) = {
        [LAST_KNOWN_LIST] = restore_list,
        [LAST_KNOWN_CREATED] = restore_created,
        [LAST_KNOWN_REMOVED] = restore_removed,
        [LAST_KNOWN_STATUS] = restore_status,
    };
    if (record->sequence > HIGHEST_SEQUENCE) {
        return malformed(error, "a sequence number");
    }
    if (store->sequence < record->sequence) {
        store->sequence = record->sequence;
    }
    return restore[record->part](store, record, error);
}
