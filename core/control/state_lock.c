#include "core/control/state_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "core/control/protocol.h"

struct lock_path {
    char text[PATH_MAX];
};

static struct lock_path path_of(const char *folder)
{
    struct lock_path path;
    snprintf(path.text, sizeof path.text, "%s/" CONTROL_LOCK_NAME, folder);
    return path;
}

/* "process 4711", by the file's content, which may be anything. */
static const char *owner_of(int lock, char *text, size_t size)
{
    char written[16] = "";
    ssize_t length = pread(lock, written, sizeof written - 1, 0);
    long number = length > 0 ? strtol(written, NULL, 10) : 0;
    if (number > 0) {
        snprintf(text, size, "process %ld", number);
    } else {
        snprintf(text, size, "another process");
    }
    return text;
}

int state_lock_take(const char *folder, struct error *error)
{
    struct lock_path path = path_of(folder);
    char owner[32];
    int lock = open(path.text, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (lock < 0) {
        error_set(error, STATUS_UNAVAILABLE, "cannot open the lock file %s: %s", path.text, strerror(errno));
        return -1;
    }
    if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
        state_lock_write_pid(lock);
        return lock;
    }
    if (errno == EWOULDBLOCK) {
        error_set(error, STATUS_FAILED_PRECONDITION,
                  "%s keeps its state in %s; give each crigate its own folder (`state` in the runtime map), or stop that one",
                  owner_of(lock, owner, sizeof owner), folder);
    } else {
        error_set(error, STATUS_UNAVAILABLE, "cannot lock %s: %s", path.text, strerror(errno));
    }
    close(lock);
    return -1;
}

bool state_lock_adopt(const char *folder, int lock)
{
    return descriptor_locks(lock, path_of(folder).text);
}

/* The id is only for messages, so a failure does not matter. A file with a second name must not be changed: anybody who may write
   to the folder could have put it there. */
void state_lock_write_pid(int lock)
{
    char text[32];
    struct stat status;
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (fstat(lock, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1) {
        return;
    }
    if (ftruncate(lock, 0) != 0 || pwrite(lock, text, (size_t)length, 0) != length) {
        return;
    }
}
