#include "fuzz.h"

#include <json-c/linkhash.h>
#include <string.h>

#define ARENA_CAP ((size_t)256 * 1024 * 1024)

/* Unless told otherwise, json-c seeds its hashes with random numbers: the same input would take other branches in each run. */
struct arena *fuzz_arena(void)
{
    json_global_set_string_hash(JSON_C_STR_HASH_PERLLIKE);
    struct arena *arena = arena_new(ARENA_CAP);
    must(arena);
    return arena;
}

bool fuzz_take_call(struct bytes *input, const struct method **method, enum dialect *dialect)
{
    const uint8_t *end = input->len > 0 ? memchr(input->data, '\n', input->len) : NULL;
    if (!end) {
        return false;
    }
    size_t len = (size_t)(end - input->data);
    *method = method_find(bytes_of(input->data, len), dialect);
    *input = bytes_after(*input, len + 1);
    return *method != NULL;
}

struct bytes fuzz_take_piece(struct bytes *input)
{
    if (input->len < 2) {
        return (struct bytes){0};
    }
    size_t len = (size_t)input->data[0] | (size_t)input->data[1] << 8;
    *input = bytes_after(*input, 2);
    struct bytes piece = bytes_of(input->data, len < input->len ? len : input->len);
    *input = bytes_after(*input, piece.len);
    return piece;
}
