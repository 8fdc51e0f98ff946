/* Talks to a control socket as a test wants it: lines from standard input go there, and what comes back is printed with the
 * number of descriptors that came along: "{...} descriptors=2". "closed" when the other side hangs up, which ends the program; so
 * does the end of standard input.
 *
 * usage: control_talk SOCKET */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* false: the other side has hung up. Descriptors stay open until the program ends. */
static bool print_answer(int socket)
{
    static char line[65536];
    size_t size = 0, descriptors = 0;
    while (size == 0 || line[size - 1] != '\n') {
        _Alignas(struct cmsghdr) char room[CMSG_SPACE(8 * sizeof(int))];
        struct iovec piece = {.iov_base = line + size, .iov_len = sizeof line - 1 - size};
        struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
        ssize_t got = recvmsg(socket, &message, 0);
        if (got <= 0) {
            puts("closed");
            return false;
        }
        for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
            descriptors += (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        }
        size += (size_t)got;
    }
    printf("%.*s descriptors=%zu\n", (int)(size - 1), line, descriptors);
    return true;
}

static bool pass_line_on(int socket)
{
    char line[8192];
    ssize_t size = read(STDIN_FILENO, line, sizeof line);
    return size > 0 && send(socket, line, (size_t)size, MSG_NOSIGNAL) >= 0;
}

int main(int argc, char **argv)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (argc != 2 || strlen(argv[1]) >= sizeof address.sun_path) {
        fprintf(stderr, "usage: control_talk SOCKET\n");
        return 64;
    }
    memcpy(address.sun_path, argv[1], strlen(argv[1]));
    if (connect(fd, (const struct sockaddr *)(const void *)&address, sizeof address) != 0) {
        perror(argv[1]);
        return 1;
    }
    setlinebuf(stdout);
    struct pollfd waits[] = {{.fd = fd, .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
    bool going = true;
    while (going && poll(waits, 2, -1) > 0) {
        going = (waits[0].revents == 0 || print_answer(fd)) && (waits[1].revents == 0 || pass_line_on(fd));
    }
    return 0;
}
