#include "core/store/fact_store.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/hash_table.h"
#include "base/system/keyed_hash.h"

/* A pod or container. Its environment is memory of its own, because it goes first. */
struct entry {
    struct hash_link by_id;
    struct hash_link by_pod;
    uint8_t *environment; /* owned; NULL if there is none */
    uint32_t environment_len;
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
    struct hash_table by_id;
    struct hash_table by_pod; /* containers only, by the id of their pod, so that the pod need not be known */
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

static uint64_t hash_of(const struct fact_store *store, enum id_kind kind, struct bytes id)
{
    struct hash_key key = store->key;
    key.halves[0] ^= (uint64_t)kind;
    return keyed_hash(&key, id);
}

static uint8_t *append(uint8_t *end, struct bytes bytes)
{
    if (bytes.len > 0) {
        memcpy(end, bytes.data, bytes.len);
    }
    return end + bytes.len;
}

/* An entry that is not in the store yet. NULL: no memory, or a limit is exceeded. */
static struct entry *make(enum id_kind kind, struct bytes id, struct bytes holder, struct bytes facts)
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

/* Of all entries, without environments. */
static size_t entries_size(const struct fact_store *store)
{
    return store->by_id.count * sizeof(struct entry) + store->text;
}

static struct entry *entry_of(struct hash_link *by_id)
{
    return HASH_ITEM(by_id, struct entry, by_id);
}

static struct entry *container_of(struct hash_link *by_pod)
{
    return HASH_ITEM(by_pod, struct entry, by_pod);
}

static struct entry *find(const struct fact_store *store, enum id_kind kind, struct bytes id)
{
    struct hash_link *link = hash_table_find(&store->by_id, hash_of(store, kind, id));
    while (link && (entry_of(link)->kind != kind || !bytes_equal(id_of(entry_of(link)), id))) {
        link = hash_link_next(link);
    }
    return link ? entry_of(link) : NULL;
}

static void shrink(struct fact_store *store)
{
    hash_table_shrink(&store->by_id);
    hash_table_shrink(&store->by_pod);
}

static void add(struct fact_store *store, struct entry *entry)
{
    hash_table_add(&store->by_id, &entry->by_id, hash_of(store, entry->kind, id_of(entry)));
    if (entry->kind == ID_CONTAINER) {
        hash_table_add(&store->by_pod, &entry->by_pod, hash_of(store, ID_POD, holder_of(entry)));
    }
    store->counts[entry->kind]++;
    store->changed_parents += entry->parent_changed;
    store->text += text_size(entry);
    store->environments += entry->environment_len;
}

static void drop(struct fact_store *store, struct entry *entry)
{
    hash_table_remove(&store->by_id, &entry->by_id);
    if (entry->kind == ID_CONTAINER) {
        hash_table_remove(&store->by_pod, &entry->by_pod);
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
    if (!entry || entries_size(store) + sizeof *entry + text_size(entry) > FACT_STORE_LIMIT) {
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
    if (store && hash_table_init(&store->by_id) && hash_table_init(&store->by_pod)) {
        store->key = hash_key_random();
        return store;
    }
    fact_store_free(store);
    return NULL;
}

void fact_store_free(struct fact_store *store)
{
    if (!store) {
        return;
    }
    HASH_TABLE_EACH(&store->by_id, link)
    {
        free_entry(entry_of(link));
    }
    hash_table_clear(&store->by_id);
    hash_table_clear(&store->by_pod);
    free(store);
}

bool fact_store_put_pod(struct fact_store *store, struct bytes id, const struct known_pod *pod)
{
    struct entry *entry = make(ID_POD, id, pod->handler, pod->facts);
    if (entry) {
        entry->parent_changed = pod->parent_changed;
        entry->stopped = pod->stopped;
    }
    return replace(store, ID_POD, id, entry);
}

bool fact_store_put_container(struct fact_store *store, struct bytes id, const struct known_container *container)
{
    struct entry *entry = make(ID_CONTAINER, id, container->pod_id, container->facts);
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
    HASH_TABLE_EACH(&store->by_id, link)
    {
        if (entry_of(link)->kind == kind) {
            visit(state, id_of(entry_of(link)));
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
    struct hash_link *link = hash_table_find(&store->by_pod, hash_of(store, ID_POD, pod_id));
    for (; link; link = hash_link_next(link)) {
        container_of(link)->doomed |= bytes_equal(holder_of(container_of(link)), pod_id);
    }
}

void fact_store_remove(struct fact_store *store, enum id_kind kind, struct bytes id)
{
    struct entry *entry = find(store, kind, id);
    if (kind == ID_POD) {
        doom_containers(store, id);
        struct hash_link *link = hash_table_find(&store->by_pod, hash_of(store, ID_POD, id));
        while (link) {
            struct entry *container = container_of(link);
            link = hash_link_next(link);
            if (container->doomed) {
                drop(store, container);
            }
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
    HASH_TABLE_EACH(&store->by_id, link)
    {
        if (entry_of(link)->doomed) {
            drop(store, entry_of(link));
        }
    }
    shrink(store);
}

void fact_store_retain(struct fact_store *store, enum id_kind kind, bool (*keep)(void *state, struct bytes id), void *state)
{
    HASH_TABLE_EACH(&store->by_id, link)
    {
        struct entry *entry = entry_of(link);
        if (entry->kind != kind || keep(state, id_of(entry))) {
            continue;
        }
        entry->doomed = true;
        if (kind == ID_POD) {
            doom_containers(store, id_of(entry));
        }
    }
    sweep(store);
}

size_t fact_store_forget_environments(struct fact_store *store)
{
    size_t freed = store->environments;
    HASH_TABLE_EACH(&store->by_id, link)
    {
        struct entry *entry = entry_of(link);
        free(entry->environment);
        entry->environment = NULL;
        entry->environment_len = 0;
        entry->has_environment = false;
    }
    store->environments = 0;
    return freed;
}

void fact_store_forget_unchanged(struct fact_store *store)
{
    HASH_TABLE_EACH(&store->by_id, link)
    {
        entry_of(link)->doomed = !entry_of(link)->parent_changed;
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
    return sizeof *store + hash_table_memory(&store->by_id) + hash_table_memory(&store->by_pod) + entries_size(store) +
           store->environments;
}

size_t fact_store_environment_memory(const struct fact_store *store)
{
    return store->environments;
}

size_t fact_store_text_memory(const struct fact_store *store)
{
    return store->text;
}
