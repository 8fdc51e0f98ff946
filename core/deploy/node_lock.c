#include "core/deploy/node_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "core/base/descriptor.h"
#include "core/files/node_file.h"

static const char folder[] = "/var/lib/crigate";

int node_lock(struct error *error)
{
    if (!node_file_check_owner(folder, error)) {
        return -1;
    }
    int fd = -1;
    if (mkdir(folder, 0755) == 0 || errno == EEXIST) {
        fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
        return fd;
    }
    if (fd >= 0 && errno == EWOULDBLOCK) {
        error_set(error, STATUS_FAILED_PRECONDITION,
                  "another crigate install, uninstall or bypass is at work: wait for its end (pgrep -a crigate lists it)");
    } else {
        error_set(error, STATUS_UNAVAILABLE, "%s: %s", folder, strerror(errno));
    }
    descriptor_close(&fd);
    return -1;
}
