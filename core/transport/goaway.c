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

struct goaway {
    struct guest *guests;
    size_t count;
    int gone; /* epoll: reports which connections have hung up */
};

/* HTTP/2, RFC 9113, section 6.8: 8 bytes of payload, type 7, stream 0; the last stream 2^31-1 ("all of them"), NO_ERROR. */
static const uint8_t go_away[] = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0};

struct goaway *goaway_new(void)
{
    struct goaway *goaway = malloc(sizeof *goaway);
    if (goaway) {
        *goaway = (struct goaway){.gone = epoll_create1(EPOLL_CLOEXEC)};
        if (goaway->gone < 0) {
            free(goaway);
            return NULL;
        }
    }
    return goaway;
}

static void forget(struct goaway *goaway, struct guest *guest)
{
    struct guest **at = &goaway->guests;
    while (*at != guest) {
        at = &(*at)->next;
    }
    *at = guest->next;
    goaway->count--;
    epoll_ctl(goaway->gone, EPOLL_CTL_DEL, guest->fd, NULL); /* closing a copy alone would leave it there */
    close(guest->fd);
    free(guest);
}

/* Closes what has hung up: those copies would keep descriptors for nothing. */
bool goaway_sweep(struct goaway *goaway)
{
    struct epoll_event events[16];
    int count = epoll_wait(goaway->gone, events, 16, 0);
    for (int i = 0; i < count; i++) {
        forget(goaway, events[i].data.ptr);
    }
    return count > 0;
}

int goaway_descriptor(const struct goaway *goaway)
{
    return goaway->gone;
}

size_t goaway_count(const struct goaway *goaway)
{
    return goaway->count;
}

bool goaway_note(struct goaway *goaway, int connection)
{
    struct guest *guest = malloc(sizeof *guest);
    int copy = dup(connection);
    struct epoll_event hung_up = {.events = EPOLLRDHUP, .data.ptr = guest};
    if (!guest || copy < 0 || epoll_ctl(goaway->gone, EPOLL_CTL_ADD, copy, &hung_up) != 0) {
        if (copy >= 0) {
            close(copy);
        }
        free(guest);
        return false;
    }
    *guest = (struct guest){.next = goaway->guests, .fd = copy};
    goaway->guests = guest;
    goaway->count++;
    return true;
}

void goaway_send_to(int connection)
{
    /* A connection whose buffer is full is not written to at all: a part of a frame would break it. */
    send(connection, go_away, sizeof go_away, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void goaway_send(struct goaway *goaway)
{
    for (const struct guest *guest = goaway->guests; guest; guest = guest->next) {
        goaway_send_to(guest->fd);
    }
}

void goaway_hang_up(struct goaway *goaway)
{
    for (const struct guest *guest = goaway->guests; guest; guest = guest->next) {
        shutdown(guest->fd, SHUT_RDWR);
    }
}

void goaway_free(struct goaway *goaway)
{
    if (goaway) {
        while (goaway->guests) {
            forget(goaway, goaway->guests);
        }
        close(goaway->gone);
        free(goaway);
    }
}
