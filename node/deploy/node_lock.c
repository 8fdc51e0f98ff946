#include "node/deploy/node_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "base/system/descriptor.h"

static const char path[] = "/run/crigate.lock";

int node_lock(struct error *error)
{
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
        return fd;
    }
    if (fd >= 0 && errno == EWOULDBLOCK) {
        error_set(error, STATUS_FAILED_PRECONDITION,
                  "another crigate install, uninstall or bypass is running; wait until it ends (pgrep -a crigate lists it)");
    } else {
        error_set(error, STATUS_UNAVAILABLE, "%s: %s", path, strerror(errno));
    }
    descriptor_close(&fd);
    return -1;
}
