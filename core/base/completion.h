/* What a completion queue's tags point to: who is called when something has ended. */
#ifndef CRIGATE_BASE_COMPLETION_H
#define CRIGATE_BASE_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>

/* Embedded in whatever waits. `run` is called on the worker's thread; `ok` is C core's success flag. */
struct event {
    void (*run)(struct event *event, bool ok);
};

/* The struct that embeds an event as `member`. */
#define event_owner(event, type, member) ((type *)(void *)((char *)(event)-offsetof(type, member)))

#endif
