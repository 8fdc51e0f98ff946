/* Addresses and paths of Unix sockets. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/unix_socket.h"
#include "tests/cmocka.h"

TEST(only_the_scheme_is_taken_off)
{
    static const char bare[] = "/run/x.sock", other[] = "unix:/run/x.sock";
    assert_string_equal(unix_socket_path("unix:///run/x.sock"), "/run/x.sock");
    assert_string_equal(unix_socket_path("unix://x.sock"), "x.sock");
    assert_ptr_equal(unix_socket_path(bare), bare);
    assert_ptr_equal(unix_socket_path(other), other);
}

TEST(a_path_fits_with_its_nul_or_not_at_all)
{
    struct sockaddr_un address;
    char path[sizeof address.sun_path + 1];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    errno = 0;
    assert_false(unix_socket_address(path, &address));
    assert_int_equal(errno, ENAMETOOLONG);
    errno = 0;
    assert_int_equal(unix_socket_connect(path, 0), -1);
    assert_int_equal(errno, ENAMETOOLONG);
    path[sizeof path - 2] = '\0';
    assert_true(unix_socket_address(path, &address));
    assert_string_equal(address.sun_path, path);
    assert_int_equal(address.sun_family, AF_UNIX);
}

TEST(a_connection_says_why_there_is_none)
{
    char folder[] = "/tmp/unix_socket_test.XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/socket", folder);
    assert_int_equal(unix_socket_connect(path, 0), -1);
    assert_int_equal(errno, ENOENT);

    struct sockaddr_un address;
    int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(unix_socket_address(path, &address));
    assert_int_equal(bind(listening, (const struct sockaddr *)(const void *)&address, sizeof address), 0);
    assert_int_equal(unix_socket_connect(path, 0), -1);
    assert_int_equal(errno, ECONNREFUSED);

    assert_int_equal(listen(listening, 0), 0);
    int connection = unix_socket_connect(path, SOCK_NONBLOCK);
    assert_true(connection >= 0);
    assert_int_equal(fcntl(connection, F_GETFD), FD_CLOEXEC);
    assert_true(fcntl(connection, F_GETFL) & O_NONBLOCK);
    assert_int_equal(unix_socket_connect(path, SOCK_NONBLOCK), -1);
    assert_int_equal(errno, EAGAIN);
    close(connection);
    close(listening);
    unlink(path);
    rmdir(folder);
}
