/* Sockets of tests. */
#pragma once

#include <sys/socket.h>

#include "base/system/descriptor.h"
#include "tests/cmocka.h"

/* A socket that listens at the path, where nothing may be; the caller's. */
static inline int listen_at(const char *path)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0 && descriptor_bind(fd, path));
    assert_int_equal(listen(fd, 16), 0);
    return fd;
}
