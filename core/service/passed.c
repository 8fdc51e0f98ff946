#include "core/service/passed.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log/log.h"
#include "base/system/descriptor.h"
#include "base/system/environment.h"

static bool close_on_exec(int fd)
{
    int flags = fcntl(fd, F_GETFD);
    return flags >= 0 && fcntl(fd, F_SETFD, flags | FD_CLOEXEC) == 0;
}

/* Those that the variables count, if they are all there. */
static int counted(void)
{
    uint64_t pid = 0;
    uint64_t count = 0;
    enum environment_number whose = environment_number("LISTEN_PID", 1, INT_MAX, &pid);
    if (whose == ENVIRONMENT_UNSET || (whose == ENVIRONMENT_VALID && pid != (uint64_t)getpid())) {
        return 0;
    }
    if (whose == ENVIRONMENT_INVALID ||
        environment_number("LISTEN_FDS", 1, INT_MAX - PASSED_FIRST, &count) == ENVIRONMENT_INVALID) {
        log_line(LOG_SERIOUS, "ignoring the sockets of the service manager: LISTEN_PID or LISTEN_FDS is not a valid number");
        return 0;
    }
    for (int fd = PASSED_FIRST; fd < PASSED_FIRST + (int)count; fd++) {
        if (!close_on_exec(fd)) {
            log_line(LOG_SERIOUS, "ignoring the sockets of the service manager: LISTEN_FDS is %d, but descriptor %d is not open",
                     (int)count, fd);
            return 0;
        }
    }
    return (int)count;
}

int passed_take(void)
{
    int count = counted();
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    return count;
}

bool passed_has(int passed, const char *path)
{
    int fd = PASSED_FIRST;
    while (fd < PASSED_FIRST + passed && !descriptor_listens(fd, path)) {
        fd++;
    }
    return fd < PASSED_FIRST + passed;
}

void passed_close_others(int passed, const int *kept, size_t kept_count)
{
    for (int fd = PASSED_FIRST; fd < PASSED_FIRST + passed; fd++) {
        size_t i = 0;
        while (i < kept_count && kept[i] != fd) {
            i++;
        }
        if (i == kept_count) {
            close(fd);
        }
    }
}
