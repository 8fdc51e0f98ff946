#include "core/hooks/handover.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buffer.h"

/* More than everything that is known can take. */
#define MOST_BYTES ((size_t)1 << 30)

/* The memory: for each runtime, its facts as their file has them, and its environments; each with its length in front. */
struct part_length {
    uint64_t bytes;
};

/* ---- writing ---- */

static bool append(struct buffer *buffer, struct bytes part)
{
    struct part_length length = {part.len};
    return buffer_append(buffer, bytes_of(&length, sizeof length), MOST_BYTES) && buffer_append(buffer, part, MOST_BYTES);
}

static bool append_runtime(const struct hooks *hooks, const struct runtime_map *map, const struct runtime *runtime,
                           struct bytes boot, struct buffer *buffer)
{
    const struct known *known = known_find(&hooks->known, runtime);
    if (!known) {
        return true;
    }
    struct state_file place = known_place(map, runtime);
    struct bytes facts = fact_file_encode(&place, boot, known->store);
    struct bytes environments = fact_file_environments(known->store);
    bool good = facts.data && append(buffer, facts) && append(buffer, environments);
    free((void *)(uintptr_t)facts.data);
    free((void *)(uintptr_t)environments.data);
    return good;
}

static bool write_all(int memory, struct bytes content)
{
    size_t written = 0;
    if (ftruncate(memory, 0) != 0) {
        return false;
    }
    while (written < content.len) {
        ssize_t size = pwrite(memory, content.data + written, content.len - written, (off_t)written);
        if (size <= 0) {
            return false;
        }
        written += (size_t)size;
    }
    return true;
}

bool handover_write(const struct hooks *hooks, const struct generation *generation, int memory)
{
    struct buffer buffer = {0};
    bool good = memory >= 0;
    for (size_t i = 0; good && i < generation->map->runtime_count; i++) {
        good = append_runtime(hooks, generation->map, generation->runtimes[i], (struct bytes){0}, &buffer);
    }
    good = good && write_all(memory, buffer_bytes(&buffer));
    buffer_clear(&buffer);
    return good;
}

/* ---- reading ---- */

static bool take_part(struct bytes *rest, struct bytes *part)
{
    struct part_length length;
    if (rest->len < sizeof length) {
        return false;
    }
    memcpy(&length, rest->data, sizeof length);
    *rest = bytes_after(*rest, sizeof length);
    if (length.bytes > rest->len) {
        return false;
    }
    *part = bytes_of(rest->data, (size_t)length.bytes);
    *rest = bytes_after(*rest, part->len);
    return true;
}

/* Adds the parts to what is known of the runtime whose they are. */
static void take_runtime(struct hooks *hooks, const struct generation *generation, struct bytes facts, struct bytes environments)
{
    struct fact_store *store = fact_store_new();
    struct error error;
    size_t whole;
    for (size_t i = 0; store && i < generation->map->runtime_count; i++) {
        struct state_file place = known_place(generation->map, generation->runtimes[i]);
        if (fact_file_decode(&place, (struct bytes){0}, facts, store, &whole, &error)) {
            struct known *known = known_open(&hooks->known, generation->map, generation->runtimes[i], hooks->standby);
            fact_file_take_environments(store, environments);
            if (known) {
                known_add(known, store);
            }
            break;
        }
    }
    fact_store_free(store);
}

static void take_all(struct hooks *hooks, const struct generation *generation, struct bytes rest)
{
    struct bytes facts;
    struct bytes environments;
    while (take_part(&rest, &facts) && take_part(&rest, &environments)) {
        take_runtime(hooks, generation, facts, environments);
    }
}

void handover_read(struct hooks *hooks, const struct generation *generation, int memory)
{
    struct stat status;
    if (memory < 0 || fstat(memory, &status) != 0 || status.st_size <= 0 || (size_t)status.st_size > MOST_BYTES) {
        return;
    }
    uint8_t *content = malloc((size_t)status.st_size);
    ssize_t size = content ? pread(memory, content, (size_t)status.st_size, 0) : -1;
    if (size == status.st_size) {
        take_all(hooks, generation, bytes_of(content, (size_t)size));
    }
    free(content);
}
