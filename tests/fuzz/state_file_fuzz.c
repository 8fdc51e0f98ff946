/* State files: whatever a file holds, it is refused or it is a store whose answers are lists, and which is written and read back
   as the same. The checksum is made to fit, or nothing behind it would ever be reached. The first byte chooses the limit of the
   store. */
#include <stdlib.h>
#include <string.h>

#include "base/system/keyed_hash.h"
#include "core/store/state_file.h"
#include "tests/fuzz/fuzz.h"
#include "translate/lists/item.h"

#define NOW 1000000
#define CHECKSUM_AT 12
#define HEADER_SIZE 20

static const struct state_file file = {.folder = "/nonexistent", .name = "n", .endpoint = "e"};
/* Up to the number of records. */
static const char beginning[] = "CRIlists\1\0\0\0........\1\0\0\0\0\0\0\0n\1\0\0\0\0\0\0\0e\1\0\0\0\0\0\0\0b";
static const struct bytes boot = {(const uint8_t *)"b", 1};

static void sign(uint8_t *data, size_t size)
{
    const struct hash_key everybodys = {{1, 0}};
    uint64_t sum = keyed_hash(&everybodys, bytes_of(data + HEADER_SIZE, size - HEADER_SIZE));
    for (size_t i = 0; i < 8; i++) {
        data[CHECKSUM_AT + i] = (uint8_t)(sum >> (8 * i));
    }
}

/* How many items there are to see; every piece of an answer is a list. */
static size_t count_known(struct last_known *store, enum id_kind kind, struct arena *arena)
{
    struct list_filter all = {0};
    struct last_known_list list;
    size_t count = 0;
    if (!last_known_list(store, kind, &all, arena, &list, NULL)) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i < list.count; i++) {
        struct list_items items = list_items_of(kind, list.pieces[i].dialect, list.pieces[i].response);
        struct list_item item;
        while (list_items_next(&items, &item)) {
            count++;
        }
        must(!items.malformed && list_is_well_formed(kind, list.pieces[i].dialect, list.pieces[i].response));
    }
    return count;
}

static void must_be_stable(struct last_known *store, struct arena *arena)
{
    struct bytes content = state_file_encode(&file, boot, store);
    must(content.data);
    struct last_known *again = state_file_decode(&file, boot, content, LAST_KNOWN_DEFAULT_LIMIT, NOW, NULL);
    must(again);
    for (size_t kind = 0; kind < ID_KIND_COUNT; kind++) {
        must(count_known(store, (enum id_kind)kind, arena) == count_known(again, (enum id_kind)kind, arena));
    }
    last_known_free(again);
    free((void *)(uintptr_t)content.data);
}

/* What comes after a restart: changes and lists. */
static void must_go_on(struct last_known *store)
{
    static const struct bytes pod = {(const uint8_t *)"\x0A\x03\x0A\x01p", 5};
    uint64_t asked = last_known_sequence(store);
    last_known_removed(store, ID_POD, bytes_of_string("p1"));
    last_known_created(store, ID_POD, DIALECT_V1, pod, NULL);
    last_known_set_list(store, ID_CONTAINER, DIALECT_V1, (struct pieces){0}, asked, NOW, NULL);
    last_known_set_list(store, ID_POD, DIALECT_V1, pieces_of(&pod), last_known_sequence(store), NOW, NULL);
}

void fuzz_try(struct bytes bytes, struct arena *arena)
{
    const uint8_t *data = bytes.data;
    size_t size = bytes.len;
    if (size < HEADER_SIZE + 1) {
        return;
    }
    size_t limit = data[0] & 1 ? LAST_KNOWN_DEFAULT_LIMIT : (size_t)data[0] * 16;
    size_t before = data[0] & 2 ? 0 : sizeof beginning - 1;
    uint8_t *content = malloc(before + size - 1);
    must(content);
    memcpy(content, beginning, before);
    memcpy(content + before, data + 1, size - 1);
    sign(content, before + size - 1);
    struct last_known *store = state_file_decode(&file, boot, bytes_of(content, before + size - 1), limit, NOW, NULL);
    if (store) {
        must_be_stable(store, arena);
        must_go_on(store);
        must_be_stable(store, arena);
    }
    last_known_free(store);
    free(content);
}
