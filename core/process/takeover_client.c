#include "core/process/takeover_client.h"

#include <errno.h>
#include <json-c/json.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/process/takeover_server.h"
#include "core/sockets/control.h"
#include "core/transport/peer.h"

/* For the descriptors: the other process writes its state first. */
#define ASK_SECONDS 15
/* For its last word; longer than it waits for ours. */
#define CONFIRM_MS 10000
/* For it to be gone when it hung up without a word. */
#define DEATH_MS 1000

#define ANSWER_SIZE 2048

struct takeover {
    int connection;
    int state_lock; /* as it was handed over; -1: it was not, or has been taken */
    int process;    /* a pidfd of the running one; -1: it cannot be told whether it lives */
    uint64_t watchdog;
    struct watch watch;
    struct poll_thread *poll_thread; /* while its last word is waited for, or its silence */
    void (*ended)(void *state, const struct error *error);
    void (*quiet)(void *state);
    void *state;
};

static bool fail(struct error *error, const char *what)
{
    return error_set(error, STATUS_UNAVAILABLE, "the running crigate %s: %s", what, strerror(errno));
}

/* ---- connecting ---- */

static bool connect_to(struct takeover *takeover, const char *folder, struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (snprintf(address.sun_path, sizeof address.sun_path, "%s/" CONTROL_SOCKET_NAME, folder) >= (int)sizeof address.sun_path) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "the name %s/" CONTROL_SOCKET_NAME " is too long for a socket", folder);
    }
    struct timeval patience = {.tv_sec = ASK_SECONDS};
    takeover->connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (takeover->connection < 0 || setsockopt(takeover->connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0 ||
        setsockopt(takeover->connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0 ||
        connect(takeover->connection, (const struct sockaddr *)(const void *)&address, sizeof address) != 0) {
        return error_set(error, STATUS_UNAVAILABLE, "no crigate is listening at %s: %s", address.sun_path, strerror(errno));
    }
    struct peer peer;
    if (!peer_of(takeover->connection, &peer) || !peer_is_owner(&peer)) {
        return error_set(error, STATUS_PERMISSION_DENIED, "the process that listens at %s belongs to another user",
                         address.sun_path);
    }
    takeover->process = peer.pid > 0 ? pidfd_open(peer.pid, 0) : -1;
    return true;
}

struct takeover *takeover_connect(const char *folder, struct error *error)
{
    struct takeover *takeover = malloc(sizeof *takeover);
    if (!takeover) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    *takeover = (struct takeover){.connection = -1, .state_lock = -1, .process = -1};
    if (connect_to(takeover, folder, error)) {
        return takeover;
    }
    takeover_close(takeover);
    return NULL;
}

/* ---- asking ---- */

static bool say(const struct takeover *takeover, const char *line, struct error *error)
{
    size_t size = strlen(line);
    ssize_t sent = send(takeover->connection, line, size, MSG_NOSIGNAL);
    return sent == (ssize_t)size || fail(error, "cannot be asked");
}

/* What came: a line, and descriptors, of which there are never more than fit. */
struct handed {
    char line[ANSWER_SIZE];
    int descriptors[CONTROL_DESCRIPTORS];
    size_t count;
};

static void keep_descriptors(struct handed *handed, struct msghdr *message)
{
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + i * sizeof descriptor, sizeof descriptor);
            if (handed->count < CONTROL_DESCRIPTORS) {
                handed->descriptors[handed->count++] = descriptor;
            } else {
                close(descriptor);
            }
        }
    }
}

static void drop_descriptors(struct handed *handed)
{
    while (handed->count > 0) {
        close(handed->descriptors[--handed->count]);
    }
}

/* Reads up to the end of a line. The descriptors come with its first byte. */
static bool hear(const struct takeover *takeover, struct handed *handed, struct error *error)
{
    size_t size = 0;
    *handed = (struct handed){.count = 0};
    while (!memchr(handed->line, '\n', size)) {
        _Alignas(struct cmsghdr) char room[CMSG_SPACE(CONTROL_DESCRIPTORS * sizeof(int))];
        struct iovec piece = {.iov_base = handed->line + size, .iov_len = sizeof handed->line - 1 - size};
        struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
        ssize_t got = recvmsg(takeover->connection, &message, MSG_CMSG_CLOEXEC);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return fail(error, "does not answer");
        }
        keep_descriptors(handed, &message);
        if (got == 0) {
            return error_set(error, STATUS_UNAVAILABLE, "the running crigate closed the connection");
        }
        size += (size_t)got;
    }
    return true;
}

static const char *text_member(struct json_object *object, const char *name)
{
    struct json_object *member;
    return json_object_object_get_ex(object, name, &member) ? json_object_get_string(member) : NULL;
}

static bool flag_member(struct json_object *object, const char *name)
{
    struct json_object *member;
    return json_object_object_get_ex(object, name, &member) && json_object_get_boolean(member);
}

static uint64_t number_member(struct json_object *object, const char *name)
{
    struct json_object *member;
    int64_t number = json_object_object_get_ex(object, name, &member) ? json_object_get_int64(member) : 0;
    return number > 0 ? (uint64_t)number : 0;
}

/* The socket and its lock, and the lock of the state folder, which a crigate that knows of none does not have. */
#define FEWEST_DESCRIPTORS 2

static struct listener *take(struct takeover *takeover, const struct runtime_map *map, struct handed *handed,
                             struct json_object *answer, struct error *error)
{
    const char *refusal = text_member(answer, "error");
    if (refusal) {
        error_set(error, STATUS_FAILED_PRECONDITION, "%s", refusal);
        return NULL;
    }
    if (handed->count < FEWEST_DESCRIPTORS) {
        error_set(error, STATUS_INTERNAL, "the running crigate answered without its socket: %.200s", handed->line);
        return NULL;
    }
    takeover->state_lock = handed->count > FEWEST_DESCRIPTORS ? handed->descriptors[FEWEST_DESCRIPTORS] : -1;
    handed->count = 0; /* that is ours, and the others are the listener's from now on */
    return listener_adopt(map, handed->descriptors[0], handed->descriptors[1], flag_member(answer, "activated"), error);
}

struct listener *takeover_ask(struct takeover *takeover, const struct runtime_map *map, struct error *error)
{
    char line[CONTROL_LINE_SIZE];
    struct handed handed = {.count = 0};
    struct listener *listener = NULL;
    snprintf(line, sizeof line, "takeover %d %s\n", TAKEOVER_VERSION, map->listen.path);
    if (say(takeover, line, error) && hear(takeover, &handed, error)) {
        struct json_object *answer = json_tokener_parse(handed.line);
        listener = take(takeover, map, &handed, answer, error);
        takeover->watchdog = number_member(answer, "watchdog");
        json_object_put(answer);
    }
    drop_descriptors(&handed);
    return listener;
}

int takeover_take_state_lock(struct takeover *takeover)
{
    int lock = takeover->state_lock;
    takeover->state_lock = -1;
    return lock;
}

uint64_t takeover_watchdog(const struct takeover *takeover)
{
    return takeover->watchdog;
}

/* ---- confirming ---- */

/* Without a last word it is either dead, and this process the only owner, or it lives and goes on serving. */
static bool has_died(const struct takeover *takeover)
{
    struct pollfd wait = {.fd = takeover->process, .events = POLLIN};
    return takeover->process >= 0 && poll(&wait, 1, DEATH_MS) == 1;
}

static bool is_ours(struct takeover *takeover, short happened, struct error *error)
{
    struct handed handed = {.count = 0};
    if (happened == 0) {
        error_set(error, STATUS_DEADLINE_EXCEEDED, "the running crigate does not answer");
    } else if (hear(takeover, &handed, error)) {
        struct json_object *answer = json_tokener_parse(handed.line);
        const char *refusal = text_member(answer, "error");
        bool leaving = flag_member(answer, "leaving");
        error_set(error, STATUS_FAILED_PRECONDITION, "the running crigate keeps serving: %s", refusal ? refusal : handed.line);
        json_object_put(answer);
        drop_descriptors(&handed);
        return leaving;
    }
    drop_descriptors(&handed);
    return has_died(takeover);
}

static void on_last_word(struct watch *watch, short happened)
{
    struct takeover *takeover = watch_owner(watch, struct takeover, watch);
    struct error error = {0};
    poll_thread_remove(takeover->poll_thread, watch);
    takeover->poll_thread = NULL;
    bool ours = is_ours(takeover, happened, &error);
    takeover->ended(takeover->state, ours ? NULL : &error);
}

void takeover_confirm(struct takeover *takeover, struct poll_thread *poll_thread,
                      void (*ended)(void *state, const struct error *error), void *state)
{
    takeover->ended = ended;
    takeover->state = state;
    takeover->poll_thread = poll_thread;
    takeover->watch = (struct watch){.fd = takeover->connection, .events = POLLIN, .run = on_last_word};
    watch_arm(&takeover->watch, CONFIRM_MS);
    poll_thread_add(poll_thread, &takeover->watch);
    struct error error;
    say(takeover, "serving\n", &error); /* when it cannot be said, there will be no answer either */
}

/* ---- afterwards ---- */

/* It hangs up when it is quiet. Nothing that it might still say is of interest. */
static void on_hung_up(struct watch *watch, short happened)
{
    (void)happened;
    struct takeover *takeover = watch_owner(watch, struct takeover, watch);
    char text[ANSWER_SIZE];
    ssize_t size = recv(takeover->connection, text, sizeof text, MSG_DONTWAIT);
    if (size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR))) {
        return;
    }
    poll_thread_remove(takeover->poll_thread, watch);
    takeover->poll_thread = NULL;
    takeover->quiet(takeover->state);
}

void takeover_wait(struct takeover *takeover, struct poll_thread *poll_thread, void (*quiet)(void *state), void *state)
{
    takeover->quiet = quiet;
    takeover->state = state;
    takeover->poll_thread = poll_thread;
    takeover->watch = (struct watch){.fd = takeover->connection, .events = POLLIN, .run = on_hung_up};
    poll_thread_add(poll_thread, &takeover->watch);
}

void takeover_close(struct takeover *takeover)
{
    if (!takeover) {
        return;
    }
    if (takeover->poll_thread) {
        poll_thread_remove(takeover->poll_thread, &takeover->watch);
    }
    if (takeover->connection >= 0) {
        close(takeover->connection);
    }
    if (takeover->state_lock >= 0) {
        close(takeover->state_lock);
    }
    if (takeover->process >= 0) {
        close(takeover->process);
    }
    free(takeover);
}
