/* The thread on which plugins are called, and what goes to and fro between it and the thread of the connections. */
#pragma once

#include <event2/event.h>

#include "base/bytes/error.h"

struct hook_thread;
struct docker_hooks;

/* All texts are borrowed. */
struct hook_thread_settings {
    const char *docker;     /* the path of Docker Engine's socket */
    const char *folder;     /* of the files that name plugins */
    unsigned timeout;       /* milliseconds, for a plugin whose file gives no other */
    const char *skip_label; /* pods whose label of that name has that value get no hooks */
    const char *skip_value;
};

/* Embedded in what is sent to the other thread; it must live until it has run there, and may be sent again then. */
struct hook_message {
    struct hook_message *next;
    void (*run)(struct hook_message *message);
};

/* The struct that embeds a message as `member`. */
#define hook_message_owner(message, type, member) ((type *)(void *)((char *)(message)-offsetof(type, member)))

/* Starts the thread, and another that watches the folder of the plugins' files. On the thread that runs the base's events, like
   all below but where another is named. SIGTERM and SIGINT must be blocked. */
struct hook_thread *hook_thread_open(const struct hook_thread_settings *settings, struct event_base *base, struct error *error);

/* Runs a message on the thread of the hooks, after those that were sent before it. From any thread. */
void hook_thread_send(struct hook_thread *thread, struct hook_message *message);

/* Runs a message on the thread of the connections, likewise. On the thread of the hooks. */
void hook_thread_return(struct hook_thread *thread, struct hook_message *message);

/* On the thread of the hooks. */
struct docker_hooks *hook_thread_hooks(struct hook_thread *thread);

/* Runs what was sent, lets hooks after requests end for this many milliseconds, ends the threads, runs what was returned, and
   frees all. Nothing may be sent afterwards. NULL is allowed. */
void hook_thread_close(struct hook_thread *thread, unsigned milliseconds);
