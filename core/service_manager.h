/* What the service manager (systemd) is told. Without one, all of it does nothing. Safe from any thread. */
#ifndef CRIGATE_CORE_SERVICE_MANAGER_H
#define CRIGATE_CORE_SERVICE_MANAGER_H

#include "core/worker.h"

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

/* Before any thread is started, in a process that is going to take over: the watchdog that the service manager asked the process
   before for is to be kept by this one. */
void service_manager_expect_take_over(void);

/* Tells the service manager that the worker is alive, twice as often as it asks for. The worker must not run yet, or be the
   calling thread. The struct has to live as long as the worker. */
struct watchdog {
    struct timer timer;
    struct event stop;
    struct worker *worker;
    int64_t interval; /* milliseconds */
};

void watchdog_start(struct watchdog *watchdog, struct worker *worker);

/* For a process that another one has taken over from. Safe from any thread; once. */
void watchdog_stop(struct watchdog *watchdog);

#endif
