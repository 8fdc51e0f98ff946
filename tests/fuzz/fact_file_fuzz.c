/* Files of facts: whatever a file holds, it is not believed and the store is empty, or it is a store that is written and read
   back as the same. The checksums of records are made to fit, or nothing behind them would ever be reached. The first byte
   chooses: 1: the rest are pieces that become records; else it is the file itself; 2: behind a header that fits. */
#include <stdlib.h>
#include <string.h>

#include "core/store/encoding.h"
#include "core/store/fact_file.h"
#include "tests/fuzz/fuzz.h"

#define VERSION 1

static const struct state_file place = {.folder = "/nonexistent", .name = "n", .endpoint = "e"};
static const struct bytes boot = {(const uint8_t *)"b", 1};

static void put_header(struct encoder *encoder)
{
    encoder_put_raw(encoder, bytes_of_string("CRIfacts"));
    encoder_put_number(encoder, VERSION, 4);
    encoder_put_owner(encoder, &place, boot);
}

static void put_record(struct encoder *encoder, struct bytes content)
{
    uint8_t length[4] = {(uint8_t)content.len, (uint8_t)(content.len >> 8)};
    encoder_put_raw(encoder, bytes_of(length, sizeof length));
    encoder_put_number(encoder, encoded_checksum(VERSION, bytes_of(length, sizeof length)), 4);
    encoder_put_number(encoder, encoded_checksum(VERSION, content), 8);
    encoder_put_raw(encoder, content);
}

struct comparison {
    const struct fact_store *a;
    const struct fact_store *b;
};

static void must_equal_pod(void *state, struct bytes id)
{
    const struct comparison *stores = state;
    struct known_pod a;
    struct known_pod b;
    must(fact_store_pod(stores->a, id, &a) && fact_store_pod(stores->b, id, &b));
    must(bytes_equal(a.handler, b.handler) && bytes_equal(a.facts, b.facts));
    must(a.parent_changed == b.parent_changed && a.stopped == b.stopped);
}

static void must_equal_container(void *state, struct bytes id)
{
    const struct comparison *stores = state;
    struct known_container a;
    struct known_container b;
    must(fact_store_container(stores->a, id, &a) && fact_store_container(stores->b, id, &b));
    must(bytes_equal(a.pod_id, b.pod_id) && bytes_equal(a.facts, b.facts) && a.stopped == b.stopped);
}

static void must_equal(const struct fact_store *a, const struct fact_store *b)
{
    struct comparison stores = {a, b};
    fact_store_each(a, ID_POD, must_equal_pod, &stores);
    fact_store_each(a, ID_CONTAINER, must_equal_container, &stores);
    must(fact_store_count(a, ID_POD) == fact_store_count(b, ID_POD));
    must(fact_store_count(a, ID_CONTAINER) == fact_store_count(b, ID_CONTAINER));
    must(fact_store_changed_parents(a) == fact_store_changed_parents(b));
    must(fact_store_text_memory(a) == fact_store_text_memory(b));
}

static void must_be_stable(const struct fact_store *store)
{
    struct bytes content = fact_file_encode(&place, boot, store);
    struct fact_store *again = fact_store_new();
    size_t whole = 0;
    must(content.data && again);
    must(fact_file_decode(&place, boot, content, again, &whole, NULL) && whole == content.len);
    must_equal(store, again);
    free((void *)(uintptr_t)content.data);
    fact_store_free(again);
}

/* Environments, too, come from outside. */
static void must_take(struct fact_store *store, struct bytes environments)
{
    fact_file_take_environments(store, environments);
    struct bytes bytes = fact_file_environments(store);
    size_t memory = fact_store_environment_memory(store);
    must(fact_store_forget_environments(store) == memory && fact_store_environment_memory(store) == 0);
    fact_file_take_environments(store, bytes);
    must(fact_store_environment_memory(store) == memory);
    free((void *)(uintptr_t)bytes.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct bytes input = bytes_of(data + 1, size - 1);
    /* A piece of an input has two bytes of length, a record's head has 16. */
    struct encoder encoder = {.data = malloc(64 + size * 9)};
    struct fact_store *store = fact_store_new();
    must(encoder.data && store);
    if (data[0] & 3) {
        put_header(&encoder);
    }
    while (data[0] & 1 && input.len >= 2) {
        put_record(&encoder, fuzz_take_piece(&input));
    }
    encoder_put_raw(&encoder, input);
    size_t whole = 0;
    if (fact_file_decode(&place, boot, bytes_of(encoder.data, encoder.len), store, &whole, NULL)) {
        must(whole <= encoder.len);
        must_be_stable(store);
        must_take(store, bytes_of(data + 1, size - 1));
        must_be_stable(store);
    }
    must(fact_store_count(store, ID_POD) + fact_store_count(store, ID_CONTAINER) == 0 || whole > 0);
    free(encoder.data);
    fact_store_free(store);
    return 0;
}
