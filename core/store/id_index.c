#include "core/store/id_index.h"

#include <stdlib.h>

#include "base/system/hash_table.h"
#include "base/system/keyed_hash.h"

#define DIGEST_LENGTH 64 /* of SHA-256, in hex */
#define NOBODY UINT16_MAX

/* An id that is known. */
struct known {
    struct hash_link link;
    uint32_t holder_learned; /* the newest listing when the holder last reported it */
    uint32_t rival_learned;
    uint16_t holder;
    uint16_t rival; /* who claims it as well, or NOBODY */
    uint8_t kind;
    uint8_t id_len;
    uint8_t id[];
};

struct runtime_count {
    size_t of_kind[ID_KIND_COUNT];
};

struct id_index {
    struct hash_key key;
    struct hash_table table;
    size_t id_bytes;
    uint32_t listing;
    struct runtime_count *counts; /* by runtime */
    size_t runtimes;
};

/* ---- ids ---- */

static struct bytes id_of(const struct known *known)
{
    return bytes_of(known->id, known->id_len);
}

static uint64_t hash_of(const struct id_index *index, enum id_kind kind, struct bytes id)
{
    struct hash_key key = index->key;
    key.halves[0] ^= (uint64_t)kind;
    return keyed_hash(&key, id);
}

static struct known *find(const struct id_index *index, enum id_kind kind, struct bytes id, uint64_t hash)
{
    for (struct hash_link *link = hash_table_find(&index->table, hash); link; link = hash_link_next(link)) {
        struct known *known = HASH_ITEM(link, struct known, link);
        if (known->kind == kind && bytes_equal(id_of(known), id)) {
            return known;
        }
    }
    return NULL;
}

static void forget(struct id_index *index, struct known *known)
{
    index->counts[known->holder].of_kind[known->kind]--;
    index->id_bytes -= known->id_len;
    hash_table_remove(&index->table, &known->link);
    free(known);
}

/* ---- who holds it ---- */

/* The holder no longer has it: the rival holds it now, or nobody. */
static void drop_holder(struct id_index *index, struct known *known)
{
    if (known->rival == NOBODY) {
        forget(index, known);
        return;
    }
    index->counts[known->holder].of_kind[known->kind]--;
    index->counts[known->rival].of_kind[known->kind]++;
    known->holder = known->rival;
    known->holder_learned = known->rival_learned;
    known->rival = NOBODY;
}

/* Drops a runtime's claim to an id, if it was learned before a listing. */
static void drop_claim(struct id_index *index, struct known *known, unsigned runtime, uint64_t before)
{
    if (known->rival == runtime && known->rival_learned < before) {
        known->rival = NOBODY;
    }
    if (known->holder == runtime && known->holder_learned < before) {
        drop_holder(index, known);
    }
}

static bool no_memory(struct error *error)
{
    return error_set(error, STATUS_RESOURCE_EXHAUSTED, "not enough memory for the index of ids");
}

static bool count_runtime(struct id_index *index, unsigned runtime, struct error *error)
{
    if (runtime >= NOBODY) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "runtime %u: the index of ids accepts only numbers below %u", runtime,
                         NOBODY);
    }
    if (runtime < index->runtimes) {
        return true;
    }
    struct runtime_count *counts = realloc(index->counts, (runtime + 1) * sizeof *counts);
    if (!counts) {
        return no_memory(error);
    }
    memset(counts + index->runtimes, 0, (runtime + 1 - index->runtimes) * sizeof *counts);
    index->counts = counts;
    index->runtimes = runtime + 1;
    return true;
}

static bool within_limits(const struct id_index *index, unsigned runtime, struct error *error)
{
    const struct runtime_count *count = &index->counts[runtime];
    if (count->of_kind[ID_POD] + count->of_kind[ID_CONTAINER] >= ID_INDEX_RUNTIME_LIMIT) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the runtime has more than %d pods and containers",
                         ID_INDEX_RUNTIME_LIMIT);
    }
    if (index->table.count >= ID_INDEX_LIMIT) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "all runtimes together have more than %d pods and containers",
                         ID_INDEX_LIMIT);
    }
    return true;
}

static bool add(struct id_index *index, enum id_kind kind, struct bytes id, uint64_t hash, unsigned runtime, struct error *error)
{
    if (!within_limits(index, runtime, error)) {
        return false;
    }
    struct known *known = malloc(sizeof *known + id.len);
    if (!known) {
        return no_memory(error);
    }
    *known = (struct known){
        .holder_learned = index->listing,
        .holder = (uint16_t)runtime,
        .rival = NOBODY,
        .kind = (uint8_t)kind,
        .id_len = (uint8_t)id.len,
    };
    memcpy(known->id, id.data, id.len);
    hash_table_add(&index->table, &known->link, hash);
    index->id_bytes += id.len;
    index->counts[runtime].of_kind[kind]++;
    return true;
}

/* ---- interface ---- */

struct id_index *id_index_new(void)
{
    struct id_index *index = calloc(1, sizeof *index);
    if (index && !hash_table_init(&index->table)) {
        free(index);
        return NULL;
    }
    if (index) {
        index->key = hash_key_random();
    }
    return index;
}

void id_index_free(struct id_index *index)
{
    if (!index) {
        return;
    }
    HASH_TABLE_EACH(&index->table, link)
    {
        free(HASH_ITEM(link, struct known, link));
    }
    hash_table_clear(&index->table);
    free(index->counts);
    free(index);
}

bool id_index_learn(struct id_index *index, enum id_kind kind, struct bytes id, unsigned runtime, struct error *error)
{
    if (id.len == 0 || id.len > ID_INDEX_LONGEST) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "an id is %zu bytes long; it must be 1 to %d", id.len, ID_INDEX_LONGEST);
    }
    if (!count_runtime(index, runtime, error)) {
        return false;
    }
    uint64_t hash = hash_of(index, kind, id);
    struct known *known = find(index, kind, id, hash);
    if (!known) {
        return add(index, kind, id, hash, runtime, error);
    }
    if (known->holder == runtime) {
        known->holder_learned = index->listing;
        return true;
    }
    known->rival = (uint16_t)runtime;
    known->rival_learned = index->listing;
    return error_set(error, STATUS_ALREADY_EXISTS, "another runtime holds %.*s", BYTES_SHOWN(id, 128));
}

enum id_answer id_index_find(const struct id_index *index, enum id_kind kind, struct bytes id, unsigned *runtime)
{
    if (id.len == 0 || id.len > ID_INDEX_LONGEST) {
        return ID_UNKNOWN;
    }
    const struct known *known = find(index, kind, id, hash_of(index, kind, id));
    if (!known) {
        return ID_UNKNOWN;
    }
    *runtime = known->holder;
    return known->rival == NOBODY ? ID_HELD : ID_DISPUTED;
}

static bool is_digest(struct bytes id)
{
    size_t digits = 0;
    while (digits < id.len &&
           ((id.data[digits] >= '0' && id.data[digits] <= '9') || (id.data[digits] >= 'a' && id.data[digits] <= 'f'))) {
        digits++;
    }
    return digits == id.len && digits == DIGEST_LENGTH;
}

enum id_answer id_index_find_beginning(const struct id_index *index, enum id_kind kind, struct bytes beginning, unsigned *runtime)
{
    enum id_answer answer = ID_UNKNOWN;
    if (beginning.len == 0 || is_digest(beginning)) {
        return ID_UNKNOWN;
    }
    HASH_TABLE_EACH(&index->table, link)
    {
        const struct known *known = HASH_ITEM(link, struct known, link);
        if (known->kind != kind || !bytes_start_with(id_of(known), beginning)) {
            continue;
        }
        if (answer != ID_UNKNOWN) {
            return ID_SEVERAL;
        }
        answer = known->rival == NOBODY ? ID_HELD : ID_DISPUTED;
        *runtime = known->holder;
    }
    return answer;
}

void id_index_forget(struct id_index *index, enum id_kind kind, struct bytes id, unsigned runtime)
{
    struct known *known = find(index, kind, id, hash_of(index, kind, id));
    if (known) {
        drop_claim(index, known, runtime, UINT64_MAX);
    }
}

static void forget_before(struct id_index *index, unsigned runtime, unsigned kinds, uint64_t before)
{
    HASH_TABLE_EACH(&index->table, link)
    {
        struct known *known = HASH_ITEM(link, struct known, link);
        if ((kinds & 1U << known->kind) != 0) {
            drop_claim(index, known, runtime, before);
        }
    }
    hash_table_shrink(&index->table);
}

void id_index_forget_runtime(struct id_index *index, unsigned runtime)
{
    forget_before(index, runtime, 1U << ID_POD | 1U << ID_CONTAINER, UINT64_MAX);
}

uint64_t id_index_begin(struct id_index *index)
{
    return ++index->listing;
}

void id_index_end(struct id_index *index, unsigned runtime, enum id_kind kind, uint64_t listing)
{
    forget_before(index, runtime, 1U << kind, listing);
}

size_t id_index_count(const struct id_index *index, enum id_kind kind, unsigned runtime)
{
    return runtime < index->runtimes ? index->counts[runtime].of_kind[kind] : 0;
}

size_t id_index_memory(const struct id_index *index)
{
    return sizeof *index + hash_table_memory(&index->table) + index->table.count * sizeof(struct known) + index->id_bytes +
           index->runtimes * sizeof *index->counts;
}
