#include <json-c/linkhash.h>

#include "fuzz.h"

#define ARENA_CAP ((size_t)256 * 1024 * 1024)

/* Unless told otherwise, json-c seeds its hashes with random numbers: the same input would take other branches in each run. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_global_set_string_hash(JSON_C_STR_HASH_PERLLIKE);
    struct arena *arena = arena_new(ARENA_CAP);
    must(arena);
    fuzz_try(bytes_of(data, size), arena);
    arena_unref(arena);
    return 0;
}
