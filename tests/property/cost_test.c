/* What conversions cost: no memory but the call's arena, and work in proportion to the message, whatever it consists of. Work is
   counted, not timed: translate/ is built for this test so that it tells of each basic block that it runs, and what it has the C
   library copy and search is counted by its length. */
#include <stdlib.h>

#include "tests/cmocka.h"
#include "translate/bytes/wire.h"
#include "translate/convert/convert.h"
#include "translate/walk/leniency.h"
#include "trial.h"

#define ARENA_CAP ((size_t)256 * 1024 * 1024)
#define ROOM ((size_t)4 * 1024 * 1024)

/* ---- allocations ---- */

static unsigned long allocations;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/* Of the sanitizers' runtimes; GCC comes without the header that declares it. */
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *memory, size_t size),
                                              void (*freed)(const volatile void *memory));

static void count_allocation(const volatile void *memory, size_t size)
{
    (void)memory;
    (void)size;
    allocations++;
}

static void ignore_free(const volatile void *memory)
{
    (void)memory;
}

static void watch_allocations(void)
{
    assert_int_not_equal(__sanitizer_install_malloc_and_free_hooks(count_allocation, ignore_free), 0);
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    allocations++;
    return __libc_realloc(memory, size);
}

static void watch_allocations(void)
{
}
#endif

/* So that the arena has no need to ask for more. */
static void make_room(struct arena *arena)
{
    void *room = arena_alloc(arena, ROOM);
    assert_non_null(room);
    arena_trim(arena, room, ROOM, 0);
}

static void check_allocations(struct trial *trial)
{
    struct bytes message = trial_message(trial);
    if (random_below(&trial->random, 4) == 0) {
        message = random_damage(&trial->random, message, trial->arena);
    }
    struct conversion conversion = {.method = trial->method,
                                    .from = trial->from,
                                    .to = trial->to,
                                    .arena = trial->arena,
                                    .names = random_below(&trial->random, 2) ? &trial_marking_names : NULL,
                                    .merged = random_below(&trial->random, 2),
                                    .abilities = random_below(&trial->random, 2) ? &trial_ignoring : NULL};
    struct bytes out;
    struct error error = {0};
    make_room(trial->arena);
    unsigned long before = allocations;
    (trial->request ? convert_request : convert_response)(&conversion, message, &out, &error);
    if (allocations != before) {
        trial_fail(trial, "%lu allocations outside of the arena", allocations - before);
    }
}

TEST(nothing_is_allocated_outside_of_the_arena)
{
    watch_allocations();
    unsigned long before = allocations;
    struct arena *arena = arena_new(ARENA_CAP);
    arena_unref(arena);
    assert_int_equal(allocations, before + 1); /* so they are counted */
    trial_for_each(40, check_allocations);
}

/* ---- work ---- */

static uint64_t work;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
    work++;
}

#define BYTES_A_BLOCK 16

void *__real_memcpy(void *to, const void *from, size_t size);
void *__real_memmove(void *to, const void *from, size_t size);
void *__real_memchr(const void *at, int byte, size_t size);

void *__wrap_memcpy(void *to, const void *from, size_t size)
{
    work += size / BYTES_A_BLOCK;
    return __real_memcpy(to, from, size);
}

void *__wrap_memmove(void *to, const void *from, size_t size)
{
    work += size / BYTES_A_BLOCK;
    return __real_memmove(to, from, size);
}

void *__wrap_memchr(const void *at, int byte, size_t size)
{
    work += size / BYTES_A_BLOCK;
    return __real_memchr(at, byte, size);
}

#define MOST_DEPTH 4
#define MOST_UNIT 160
#define MOST_PARTS 3

/* A message that grows. */
struct shape {
    const char *what;
    const char *method;
    bool request;
    enum dialect from, to;
    const struct names *names;
    bool lenient;
    bool ignoring; /* the runtime ignores all that any runtime ignores */
    bool merged;
    bool refused;
    uint32_t path[MOST_DEPTH]; /* the sub-message that it all happens in */
    struct part {
        size_t size;
        uint8_t unit[MOST_UNIT];
    } parts[MOST_PARTS];
    unsigned once; /* bit 1 << i: parts[i] is there once; otherwise as often as is said, in a row */
};

static bool disown(void *state, enum name_kind kind, bool carried, struct bytes name, struct arena *arena,
                   struct mapped_name *mapped, struct error *error)
{
    (void)kind;
    (void)carried;
    (void)name;
    (void)arena;
    (void)mapped;
    return error_set(error, STATUS_ABORTED, "another's");
}

static const struct names disowning_names = {.kinds = ~0U, .map = disown};

#define REQUEST(method_name, from_dialect, to_dialect)                                                                           \
    .method = method_name, .request = true, .from = DIALECT_##from_dialect, .to = DIALECT_##to_dialect
#define RESPONSE(method_name, from_dialect, to_dialect)                                                                          \
    .method = method_name, .from = DIALECT_##from_dialect, .to = DIALECT_##to_dialect
/* An entry of annotations that names a CDI device. */
#define DEVICE_ANNOTATION(device) 0x52, 17, 0x0A, 12, 'c', 'd', 'i', '.', 'k', '8', 's', '.', 'i', 'o', '/', 'x', 0x12, 1, device
/* An id of 120 bytes: with a mark in front, the length of its message takes one byte more. */
#define LONG_ID 0x0A, 120, [123] = 'x'

/* clang-format off */
static const struct shape shapes[] = {
    {.what = "empty labels", REQUEST("RunPodSandbox", V1, V1_9), .path = {1}, .parts = {{2, {0x32, 0}}}},
    {.what = "mounts", REQUEST("CreateContainer", V1, V1), .path = {2}, .parts = {{5, {0x3A, 3, 0x0A, 1, 'a'}}}},
    {.what = "mounts that are let through", REQUEST("CreateContainer", V1, V1ALPHA2), .lenient = true, .path = {2},
     .parts = {{4, {0x3A, 2, 0x40, 1}}}},
    {.what = "environment", REQUEST("CreateContainer", V1_9, V1), .path = {2}, .parts = {{8, {0x32, 6, 0x0A, 1, 'a', 0x12, 1, 'b'}}}},
    {.what = "devices that annotations name", REQUEST("CreateContainer", V1, V1ALPHA2), .path = {2},
     .parts = {{6, {0x8A, 0x01, 3, 0x0A, 1, 'd'}}, {19, {DEVICE_ANNOTATION('e')}}, {19, {DEVICE_ANNOTATION('d')}}}, .once = 1U << 2},
    {.what = "packed groups", REQUEST("CreateContainer", V1, V1_12), .path = {2, 15, 2, 8}, .parts = {{2, {0x81, 0x01}}}},
    {.what = "settings that the runtime ignores", REQUEST("UpdateContainerResources", V1, V1), .ignoring = true, .path = {2},
     .parts = {{8, {0x4A, 6, 0x0A, 1, 'k', 0x12, 1, 'v'}}}},
    {.what = "one limit that the runtime ignores, again and again", REQUEST("UpdateContainerResources", V1, V1), .ignoring = true,
     .path = {2}, .parts = {{2, {0x50, 1}}}},
    {.what = "mounts of a runtime that ignores options", REQUEST("CreateContainer", V1, V1), .lenient = true, .ignoring = true,
     .path = {2}, .parts = {{4, {0x3A, 2, 0x40, 1}}}},
    {.what = "unknown fields", RESPONSE("ListContainers", V1, V1_9), .path = {1}, .parts = {{3, {0xA0, 0x06, 1}}}},
    {.what = "unknown fields in labels", RESPONSE("ListPodSandbox", V1, V1_9), .path = {1}, .parts = {{5, {0x32, 3, 0xA0, 0x06, 1}}}},
    {.what = "items that pass", RESPONSE("ListPodSandbox", V1, V1_9), .parts = {{5, {0x0A, 3, 0x0A, 1, 'p'}}}},
    {.what = "items that grow", RESPONSE("ListPodSandbox", V1, V1_9), .names = &trial_marking_names,
     .parts = {{124, {0x0A, 122, LONG_ID}}}},
    {.what = "items that are disowned", RESPONSE("ListContainers", V1, V1), .names = &disowning_names,
     .parts = {{5, {0x0A, 3, 0x0A, 1, 'c'}}}},
    {.what = "items without text", RESPONSE("ListContainers", V1, V1), .merged = true, .parts = {{5, {0x0A, 3, 0x0A, 1, 0xFF}}}},
    {.what = "labels of other text than ASCII", RESPONSE("ListContainers", V1, V1), .merged = true, .path = {1},
     .parts = {{9, {0x42, 7, 0x0A, 1, 'k', 0x12, 2, 0xC3, 0xA4}}}},
    {.what = "labels in ASCII that must be text", RESPONSE("ListContainers", V1, V1), .merged = true, .path = {1},
     .parts = {{8, {0x42, 6, 0x0A, 1, 'k', 0x12, 1, 'v'}}}},
    {.what = "references that are carried", RESPONSE("ListContainers", V1, V1_9), .parts = {{5, {0x0A, 3, 0x2A, 1, 'i'}}}},
    {.what = "one reference, again and again", RESPONSE("ListContainers", V1, V1_9), .path = {1}, .parts = {{3, {0x2A, 1, 'i'}}}},
    {.what = "a mistake at the end", RESPONSE("ListContainers", V1, V1_9), .path = {1},
     .parts = {{8, {0x42, 6, 0x0A, 1, 'k', 0x12, 1, 'v'}}, {3, {0x42, 1, 0x0B}}}, .once = 1U << 1, .refused = true},
};
/* clang-format on */

/* A length-delimited field around the bytes. */
static struct bytes wrap(uint32_t number, struct bytes payload, struct arena *arena)
{
    uint8_t *data = arena_alloc(arena, (size_t)2 * WIRE_MAX_VARINT + payload.len);
    assert_non_null(data);
    size_t head = wire_put_varint(data, (uint64_t)number << 3 | WIRE_LENGTH);
    head += wire_put_varint(data + head, payload.len);
    memcpy(data + head, payload.data, payload.len);
    return bytes_of(data, head + payload.len);
}

static struct bytes make_message(const struct shape *shape, size_t count, struct arena *arena)
{
    uint8_t *data = arena_alloc(arena, MOST_PARTS * MOST_UNIT * count);
    assert_non_null(data);
    size_t len = 0;
    for (size_t i = 0; i < MOST_PARTS; i++) {
        const struct part *part = &shape->parts[i];
        for (size_t j = 0; j < (shape->once >> i & 1U ? 1 : count); j++) {
            memcpy(data + len, part->unit, part->size);
            len += part->size;
        }
    }
    struct bytes message = bytes_of(data, len);
    for (size_t depth = MOST_DEPTH; depth > 0; depth--) {
        message = shape->path[depth - 1] ? wrap(shape->path[depth - 1], message, arena) : message;
    }
    return message;
}

static const struct method *find_method(const char *name)
{
    for (uint16_t i = 0; i < method_count; i++) {
        if (strcmp(methods[i].name, name) == 0) {
            return &methods[i];
        }
    }
    fail_msg("no RPC %s", name);
    return NULL;
}

static uint64_t work_of(const struct shape *shape, size_t count)
{
    struct arena *arena = arena_new(ARENA_CAP);
    assert_non_null(arena);
    struct bytes message = make_message(shape, count, arena), out;
    const struct leniency leniency = {.all = shape->lenient};
    struct conversion conversion = {.method = find_method(shape->method),
                                    .from = shape->from,
                                    .to = shape->to,
                                    .arena = arena,
                                    .names = shape->names,
                                    .merged = shape->merged,
                                    .leniency = &leniency,
                                    .abilities = shape->ignoring ? &trial_ignoring : NULL};
    struct error error = {0};
    uint64_t before = work;
    bool done = (shape->request ? convert_request : convert_response)(&conversion, message, &out, &error);
    uint64_t taken = work - before;
    if (done == shape->refused) {
        fail_msg("%s: %s", shape->what, done ? "taken" : error.message);
    }
    arena_unref(arena);
    return taken;
}

/* Twice the message may take a little more than twice the work: what is sorted, and lengths that take one byte more. */
TEST(work_grows_as_the_message_grows)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        uint64_t taken = work_of(&shapes[i], 4000);
        for (size_t count = 8000; count <= 32000; count *= 2) {
            uint64_t more = work_of(&shapes[i], count);
            print_message("%s: %zu units, %llu blocks\n", shapes[i].what, count, (unsigned long long)more);
            assert_true(more > count / 2);
            assert_true(more < taken * 9 / 4);
            taken = more;
        }
    }
}
