#include "core/store/fact_store.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/keyed_hash.h"

#define SMALLEST_TABLE 64

/* A pod or container. Its environment is memory of its own, because it goes first. */
struct entry {
    struct entry *next;         /* in the table by id */
    struct entry *next_of_pod;  /* in the table by pod */
    struct entry **link_of_pod; /* what points to this one there */
    uint8_t *environment;       /* owned; NULL if there is none */
    uint32_t environment_len;
    uint32_t hash;
    uint32_t pod_hash;
    uint32_t holder_len;
    uint32_t facts_len;
    uint8_t id_len;
    uint8_t kind;
    bool parent_changed;
    bool has_environment;
    bool stopped;
    bool doomed;
    uint8_t text[]; /* the id; its holder, which is the handler of a pod or the pod of a container; the facts */
};

struct fact_store {
    struct hash_key key;
    struct entry **by_id;
    struct entry **by_pod; /* containers only, by the id of their pod, so that the pod need not be known */
    size_t capacity;       /* of both, a power of two */
    size_t counts[ID_KIND_COUNT];
    size_t changed_parents;
    size_t text;
    size_t environments;
};

/* ---- entries ---- */

static struct bytes id_of(const struct entry *entry)
{
    return bytes_of(entry->text, entry->id_len);
}

static struct bytes holder_of(const struct entry *entry)
{
    return bytes_of(entry->text + entry->id_len, entry->holder_len);
}

static struct bytes facts_of(const struct entry *entry)
{
    return bytes_of(entry->text + entry->id_len + entry->holder_len, entry->facts_len);
}

static size_t text_size(const struct entry *entry)
{
    return (size_t)entry->id_len + entry->holder_len + entry->facts_len;
}

static uint32_t hash_of(const struct fact_store *store, enum id_kind kind, struct bytes id)
{
    struct hash_key key = store->key;
    key.halves[0] ^= (uint64_t)kind;
    return (uint32_t)keyed_hash(&key, id);
}

static uint8_t *append(uint8_t *end, struct bytes bytes)
{
    if (bytes.len > 0) {
        memcpy(end, bytes.data, bytes.len);
    }
    return end + bytes.len;
}

/* An entry that is not in the store yet. NULL: no memory, or a limit is exceeded. */
static struct entry *make(const struct fact_store *store, enum id_kind kind, struct bytes id, struct bytes holder,
                          struct bytes facts)
{
    if (id.len == 0 || id.len > FACT_STORE_LONGEST_ID || holder.len > FACT_STORE_ENTRY_LIMIT ||
        facts.len > FACT_STORE_ENTRY_LIMIT || id.len + holder.len + facts.len > FACT_STORE_ENTRY_LIMIT) {
        return NULL;
    }
    struct entry *entry = calloc(1, sizeof *entry + id.len + holder.len + facts.len);
    if (!entry) {
        return NULL;
    }
    entry->kind = (uint8_t)kind;
    entry->id_len = (uint8_t)id.len;
    entry->holder_len = (uint32_t)holder.len;
    entry->facts_len = (uint32_t)facts.len;
    append(append(append(entry->text, id), holder), facts);
    entry->hash = hash_of(store, kind, id);
    entry->pod_hash = kind == ID_CONTAINER ? hash_of(store, ID_POD, holder) : 0;
    return entry;
}

static bool set_environment(struct entry *entry, struct bytes environment)
{
    uint8_t *copy = NULL;
    if (environment.len > FACT_STORE_ENVIRONMENT_LIMIT || (environment.len > 0 && !(copy = malloc(environment.len)))) {
        return false;
    }
    append(copy, environment);
    free(entry->environment);
    entry->environment = copy;
    entry->environment_len = (uint32_t)environment.len;
    entry->has_environment = true;
    return true;
}

static void free_entry(struct entry *entry)
{
    if (entry) {
        free(entry->environment);
        free(entry);
    }
}

/* ---- the tables ---- */

static size_t total(const struct fact_store *store)
{
    return store->counts[ID_POD] + store->counts[ID_CONTAINER];
}

/* Of all entries, without environments. */
static size_t entries_size(const struct fact_store *store)
{
    return total(store) * sizeof(struct entry) + store->text;
}

static void link_entry(struct entry **by_id, struct entry **by_pod, size_t capacity, struct entry *entry)
{
    struct entry **link = &by_id[entry->hash & (capacity - 1)];
    entry->next = *link;
    *link = entry;
    if (entry->kind == ID_CONTAINER) {
        link = &by_pod[entry->pod_hash & (capacity - 1)];
        entry->next_of_pod = *link;
        entry->link_of_pod = link;
        *link = entry;
        if (entry->next_of_pod) {
            entry->next_of_pod->link_of_pod = &entry->next_of_pod;
        }
    }
}

static bool resize(struct fact_store *store, size_t capacity)
{
    struct entry **by_id = calloc(capacity, sizeof *by_id);
    struct entry **by_pod = calloc(capacity, sizeof *by_pod);
    if (!by_id || !by_pod) {
        free(by_id);
        free(by_pod);
        return false;
    }
    for (size_t i = 0; i < store->capacity; i++) {
        while (store->by_id[i]) {
            struct entry *entry = store->by_id[i];
            store->by_id[i] = entry->next;
            link_entry(by_id, by_pod, capacity, entry);
        }
    }
    free(store->by_id);
    free(store->by_pod);
    store->by_id = by_id;
    store->by_pod = by_pod;
    store->capacity = capacity;
    return true;
}

/* Gives memory back after many went. Without memory for smaller tables the big ones stay. */
static void shrink(struct fact_store *store)
{
    size_t capacity = store->capacity;
    while (capacity > SMALLEST_TABLE && total(store) * 8 < capacity) {
        capacity /= 2;
    }
    if (capacity < store->capacity) {
        resize(store, capacity);
    }
}

static struct entry *find(const struct fact_store *store, enum id_kind kind, struct bytes id)
{
    uint32_t hash = hash_of(store, kind, id);
    struct entry *entry = store->by_id[hash & (store->capacity - 1)];
    while (entry && (entry->hash != hash || entry->kind != kind || !bytes_equal(id_of(entry), id))) {
        entry = entry->next;
    }
    return entry;
}

static void add(struct fact_store *store, struct entry *entry)
{
    link_entry(store->by_id, store->by_pod, store->capacity, entry);
    store->counts[entry->kind]++;
    store->changed_parents += entry->parent_changed;
    store->text += text_size(entry);
    store->environments += entry->environment_len;
}

static void drop(struct fact_store *store, struct entry *entry)
{
    struct entry **link = &store->by_id[entry->hash & (store->capacity - 1)];
    while (*link != entry) {
        link = &(*link)->next;
    }
    *link = entry->next;
    if (entry->kind == ID_CONTAINER) {
        *entry->link_of_pod = entry->next_of_pod;
        if (entry->next_of_pod) {
            entry->next_of_pod->link_of_pod = entry->link_of_pod;
        }
    }
    store->counts[entry->kind]--;
    store->changed_parents -= entry->parent_changed;
    store->text -= text_size(entry);
    store->environments -= entry->environment_len;
    free_entry(entry);
}

/* The new entry, or NULL, in place of what the store has of that id. Takes ownership. */
static bool replace(struct fact_store *store, enum id_kind kind, struct bytes id, struct entry *entry)
{
    struct entry *old = find(store, kind, id);
    if (old) {
        drop(store, old);
    }
    if (!entry || entries_size(store) + sizeof *entry + text_size(entry) > FACT_STORE_LIMIT ||
        (total(store) >= store->capacity && !resize(store, store->capacity * 2))) {
        free_entry(entry);
        return false;
    }
    add(store, entry);
    return true;
}

/* ---- interface ---- */

struct fact_store *fact_store_new(void)
{
    struct fact_store *store = calloc(1, sizeof *store);
    if (store && !resize(store, SMALLEST_TABLE)) {
        free(store);
        return NULL;
    }
    if (store) {
        store->key = hash_key_random();
    }
    return store;
}

void fact_store_free(struct fact_store *store)
{
    if (!store) {
        return;
    }
    for (size_t i = 0; i < store->capacity; i++) {
        while (store->by_id[i]) {
            struct entry *entry = store->by_id[i];
            store->by_id[i] = entry->next;
            free_entry(entry);
        }
    }
    free(store->by_id);
    free(store->by_pod);
    free(store);
}

bool fact_store_put_pod(struct fact_store *store, struct bytes id, const struct known_pod *pod)
{
    struct entry *entry = make(store, ID_POD, id, pod->handler, pod->facts);
    if (entry) {
        entry->parent_changed = pod->parent_changed;
        entry->stopped = pod->stopped;
    }
    return replace(store, ID_POD, id, entry);
}

bool fact_store_put_container(struct fact_store *store, struct bytes id, const struct known_container *container)
{
    struct entry *entry = make(store, ID_CONTAINER, id, container->pod_id, container->facts);
    if (entry) {
        entry->stopped = container->stopped;
        if (container->has_environment) {
            set_environment(entry, container->environment);
        }
    }
    return replace(store, ID_CONTAINER, id, entry);
}

bool fact_store_set_environment(struct fact_store *store, struct bytes id, struct bytes environment)
{
    struct entry *entry = find(store, ID_CONTAINER, id);
    if (!entry) {
        return false;
    }
    size_t before = entry->environment_len;
    bool set = set_environment(entry, environment);
    store->environments += entry->environment_len - before;
    return set;
}

bool fact_store_pod(const struct fact_store *store, struct bytes id, struct known_pod *pod)
{
    const struct entry *entry = find(store, ID_POD, id);
    if (!entry) {
        return false;
    }
    *pod = (struct known_pod){
        .handler = holder_of(entry),
        .facts = facts_of(entry),
        .parent_changed = entry->parent_changed,
        .stopped = entry->stopped,
    };
    return true;
}

bool fact_store_container(const struct fact_store *store, struct bytes id, struct known_container *container)
{
    const struct entry *entry = find(store, ID_CONTAINER, id);
    if (!entry) {
        return false;
    }
    *container = (struct known_container){
        .pod_id = holder_of(entry),
        .facts = facts_of(entry),
        .environment = bytes_of(entry->environment, entry->environment_len),
        .has_environment = entry->has_environment,
        .stopped = entry->stopped,
    };
    return true;
}

void fact_store_each(const struct fact_store *store, enum id_kind kind, void (*visit)(void *state, struct bytes id), void *state)
{
    for (size_t i = 0; i < store->capacity; i++) {
        for (const struct entry *entry = store->by_id[i]; entry; entry = entry->next) {
            if (entry->kind == kind) {
                visit(state, id_of(entry));
            }
        }
    }
}

bool fact_store_stop(struct fact_store *store, enum id_kind kind, struct bytes id)
{
    struct entry *entry = find(store, kind, id);
    if (!entry || entry->stopped) {
        return false;
    }
    entry->stopped = true;
    return true;
}

/* ---- forgetting ---- */

static void doom_containers(struct fact_store *store, struct bytes pod_id)
{
    uint32_t hash = hash_of(store, ID_POD, pod_id);
    for (struct entry *entry = store->by_pod[hash & (store->capacity - 1)]; entry; entry = entry->next_of_pod) {
        entry->doomed |= entry->pod_hash == hash && bytes_equal(holder_of(entry), pod_id);
    }
}

void fact_store_remove(struct fact_store *store, enum id_kind kind, struct bytes id)
{
    struct entry *entry = find(store, kind, id);
    if (kind == ID_POD) {
        doom_containers(store, id);
        struct entry *container = store->by_pod[hash_of(store, ID_POD, id) & (store->capacity - 1)];
        while (container) {
            struct entry *next = container->next_of_pod;
            if (container->doomed) {
                drop(store, container);
            }
            container = next;
        }
    }
    if (entry) {
        drop(store, entry);
    }
    shrink(store);
}

/* Forgets what is doomed. */
static void sweep(struct fact_store *store)
{
    for (size_t i = 0; i < store->capacity; i++) {
        struct entry *entry = store->by_id[i];
        while (entry) {
            struct entry *next = entry->next;
            if (entry->doomed) {
                drop(store, entry);
            }
            entry = next;
        }
    }
    shrink(store);
}

void fact_store_retain(struct fact_store *store, enum id_kind kind, bool (*keep)(void *state, struct bytes id), void *state)
{
    for (size_t i = 0; i < store->capacity; i++) {
        for (struct entry *entry = store->by_id[i]; entry; entry = entry->next) {
            if (entry->kind != kind || keep(state, id_of(entry))) {
                continue;
            }
            entry->doomed = true;
            if (kind == ID_POD) {
                doom_containers(store, id_of(entry));
            }
        }
    }
    sweep(store);
}

size_t fact_store_forget_environments(struct fact_store *store)
{
    size_t freed = store->environments;
    for (size_t i = 0; i < store->capacity; i++) {
        for (struct entry *entry = store->by_id[i]; entry; entry = entry->next) {
            free(entry->environment);
            entry->environment = NULL;
            entry->environment_len = 0;
            entry->has_environment = false;
        }
    }
    store->environments = 0;
    return freed;
}

void fact_store_forget_unchanged(struct fact_store *store)
{
    for (size_t i = 0; i < store->capacity; i++) {
        for (struct entry *entry = store->by_id[i]; entry; entry = entry->next) {
            entry->doomed = !entry->parent_changed;
        }
    }
    sweep(store);
}

/* ---- figures ---- */

size_t fact_store_count(const struct fact_store *store, enum id_kind kind)
{
    return store->counts[kind];
}

size_t fact_store_changed_parents(const struct fact_store *store)
{
    return store->changed_parents;
}

size_t fact_store_memory(const struct fact_store *store)
{
    return sizeof *store + 2 * store->capacity * sizeof(struct entry *) + entries_size(store) + store->environments;
}

size_t fact_store_environment_memory(const struct fact_store *store)
{
    return store->environments;
}

size_t fact_store_text_memory(const struct fact_store *store)
{
    return store->text;
}
