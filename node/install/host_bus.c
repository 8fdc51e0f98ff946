#include "node/install/host_bus.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "base/system/unix_socket.h"
#include "node/files/system_error.h"

/* Where systemd listens for root, and where the child listens, hidden from the node. */
#define MANAGER "/run/systemd/private"
#define HIDDEN_FOLDER "/tmp"
#define HIDDEN HIDDEN_FOLDER "/manager"

#define WAITING 16

/* ---- the child ---- */

/* Passes on what is there. false: the end. */
static bool pass(int from, int to)
{
    char buffer[65536];
    ssize_t count = recv(from, buffer, sizeof buffer, 0);
    if (count <= 0) {
        return count < 0 && (errno == EINTR || errno == EAGAIN);
    }
    for (ssize_t sent = 0; sent < count;) {
        ssize_t more = send(to, buffer + sent, (size_t)(count - sent), MSG_NOSIGNAL);
        if (more < 0 && errno != EINTR) {
            return false;
        }
        sent += more > 0 ? more : 0;
    }
    return true;
}

/* Relays between a caller and systemd, until one of them hangs up. */
static void relay(int caller, int manager)
{
    for (;;) {
        struct pollfd open[2] = {{.fd = caller, .events = POLLIN}, {.fd = manager, .events = POLLIN}};
        if (poll(open, 2, -1) < 0 && errno != EINTR) {
            return;
        }
        if ((open[0].revents && !pass(caller, manager)) || (open[1].revents && !pass(manager, caller))) {
            return;
        }
    }
}

/* By the open file, since the path leads to the child. */
static int connect_manager(int manager)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", manager);
    return unix_socket_connect(path, 0);
}

/* After a failure, which would recur at once. */
#define RETRY_MS 100

/* A process for each caller. */
__attribute__((noreturn)) static void serve(int listening, int manager)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int caller = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
        if (caller < 0) {
            poll(NULL, 0, RETRY_MS); /* descriptors or memory may be running out */
        } else if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            int connected = connect_manager(manager);
            if (connected >= 0) {
                relay(caller, connected);
            }
            _exit(0);
        }
        descriptor_close(&caller);
    }
}

/* ---- its place ---- */

/* A mount namespace in which nothing that is mounted can be seen on the node. */
static bool hide(struct error *error)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) {
        return system_error(error, "copy the mount namespace of", "the host");
    }
    return mount("tmpfs", HIDDEN_FOLDER, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=700") == 0 ||
           system_error(error, "mount a file system of our own at", HIDDEN_FOLDER);
}

static bool listen_in_its_place(int listening, struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = HIDDEN};
    if (bind(listening, (const struct sockaddr *)&address, sizeof address) != 0 || listen(listening, WAITING) != 0) {
        return system_error(error, "listen at", HIDDEN);
    }
    return mount(HIDDEN, MANAGER, NULL, MS_BIND, NULL) == 0 || system_error(error, "mount a socket over", MANAGER);
}

bool host_bus_open(struct error *error)
{
    DESCRIPTOR_CLEANUP int manager = open(MANAGER, O_PATH | O_CLOEXEC);
    if (manager < 0) {
        return system_error(error, "open", MANAGER);
    }
    DESCRIPTOR_CLEANUP int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listening < 0) {
        return system_error(error, "create a socket for", MANAGER);
    }
    if (!hide(error) || !listen_in_its_place(listening, error)) {
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        serve(listening, manager);
    }
    return child > 0 || system_error(error, "create a process for", MANAGER);
}
