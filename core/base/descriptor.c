#include "descriptor.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void descriptor_close(int *descriptor)
{
    if (*descriptor >= 0) {
        close(*descriptor);
        *descriptor = -1;
    }
}

bool descriptor_locks(int descriptor, const char *path)
{
    struct stat there, given;
    return fstat(descriptor, &given) == 0 && lstat(path, &there) == 0 && given.st_dev == there.st_dev &&
           given.st_ino == there.st_ino && flock(descriptor, LOCK_EX | LOCK_NB) == 0;
}
