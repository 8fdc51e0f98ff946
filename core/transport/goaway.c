#include "goaway.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* A copy of a connection's descriptor. */
struct guest {
    struct guest *next;
    int fd;
};

struct farewell {
    struct guest *guests;
    size_t count;
    int gone; /* epoll: tells which guests have hung up */
};

/* HTTP/2, RFC 9113, section 6.8: 8 bytes of payload, type 7, stream 0; the last stream 2^31-1 ("all of them"), NO_ERROR. */
static const uint8_t go_away[] = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0};

struct farewell *farewell_new(void)
{
    struct farewell *farewell = malloc(sizeof *farewell);
    if (farewell) {
        *farewell = (struct farewell){.gone = epoll_create1(EPOLL_CLOEXEC)};
        if (farewell->gone < 0) {
            free(farewell);
            return NULL;
        }
    }
    return farewell;
}

static void forget(struct farewell *farewell, struct guest *guest)
{
    struct guest **at = &farewell->guests;
    while (*at != guest) {
        at = &(*at)->next;
    }
    *at = guest->next;
    farewell->count--;
    epoll_ctl(farewell->gone, EPOLL_CTL_DEL, guest->fd, NULL); /* closing a copy alone would leave it there */
    close(guest->fd);
    free(guest);
}

/* Closes what has hung up: those copies would keep descriptors for nothing. */
bool farewell_sweep(struct farewell *farewell)
{
    struct epoll_event events[16];
    int count = epoll_wait(farewell->gone, events, 16, 0);
    for (int i = 0; i < count; i++) {
        forget(farewell, events[i].data.ptr);
    }
    return count > 0;
}

int farewell_descriptor(const struct farewell *farewell)
{
    return farewell->gone;
}

size_t farewell_count(const struct farewell *farewell)
{
    return farewell->count;
}

bool farewell_note(struct farewell *farewell, int connection)
{
    struct guest *guest = malloc(sizeof *guest);
    int copy = dup(connection);
    struct epoll_event hung_up = {.events = EPOLLRDHUP, .data.ptr = guest};
    if (!guest || copy < 0 || epoll_ctl(farewell->gone, EPOLL_CTL_ADD, copy, &hung_up) != 0) {
        if (copy >= 0) {
            close(copy);
        }
        free(guest);
        return false;
    }
    *guest = (struct guest){.next = farewell->guests, .fd = copy};
    farewell->guests = guest;
    farewell->count++;
    return true;
}

void farewell_say_to(int connection)
{
    /* A connection whose buffer is full is not written to at all: a part of a frame would break it. */
    send(connection, go_away, sizeof go_away, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void farewell_say(struct farewell *farewell)
{
    for (const struct guest *guest = farewell->guests; guest; guest = guest->next) {
        farewell_say_to(guest->fd);
    }
}

void farewell_hang_up(struct farewell *farewell)
{
    for (const struct guest *guest = farewell->guests; guest; guest = guest->next) {
        shutdown(guest->fd, SHUT_RDWR);
    }
}

void farewell_free(struct farewell *farewell)
{
    if (farewell) {
        while (farewell->guests) {
            forget(farewell, farewell->guests);
        }
        close(farewell->gone);
        free(farewell);
    }
}
