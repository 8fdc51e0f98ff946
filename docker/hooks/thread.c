#include "docker/hooks/thread.h"

#include <errno.h>
#include <event2/event_struct.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log/log.h"
#include "base/system/descriptor.h"
#include "core/transport/c_core.h"
#include "docker/hooks/hooks.h"
#include "docker/hooks/plugin_feed.h"

/* Messages for one thread, in their order. */
struct mailbox {
    pthread_mutex_t lock;
    struct hook_message *first;
    struct hook_message **last;
    bool rung; /* the thread will look */
};

struct hook_thread {
    struct hook_thread_settings settings;
    struct worker worker;
    pthread_t thread;
    struct docker_hooks *hooks;
    struct plugin_feed *feed;
    struct mailbox sent;
    struct completion bell;
    struct mailbox returned;
    int returned_bell;
    struct event returned_rings;
    struct timer patience; /* for hooks after requests, at the end */
    struct hook_message end;
    unsigned end_milliseconds;
    bool ending;
    bool ended;
};

/* ---- mailboxes ---- */

static void mailbox_init(struct mailbox *box)
{
    pthread_mutex_init(&box->lock, NULL);
    box->first = NULL;
    box->last = &box->first;
    box->rung = false;
}

/* Returns whether the bell has to be rung. */
static bool mailbox_put(struct mailbox *box, struct hook_message *message)
{
    message->next = NULL;
    pthread_mutex_lock(&box->lock);
    *box->last = message;
    box->last = &message->next;
    bool ring = !box->rung;
    box->rung = true;
    pthread_mutex_unlock(&box->lock);
    return ring;
}

static void mailbox_run(struct mailbox *box)
{
    pthread_mutex_lock(&box->lock);
    struct hook_message *next = box->first;
    box->first = NULL;
    box->last = &box->first;
    box->rung = false;
    pthread_mutex_unlock(&box->lock);
    while (next) {
        struct hook_message *message = next;
        next = message->next; /* the message may be gone once it has run */
        message->run(message);
    }
}

static void on_bell(struct completion *completion, bool ok)
{
    (void)ok;
    mailbox_run(&completion_owner(completion, struct hook_thread, bell)->sent);
}

static void on_returned(evutil_socket_t fd, short happened, void *state)
{
    uint64_t count;
    (void)happened;
    if (read((int)fd, &count, sizeof count) == sizeof count) {
        mailbox_run(&((struct hook_thread *)state)->returned);
    }
}

void hook_thread_send(struct hook_thread *thread, struct hook_message *message)
{
    if (mailbox_put(&thread->sent, message)) {
        worker_post(&thread->worker, &thread->bell);
    }
}

void hook_thread_return(struct hook_thread *thread, struct hook_message *message)
{
    if (mailbox_put(&thread->returned, message)) {
        uint64_t one = 1;
        ssize_t written = write(thread->returned_bell, &one, sizeof one);
        (void)written; /* it can hold more than there are messages */
    }
}

struct docker_hooks *hook_thread_hooks(struct hook_thread *thread)
{
    return thread->hooks;
}

/* ---- plugins ---- */

/* On their way to the thread of the hooks. */
struct delivery {
    struct hook_message message;
    struct hook_thread *thread;
    struct plugin_list *plugins;
};

static void on_delivered(struct hook_message *message)
{
    struct delivery *delivery = hook_message_owner(message, struct delivery, message);
    docker_hooks_set_plugins(delivery->thread->hooks, delivery->plugins);
    plugin_list_free(delivery->plugins);
    free(delivery);
}

static void deliver(void *state, struct plugin_list *plugins)
{
    struct hook_thread *thread = state;
    struct delivery *delivery = calloc(1, sizeof *delivery);
    if (!delivery) {
        log_line(LOG_SERIOUS, "plugins: not enough memory for a change, which has not taken effect");
        plugin_list_free(plugins);
        return;
    }
    *delivery = (struct delivery){.message.run = on_delivered, .thread = thread, .plugins = plugins};
    hook_thread_send(thread, &delivery->message);
}

/* ---- the end ---- */

static void end_hooks(struct hook_thread *thread)
{
    if (!thread->ended) {
        thread->ended = true;
        worker_disarm(&thread->worker, &thread->patience);
        docker_hooks_free(thread->hooks);
        worker_close(&thread->worker);
    }
}

static void on_impatient(struct completion *completion, bool ok)
{
    (void)ok;
    end_hooks(completion_owner(completion, struct hook_thread, patience.completion));
}

static void on_end(struct hook_message *message)
{
    struct hook_thread *thread = hook_message_owner(message, struct hook_thread, end);
    thread->ending = true;
    /* Not at once in any case: whoever reports that all are idle may be at work still. */
    worker_arm(&thread->worker, &thread->patience, docker_hooks_pending(thread->hooks) > 0 ? thread->end_milliseconds : 0);
}

static void on_idle(void *state)
{
    struct hook_thread *thread = state;
    if (thread->ending && !thread->ended) {
        worker_arm(&thread->worker, &thread->patience, 0);
    }
}

/* ---- the begin ---- */

static void *run(void *state)
{
    struct hook_thread *thread = state;
    worker_run(&thread->worker);
    return NULL;
}

static void free_thread(struct hook_thread *thread)
{
    descriptor_close(&thread->returned_bell);
    pthread_mutex_destroy(&thread->sent.lock);
    pthread_mutex_destroy(&thread->returned.lock);
    free(thread);
    grpc_shutdown();
}

/* Ends a worker that has no thread, and what was sent to it. */
static void end_worker(struct hook_thread *thread)
{
    mailbox_run(&thread->sent);
    docker_hooks_free(thread->hooks);
    worker_close(&thread->worker);
    worker_run(&thread->worker);
}

static bool start_thread(struct hook_thread *thread, struct error *error)
{
    thread->feed = plugin_feed_open(thread->settings.folder, thread->settings.timeout, deliver, thread, error);
    if (!thread->feed) {
        return false;
    }
    if (pthread_create(&thread->thread, NULL, run, thread) != 0) {
        plugin_feed_close(thread->feed);
        return error_set(error, STATUS_UNAVAILABLE, "cannot start a thread");
    }
    return true;
}

static bool start_hooks(struct hook_thread *thread, struct error *error)
{
    const struct docker_hooks_settings settings = {
        .worker = &thread->worker,
        .docker = thread->settings.docker,
        .skip_label = thread->settings.skip_label,
        .skip_value = thread->settings.skip_value,
        .idle = on_idle,
        .state = thread,
    };
    thread->hooks = docker_hooks_new(&settings);
    if (!thread->hooks) {
        worker_close(&thread->worker);
        worker_run(&thread->worker);
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
    }
    if (!start_thread(thread, error)) {
        end_worker(thread);
        return false;
    }
    return true;
}

struct hook_thread *hook_thread_open(const struct hook_thread_settings *settings, struct event_base *base, struct error *error)
{
    struct hook_thread *thread = calloc(1, sizeof *thread);
    if (!thread) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    transport_init();
    thread->settings = *settings;
    thread->bell.run = on_bell;
    thread->patience.completion.run = on_impatient;
    thread->returned_bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    mailbox_init(&thread->sent);
    mailbox_init(&thread->returned);
    worker_init(&thread->worker);
    if (!start_hooks(thread, error)) {
        free_thread(thread);
        return NULL;
    }
    event_assign(&thread->returned_rings, base, thread->returned_bell, EV_READ | EV_PERSIST, on_returned, thread);
    event_add(&thread->returned_rings, NULL);
    return thread;
}

void hook_thread_close(struct hook_thread *thread, unsigned milliseconds)
{
    if (!thread) {
        return;
    }
    plugin_feed_close(thread->feed);
    thread->end.run = on_end;
    thread->end_milliseconds = milliseconds;
    hook_thread_send(thread, &thread->end);
    pthread_join(thread->thread, NULL);
    event_del(&thread->returned_rings);
    mailbox_run(&thread->returned);
    free_thread(thread);
}
