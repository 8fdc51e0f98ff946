/* Notifications for the service manager (systemd). Without one, these functions do nothing. Safe from any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/loop/worker.h"

/* Calls are answered from now on. */
void service_manager_ready(void);

/* One line for people, as `systemctl status` shows it. */
void service_manager_status(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same without waiting for a service manager that hangs: false if its queue is full. */
bool service_manager_try_status(const char *text);

/* A reload begins; service_manager_ready ends it, whatever its outcome. */
void service_manager_reloading(void);

/* The process is about to end. Not for a process that another one has taken over from. */
void service_manager_stopping(void);

/* This process has taken over from the main process, and is ready. */
void service_manager_took_over(void);

/* The service manager's watchdog interval in microseconds; 0: none. A process that takes over is not told it by the service
   manager: it gets it from the process before. */
uint64_t service_manager_watchdog(void);

/* Notifies the service manager that the worker is alive, twice in each interval; the worker never waits for it. The struct must
 * live as long as the worker. */
struct watchdog {
    struct timer timer;
    struct completion begin;
    struct completion stop;
    struct worker *worker;
    int64_t interval; /* milliseconds; 0: no watchdog */
    bool stopped;     /* `begin` and `stop` may complete in any order */
};

/* Before the worker runs. Sends nothing yet. */
void watchdog_init(struct watchdog *watchdog, struct worker *worker);

/* Starts to notify, for an interval in microseconds; 0 does nothing. Once, before the worker runs or from any thread. */
void watchdog_begin(struct watchdog *watchdog, uint64_t microseconds);

/* For a process that another one has taken over from. Once, from the thread that began, or after it. */
void watchdog_stop(struct watchdog *watchdog);
