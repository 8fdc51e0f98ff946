#include "core/store/id_index.h"

#include <stdlib.h>

#include "base/system/keyed_hash.h"

#define SMALLEST_TABLE 64
#define DIGEST_SIZE 32
#define NOBODY UINT16_MAX

enum form {
    FORM_NONE,   /* an empty slot */
    FORM_DIGEST, /* 64 hex digits, as 32 bytes */
    FORM_TEXT,
};

struct slot {
    union {
        uint8_t digest[DIGEST_SIZE];
        struct {
            uint8_t *data; /* owned */
            size_t len;
        } text;
    } id;
    uint32_t hash;
    uint8_t form;
    uint8_t kind;
    uint16_t holder;
    uint16_t rival;          /* who claims it as well, or NOBODY */
    uint32_t holder_learned; /* the newest listing when the holder last reported it */
    uint32_t rival_learned;
};

struct runtime_count {
    size_t of_kind[ID_KIND_COUNT];
};

struct id_index {
    struct hash_key key;
    struct slot *slots; /* open addressing, the next free slot is taken; never full */
    size_t capacity;    /* a power of two */
    size_t count;
    size_t text_bytes;
    uint32_t listing;
    struct runtime_count *counts; /* by runtime */
    size_t runtimes;
};

/* ---- ids ---- */

/* An id as it is looked for. */
struct wanted {
    struct bytes text;
    uint8_t digest[DIGEST_SIZE];
    uint8_t form;
    uint8_t kind;
    uint32_t hash;
};

static int hex_digit(uint8_t character)
{
    if (character >= '0' && character <= '9') {
        return character - '0';
    }
    return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

static bool pack_digest(struct bytes text, uint8_t *digest)
{
    if (text.len != (size_t)2 * DIGEST_SIZE) {
        return false;
    }
    for (size_t i = 0; i < DIGEST_SIZE; i++) {
        int high = hex_digit(text.data[2 * i]);
        int low = hex_digit(text.data[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        digest[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static struct wanted wanted_of(const struct id_index *index, enum id_kind kind, struct bytes id)
{
    struct wanted wanted = {.text = id, .kind = (uint8_t)kind};
    wanted.form = pack_digest(id, wanted.digest) ? FORM_DIGEST : FORM_TEXT;
    struct hash_key key = index->key;
    key.halves[0] ^= (uint64_t)kind;
    wanted.hash = (uint32_t)keyed_hash(&key, wanted.form == FORM_DIGEST ? bytes_of(wanted.digest, DIGEST_SIZE) : id);
    return wanted;
}

static bool slot_has(const struct slot *slot, const struct wanted *wanted)
{
    if (slot->hash != wanted->hash || slot->form != wanted->form || slot->kind != wanted->kind) {
        return false;
    }
    return slot->form == FORM_DIGEST ? memcmp(slot->id.digest, wanted->digest, DIGEST_SIZE) == 0
                                     : bytes_equal(bytes_of(slot->id.text.data, slot->id.text.len), wanted->text);
}

/* ---- the table ---- */

static size_t home_of(const struct slot *slot, size_t capacity)
{
    return slot->hash & (capacity - 1);
}

/* The slot that holds it, or the empty one where it would go. */
static struct slot *slot_for(const struct id_index *index, const struct wanted *wanted)
{
    size_t at = wanted->hash & (index->capacity - 1);
    while (index->slots[at].form != FORM_NONE && !slot_has(&index->slots[at], wanted)) {
        at = (at + 1) & (index->capacity - 1);
    }
    return &index->slots[at];
}

static bool resize(struct id_index *index, size_t capacity)
{
    struct slot *slots = calloc(capacity, sizeof *slots);
    if (!slots) {
        return false;
    }
    for (size_t i = 0; i < index->capacity; i++) {
        if (index->slots[i].form == FORM_NONE) {
            continue;
        }
        size_t at = home_of(&index->slots[i], capacity);
        while (slots[at].form != FORM_NONE) {
            at = (at + 1) & (capacity - 1);
        }
        slots[at] = index->slots[i];
    }
    free(index->slots);
    index->slots = slots;
    index->capacity = capacity;
    return true;
}

/* At most three quarters of the slots are in use. */
static bool make_room(struct id_index *index)
{
    return (index->count + 1) * 4 <= index->capacity * 3 || resize(index, index->capacity * 2);
}

/* Gives memory back after many ids went. Without memory for the smaller table the big one stays. */
static void shrink(struct id_index *index)
{
    size_t capacity = index->capacity;
    while (capacity > SMALLEST_TABLE && index->count * 8 < capacity) {
        capacity /= 2;
    }
    if (capacity < index->capacity) {
        resize(index, capacity);
    }
}

/* Empties a slot and moves up those behind it that would otherwise not be found any more. */
static void empty_slot(struct id_index *index, size_t at)
{
    size_t mask = index->capacity - 1;
    size_t hole = at;
    for (size_t next = (hole + 1) & mask; index->slots[next].form != FORM_NONE; next = (next + 1) & mask) {
        size_t home = home_of(&index->slots[next], index->capacity);
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            index->slots[hole] = index->slots[next];
            hole = next;
        }
    }
    index->slots[hole] = (struct slot){.form = FORM_NONE};
}

static void remove_slot(struct id_index *index, struct slot *slot)
{
    index->counts[slot->holder].of_kind[slot->kind]--;
    if (slot->form == FORM_TEXT) {
        index->text_bytes -= slot->id.text.len;
        free(slot->id.text.data);
        slot->id.text.data = NULL;
    }
    index->count--;
    empty_slot(index, (size_t)(slot - index->slots));
}

/* ---- who holds it ---- */

/* The holder no longer has it: the rival holds it now, or nobody. Returns whether the slot is still in use. */
static bool drop_holder(struct id_index *index, struct slot *slot)
{
    if (slot->rival == NOBODY) {
        remove_slot(index, slot);
        return false;
    }
    index->counts[slot->holder].of_kind[slot->kind]--;
    index->counts[slot->rival].of_kind[slot->kind]++;
    slot->holder = slot->rival;
    slot->holder_learned = slot->rival_learned;
    slot->rival = NOBODY;
    return true;
}

/* Drops a runtime's claim to a slot, if it was learned before a listing. Returns whether the slot is still in use. */
static bool drop_claim(struct id_index *index, struct slot *slot, unsigned runtime, uint64_t before)
{
    if (slot->rival == runtime && slot->rival_learned < before) {
        slot->rival = NOBODY;
    }
    return slot->holder != runtime || slot->holder_learned >= before || drop_holder(index, slot);
}

static bool no_memory(struct error *error)
{
    return error_set(error, STATUS_RESOURCE_EXHAUSTED, "no memory for the index of ids");
}

static bool count_runtime(struct id_index *index, unsigned runtime, struct error *error)
{
    if (runtime >= NOBODY) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "runtime %u: the index of ids takes numbers below %u", runtime, NOBODY);
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
    if (index->count >= ID_INDEX_LIMIT) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "all runtimes together have more than %d pods and containers",
                         ID_INDEX_LIMIT);
    }
    return true;
}

static bool add(struct id_index *index, const struct wanted *wanted, unsigned runtime, struct error *error)
{
    if (!within_limits(index, runtime, error)) {
        return false;
    }
    if (!make_room(index)) {
        return no_memory(error);
    }
    struct slot slot = {
        .hash = wanted->hash,
        .form = wanted->form,
        .kind = wanted->kind,
        .holder = (uint16_t)runtime,
        .rival = NOBODY,
        .holder_learned = index->listing,
    };
    if (wanted->form == FORM_DIGEST) {
        memcpy(slot.id.digest, wanted->digest, DIGEST_SIZE);
    } else {
        slot.id.text.data = malloc(wanted->text.len);
        if (!slot.id.text.data) {
            return no_memory(error);
        }
        memcpy(slot.id.text.data, wanted->text.data, wanted->text.len);
        slot.id.text.len = wanted->text.len;
        index->text_bytes += wanted->text.len;
    }
    *slot_for(index, wanted) = slot;
    index->count++;
    index->counts[runtime].of_kind[wanted->kind]++;
    return true;
}

/* ---- interface ---- */

struct id_index *id_index_new(void)
{
    struct id_index *index = calloc(1, sizeof *index);
    if (index && !resize(index, SMALLEST_TABLE)) {
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
    for (size_t i = 0; i < index->capacity; i++) {
        if (index->slots[i].form == FORM_TEXT) {
            free(index->slots[i].id.text.data);
        }
    }
    free(index->slots);
    free(index->counts);
    free(index);
}

bool id_index_learn(struct id_index *index, enum id_kind kind, struct bytes id, unsigned runtime, struct error *error)
{
    if (id.len == 0 || id.len > ID_INDEX_LONGEST) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "an id of %zu bytes; there are 1 to %d", id.len, ID_INDEX_LONGEST);
    }
    if (!count_runtime(index, runtime, error)) {
        return false;
    }
    struct wanted wanted = wanted_of(index, kind, id);
    struct slot *slot = slot_for(index, &wanted);
    if (slot->form == FORM_NONE) {
        return add(index, &wanted, runtime, error);
    }
    if (slot->holder == runtime) {
        slot->holder_learned = index->listing;
        return true;
    }
    slot->rival = (uint16_t)runtime;
    slot->rival_learned = index->listing;
    return error_set(error, STATUS_ALREADY_EXISTS, "another runtime holds %.*s", BYTES_SHOWN(id, 128));
}

enum id_answer id_index_find(const struct id_index *index, enum id_kind kind, struct bytes id, unsigned *runtime)
{
    if (id.len == 0 || id.len > ID_INDEX_LONGEST) {
        return ID_UNKNOWN;
    }
    struct wanted wanted = wanted_of(index, kind, id);
    const struct slot *slot = slot_for(index, &wanted);
    if (slot->form == FORM_NONE) {
        return ID_UNKNOWN;
    }
    *runtime = slot->holder;
    return slot->rival == NOBODY ? ID_HELD : ID_DISPUTED;
}

static bool digest_begins(const uint8_t *digest, struct bytes beginning)
{
    size_t i = 0;
    while (i < beginning.len && i < (size_t)2 * DIGEST_SIZE &&
           hex_digit(beginning.data[i]) == (i % 2 == 0 ? digest[i / 2] >> 4 : digest[i / 2] & 15)) {
        i++;
    }
    return i == beginning.len;
}

static bool slot_begins(const struct slot *slot, struct bytes beginning)
{
    return slot->form == FORM_DIGEST ? digest_begins(slot->id.digest, beginning)
                                     : bytes_start_with(bytes_of(slot->id.text.data, slot->id.text.len), beginning);
}

enum id_answer id_index_find_beginning(const struct id_index *index, enum id_kind kind, struct bytes beginning, unsigned *runtime)
{
    uint8_t digest[DIGEST_SIZE];
    enum id_answer answer = ID_UNKNOWN;
    if (beginning.len == 0 || pack_digest(beginning, digest)) {
        return ID_UNKNOWN;
    }
    for (size_t i = 0; i < index->capacity && answer != ID_SEVERAL; i++) {
        const struct slot *slot = &index->slots[i];
        if (slot->form != FORM_NONE && slot->kind == kind && slot_begins(slot, beginning)) {
            bool first = answer == ID_UNKNOWN;
            answer = !first ? ID_SEVERAL : slot->rival == NOBODY ? ID_HELD : ID_DISPUTED;
            *runtime = first ? slot->holder : *runtime;
        }
    }
    return answer;
}

void id_index_forget(struct id_index *index, enum id_kind kind, struct bytes id, unsigned runtime)
{
    struct wanted wanted = wanted_of(index, kind, id);
    struct slot *slot = slot_for(index, &wanted);
    if (slot->form != FORM_NONE) {
        drop_claim(index, slot, runtime, UINT64_MAX);
    }
}

/* An emptied slot may hold another id now, so it is checked again. */
static void forget_before(struct id_index *index, unsigned runtime, unsigned kinds, uint64_t before)
{
    for (size_t i = 0; i < index->capacity;) {
        struct slot *slot = &index->slots[i];
        bool concerned = slot->form != FORM_NONE && (kinds & 1U << slot->kind) != 0;
        i += !concerned || drop_claim(index, slot, runtime, before);
    }
    shrink(index);
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
    return sizeof *index + index->capacity * sizeof *index->slots + index->text_bytes + index->runtimes * sizeof *index->counts;
}
