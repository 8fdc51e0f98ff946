#include "core/service/process_limits.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "base/log/log.h"
#include "core/transport/fair_reading.h"

/* A caller's connection has C core's descriptor and crigate's. */
#define EACH_CONNECTION 2
/* Reserved: connections to runtimes, two each of a few, the sockets, what they ask and answer, C core's own, files of the map
   and of what was last seen. */
#define RESERVED 48

void descriptors_raise(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max < MOST_DESCRIPTORS ? limit.rlim_max : MOST_DESCRIPTORS;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

size_t descriptors_for_connections(size_t wanted, unsigned parts)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return wanted;
    }
    size_t reserved = limit.rlim_cur > (rlim_t)2 * RESERVED ? RESERVED : (size_t)limit.rlim_cur / 2;
    size_t most = ((size_t)limit.rlim_cur - reserved) / EACH_CONNECTION / parts;
    most = most > 0 ? most : 1;
    if (most < wanted) {
        log_line(
            LOG_SERIOUS,
            "limits.connections: the process may open %zu files, enough for %zu connections; raise LimitNOFILE= of the service",
            (size_t)limit.rlim_cur, most);
        return most;
    }
    return wanted;
}

/* ---- at the start ---- */

/* C core's own, sockets, and files that are read. */
#define FEWEST_FILES 32
/* Address space for the stacks of C core's threads and for the heap. */
#define LEAST_MEMORY ((size_t)64 << 20)

static bool check_files(struct error *error)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= FEWEST_FILES) {
        return true;
    }
    unsigned long long most = limit.rlim_cur;
    limit.rlim_cur = FEWEST_FILES;
    return (limit.rlim_max >= FEWEST_FILES && setrlimit(RLIMIT_NOFILE, &limit) == 0) ||
           error_set(error, STATUS_RESOURCE_EXHAUSTED,
                     "the process may open only %llu files; it needs %d: raise ulimit -n, or LimitNOFILE= of the unit", most,
                     FEWEST_FILES);
}

/* By trying, as there are several limits. */
static bool check_memory(struct error *error)
{
    void *room = mmap(NULL, LEAST_MEMORY, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        return error_set(
            error, STATUS_RESOURCE_EXHAUSTED,
            "the process may use too little memory; it needs %zu MiB more of address space: raise ulimit -v, or LimitAS= "
            "of the unit",
            LEAST_MEMORY >> 20);
    }
    munmap(room, LEAST_MEMORY);
    return true;
}

bool process_limits_check(struct error *error)
{
    return check_files(error) && check_memory(error);
}
