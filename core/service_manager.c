#include "service_manager.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#define NANOSECONDS_A_MICROSECOND 1000
#define MICROSECONDS_A_MILLISECOND 1000

void service_manager_ready(void)
{
    sd_notify(0, "READY=1");
}

void service_manager_status(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *c = text; *c; c++) {
        *c = *c == '\n' ? ' ' : *c; /* a line would be another assignment */
    }
    sd_notifyf(0, "STATUS=%s", text);
}

void service_manager_reloading(void)
{
    sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld", (long long)(worker_now() / NANOSECONDS_A_MICROSECOND));
}

void service_manager_stopping(void)
{
    sd_notify(0, "STOPPING=1");
}

void service_manager_took_over(void)
{
    sd_notifyf(0, "MAINPID=%ld\nREADY=1", (long)getpid());
}

void service_manager_expect_take_over(void)
{
    char pid[32];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    if (getenv("WATCHDOG_USEC")) {
        setenv("WATCHDOG_PID", pid, 1);
    }
}

/* ---- the watchdog ---- */

static void on_due(struct event *event, bool ok)
{
    (void)ok;
    struct watchdog *watchdog = event_owner(event, struct watchdog, timer);
    sd_notify(0, "WATCHDOG=1");
    worker_arm(watchdog->worker, &watchdog->timer, watchdog->interval);
}

static void on_stop(struct event *event, bool ok)
{
    (void)ok;
    struct watchdog *watchdog = event_owner(event, struct watchdog, stop);
    worker_disarm(watchdog->worker, &watchdog->timer);
}

void watchdog_start(struct watchdog *watchdog, struct worker *worker)
{
    uint64_t interval;
    *watchdog = (struct watchdog){.timer.event.run = on_due, .stop.run = on_stop, .worker = worker};
    if (sd_watchdog_enabled(0, &interval) > 0) {
        watchdog->interval = (int64_t)(interval / 2 / MICROSECONDS_A_MILLISECOND);
        worker_arm(worker, &watchdog->timer, 0);
    }
}

void watchdog_stop(struct watchdog *watchdog)
{
    if (watchdog->interval > 0) {
        worker_post(watchdog->worker, &watchdog->stop);
    }
}
