#include "core/loop/hang_up.h"

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/loop/order.h"

#define MOST_EVENTS 64

static pthread_once_t begun = PTHREAD_ONCE_INIT;
static int epoll = -1; /* the set of sockets that are watched; -1: there is none, as there is no thread that waits for it */

/* Each socket is reported once. It leaves the set before the worker learns of it, as the worker closes it then. */
static void *wait_for_hang_ups(void *unused)
{
    struct epoll_event events[MOST_EVENTS];
    (void)unused;
    for (;;) {
        int count = epoll_wait(epoll, events, MOST_EVENTS, -1);
        for (int i = 0; i < count; i++) {
            struct hang_up *hang_up = events[i].data.ptr;
            ORDER_AFTER(hang_up);
            epoll_ctl(epoll, EPOLL_CTL_DEL, hang_up->fd, NULL);
            worker_post_hang_up(hang_up->worker, &hang_up->completion);
        }
    }
    return NULL;
}

static void begin_thread(void)
{
    sigset_t all, before;
    pthread_t thread;
    epoll = epoll_create1(EPOLL_CLOEXEC);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool runs = epoll >= 0 && pthread_create(&thread, NULL, wait_for_hang_ups, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (runs) {
        pthread_detach(thread);
    } else if (epoll >= 0) {
        close(epoll);
        epoll = -1;
    }
}

static void on_posted(struct completion *completion, bool ok)
{
    (void)ok;
    struct hang_up *hang_up = completion_owner(completion, struct hang_up, completion);
    struct worker *worker = hang_up->worker;
    hang_up->run(hang_up);
    worker_end_watch(worker);
}

bool hang_up_watch(struct hang_up *hang_up, struct worker *worker, int fd, void (*run)(struct hang_up *hang_up))
{
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.ptr = hang_up};
    *hang_up = (struct hang_up){.completion.run = on_posted, .run = run, .worker = worker, .fd = fd};
    pthread_once(&begun, begin_thread);
    ORDER_BEFORE(hang_up);
    bool watched = epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
    worker->watches += watched;
    return watched;
}
