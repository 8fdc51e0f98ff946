#include "tests/unit/node/journal/cut_off.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static enum cut_off kind;
static unsigned chosen;
static unsigned calls;

/* What the disk may not have yet: content, and a name that was given. */
static bool content_waits;
static bool name_waits;

void cut_off_at(enum cut_off what, unsigned call)
{
    kind = what;
    chosen = call;
    calls = 0;
    content_waits = false;
    name_waits = false;
}

void cut_off_end(void)
{
    kind = CUT_OFF_NEVER;
    content_waits = false;
    name_waits = false;
}

unsigned cut_off_calls(void)
{
    return calls;
}

/* A file gets its name only when its content is on the disk, and the name before it. If not, a crash of the node could undo the
   earlier step and keep the later one. Once a call has failed there is no such order. */
static void give_name(void)
{
    if ((content_waits || name_waits) && (kind == CUT_OFF_NEVER || calls < chosen)) {
        abort();
    }
    name_waits = true;
}

/* Counts a call. true: it fails, and errno is set. */
static bool cut(bool needs_room)
{
    calls++;
    if (kind == CUT_OFF_KILL && calls == chosen) {
        raise(SIGKILL);
    }
    if (kind == CUT_OFF_FAIL && calls == chosen) {
        errno = EIO;
        return true;
    }
    if (kind == CUT_OFF_FULL && calls >= chosen && needs_room) {
        errno = ENOSPC;
        return true;
    }
    return false;
}

/* What the linker calls __wrap_NAME stands in for NAME, which is __real_NAME. */
#define STAND_IN(name, needs_room, parameters, arguments)                                                                        \
    int __real_##name parameters;                                                                                                \
    int __wrap_##name parameters;                                                                                                \
    int __wrap_##name parameters                                                                                                 \
    {                                                                                                                            \
        return cut(needs_room) ? -1 : __real_##name arguments;                                                                   \
    }

STAND_IN(unlink, false, (const char *path), (path))
STAND_IN(unlinkat, false, (int folder, const char *path, int flags), (folder, path, flags))
STAND_IN(mkdir, true, (const char *path, mode_t mode), (path, mode))
STAND_IN(rmdir, false, (const char *path), (path))
STAND_IN(fchown, false, (int file, uid_t user, gid_t group), (file, user, group))
STAND_IN(fchmod, false, (int file, mode_t mode), (file, mode))
STAND_IN(chmod, false, (const char *path, mode_t mode), (path, mode))
STAND_IN(futimens, false, (int file, const struct timespec times[2]), (file, times))
STAND_IN(fsetxattr, true, (int file, const char *name, const void *value, size_t size, int flags),
         (file, name, value, size, flags))

/* A folder that is synced needs no more room than it got before. */
static bool is_folder(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Nothing is waited for: a process that is killed loses nothing that it wrote, and a test that waits for a disk takes minutes. */
int __wrap_fsync(int file)
{
    bool folder = is_folder(file);
    if (cut(!folder)) {
        return -1;
    }
    *(folder ? &name_waits : &content_waits) = false;
    return 0;
}

ssize_t __real_write(int file, const void *data, size_t size);
ssize_t __wrap_write(int file, const void *data, size_t size)
{
    content_waits = true;
    return cut(true) ? -1 : __real_write(file, data, size);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
    give_name();
    return cut(true) ? -1 : __real_rename(from, to);
}

int __real_renameat2(int a, const char *from, int b, const char *to, unsigned flags);
int __wrap_renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
    give_name();
    return cut(true) ? -1 : __real_renameat2(a, from, b, to, flags);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return (flags & O_CREAT) != 0 && cut(true) ? -1 : __real_open(path, flags, mode);
}
