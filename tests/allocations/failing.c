/* crigate in which one allocation fails: the file that CRIGATE_ALLOCATIONS names, which is mapped, says which, and counts. Linked
   into a program of the tests only, in place of the allocations (the linker's --wrap) of crigate's own code and of the libraries
   that come as archives. C core, libc and what they allocate are not concerned; strdup is not, because json-c
   0.16 crashes where it has no memory for a member's name. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* What the file holds. */
struct counter {
    uint64_t failing; /* the allocation of that number fails; 0: none */
    atomic_uint_least64_t number;
};

static struct counter none, *counter = &none;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("CRIGATE_ALLOCATIONS");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *mapped = file >= 0 ? mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (mapped != MAP_FAILED) {
        counter = mapped;
    }
    if (file >= 0) {
        close(file);
    }
}

/* libyaml's own: an event that it had no memory to keep. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:yaml_parser_load\nleak:yaml_parser_parse\n";
}

static bool has_room(void)
{
    bool room = counter->failing == 0 || atomic_fetch_add(&counter->number, 1) + 1 != counter->failing;
    errno = room ? errno : ENOMEM;
    return room;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return has_room() ? __real_malloc(size) : NULL;
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return has_room() ? __real_calloc(count, size) : NULL;
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
    return has_room() ? __real_realloc(old, size) : NULL;
}

void *__real_open_memstream(char **text, size_t *size);
void *__wrap_open_memstream(char **text, size_t *size)
{
    return has_room() ? __real_open_memstream(text, size) : NULL;
}
