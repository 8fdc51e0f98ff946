/* What the service manager (systemd) is told. Without one, all of it does nothing. Safe from any thread. */
#ifndef CRIGATE_PROCESS_SERVICE_MANAGER_H
#define CRIGATE_PROCESS_SERVICE_MANAGER_H

#include <stdint.h>

#include "core/base/worker.h"

/* Calls are answered from now on. */
void service_manager_ready(void);

/* One line for people, as `systemctl status` shows it. */
void service_manager_status(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A reload begins; service_manager_ready ends it, whether or not it went well. */
void service_manager_reloading(void);

/* The process is about to end. Not to be said by one that another has taken over from. */
void service_manager_stopping(void);

/* This process has taken over from the main one, and is ready. */
void service_manager_took_over(void);

/* Within how many microseconds the service manager wants to hear of this process again and again; 0: it does not. A process that
   takes over is started in a way that does not tell it: the one before has to. */
uint64_t service_manager_watchdog(void);

/* Tells the service manager that the worker is alive, twice as often as it asks for. The struct has to live as long as the
   worker. */
struct watchdog {
    struct timer timer;
    struct completion begin;
    struct completion stop;
    struct worker *worker;
    int64_t interval; /* milliseconds; 0: nobody asks */
    bool stopped;     /* the two events may come in any order */
};

/* Before the worker runs. Nothing is told yet. */
void watchdog_init(struct watchdog *watchdog, struct worker *worker);

/* From now on, so that it is heard of within that time; 0 does nothing. Once, before the worker runs or from any thread. */
void watchdog_begin(struct watchdog *watchdog, uint64_t microseconds);

/* For a process that another one has taken over from. From the thread that began, or after it; once. */
void watchdog_stop(struct watchdog *watchdog);

#endif
