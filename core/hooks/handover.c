#include "core/hooks/handover.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/buffer.h"

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

static bool append_store(const struct state_file *place, const struct fact_store *store, struct buffer *buffer)
{
    if (fact_store_count(store, ID_POD) + fact_store_count(store, ID_CONTAINER) == 0) {
        return true;
    }
    struct bytes facts = fact_file_encode(place, (struct bytes){0}, store);
    struct bytes environments = fact_file_environments(store);
    bool good = facts.data && append(buffer, facts) && append(buffer, environments);
    free((void *)(uintptr_t)facts.data);
    free((void *)(uintptr_t)environments.data);
    return good;
}

static bool append_all(const struct hooks *hooks, const struct generation *generation, struct buffer *buffer)
{
    bool good = true;
    for (size_t i = 0; good && i < generation->map->runtime_count; i++) {
        const struct known *known = known_find(&hooks->known, generation->runtimes[i]);
        struct state_file place = known_place(generation->map, generation->runtimes[i]);
        good = !known || append_store(&place, known->store, buffer);
    }
    return good;
}

/* Behind what was written before. */
static bool write_all(struct handover *handover, int memory, struct bytes content)
{
    size_t written = 0;
    while (written < content.len) {
        ssize_t size = pwrite(memory, content.data + written, content.len - written, (off_t)(handover->end + written));
        if (size <= 0) {
            return false;
        }
        written += (size_t)size;
    }
    handover->end += written;
    return true;
}

void handover_give(struct hooks *hooks, const struct generation *generation, int memory)
{
    struct buffer buffer = {0};
    handover_end(hooks);
    if (memory >= 0 && ftruncate(memory, 0) == 0 && append_all(hooks, generation, &buffer) &&
        write_all(&hooks->handover, memory, buffer_bytes(&buffer))) {
        hooks->handover.role = HANDOVER_GIVES;
        hooks->handover.memory = memory;
    }
    buffer_clear(&buffer);
}

/* A store with nothing else. NULL: no memory, or it is not known. */
static struct fact_store *copy_of(const struct fact_store *store, enum id_kind kind, struct bytes id)
{
    struct fact_store *copy = fact_store_new();
    struct known_pod pod;
    struct known_container container;
    bool good =
        copy && (kind == ID_POD ? fact_store_pod(store, id, &pod) && fact_store_put_pod(copy, id, &pod)
                                : fact_store_container(store, id, &container) && fact_store_put_container(copy, id, &container));
    if (!good) {
        fact_store_free(copy);
        return NULL;
    }
    return copy;
}

void handover_note(struct hooks *hooks, const struct runtime_map *map, const struct runtime *runtime, enum id_kind kind,
                   struct bytes id)
{
    const struct known *known = hooks->handover.role == HANDOVER_GIVES ? known_find(&hooks->known, runtime) : NULL;
    struct fact_store *copy = known ? copy_of(known->store, kind, id) : NULL;
    struct state_file place = known_place(map, runtime);
    struct buffer buffer = {0};
    if (copy && append_store(&place, copy, &buffer) &&
        !write_all(&hooks->handover, hooks->handover.memory, buffer_bytes(&buffer))) {
        handover_end(hooks); /* what follows half a part could not be read */
    }
    buffer_clear(&buffer);
    fact_store_free(copy);
}

void handover_end(struct hooks *hooks)
{
    hooks->handover = (struct handover){.memory = -1};
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

/* Whether a runtime's place is not known yet, which may be that of any part. */
static bool lacks_place(const struct generation *generation)
{
    for (size_t i = 0; i < generation->map->runtime_count; i++) {
        if (generation->runtimes[i]->connection.to_docker && !generation->runtimes[i]->connection.docker) {
            return true;
        }
    }
    return false;
}

/* Adds the parts to what is known of the runtime whose they are. false: that cannot be told yet. */
static bool take_runtime(struct hooks *hooks, const struct generation *generation, struct bytes facts, struct bytes environments)
{
    struct fact_store *store = fact_store_new();
    struct error error;
    size_t whole;
    bool taken = false;
    for (size_t i = 0; store && !taken && i < generation->map->runtime_count; i++) {
        struct state_file place = known_place(generation->map, generation->runtimes[i]);
        if (fact_file_decode(&place, (struct bytes){0}, facts, store, &whole, &error)) {
            struct known *known = known_open(&hooks->known, generation->map, generation->runtimes[i], hooks->files);
            fact_file_take_environments(store, environments);
            if (known) {
                known_add(known, store);
            }
            taken = true;
        }
    }
    fact_store_free(store);
    return taken || !lacks_place(generation);
}

/* What was added is not yet whole, perhaps. Returns the length of what was taken. */
static size_t take_all(struct hooks *hooks, const struct generation *generation, struct bytes content)
{
    struct bytes rest = content;
    size_t taken = 0;
    struct bytes facts;
    struct bytes environments;
    while (take_part(&rest, &facts) && take_part(&rest, &environments) && take_runtime(hooks, generation, facts, environments)) {
        taken = content.len - rest.len;
    }
    return taken;
}

void handover_take(struct hooks *hooks, const struct generation *generation, int memory)
{
    if (memory >= 0) {
        hooks->handover = (struct handover){.role = HANDOVER_TAKES, .memory = memory};
        handover_read(hooks, generation);
    }
}

void handover_read(struct hooks *hooks, const struct generation *generation)
{
    struct handover *handover = &hooks->handover;
    struct stat status;
    if (handover->role != HANDOVER_TAKES || fstat(handover->memory, &status) != 0 || status.st_size <= (off_t)handover->end ||
        (uint64_t)status.st_size - handover->end > MOST_BYTES) {
        return;
    }
    size_t room = (size_t)((uint64_t)status.st_size - handover->end);
    uint8_t *content = malloc(room);
    ssize_t size = content ? pread(handover->memory, content, room, (off_t)handover->end) : -1;
    if (size > 0) {
        handover->end += take_all(hooks, generation, bytes_of(content, (size_t)size));
        /* Environments that are in the store now are not kept here as well: no limit counts them. */
        fallocate(handover->memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)handover->end);
    }
    free(content);
}
