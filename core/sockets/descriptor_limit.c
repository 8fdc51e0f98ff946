#include "core/sockets/descriptor_limit.h"

#include <sys/resource.h>

#include "core/base/log.h"
#include "core/transport/fair_reading.h"

/* Reserved: connections to runtimes, two each of a few, the sockets, what they ask and answer, C core's own, files of the map
   and of what was last seen. */
#define RESERVED 48

void descriptors_raise(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max < FAIR_READING_DESCRIPTORS ? limit.rlim_max : FAIR_READING_DESCRIPTORS;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

size_t descriptors_for_connections(size_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return wanted;
    }
    size_t reserved = limit.rlim_cur > (rlim_t)2 * RESERVED ? RESERVED : (size_t)limit.rlim_cur / 2;
    size_t most = (size_t)limit.rlim_cur - reserved;
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
