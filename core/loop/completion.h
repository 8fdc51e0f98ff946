/* What a completion queue's tags point to: who is called when something has ended. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Embedded in whatever waits. `run` is called on the worker's thread; `ok` is C core's success flag. */
struct completion {
    void (*run)(struct completion *completion, bool ok);
};

/* The struct that embeds a completion as `member`. */
#define completion_owner(completion, type, member) ((type *)(void *)((char *)(completion)-offsetof(type, member)))
