#include "core/process/service_manager.h"

#include <stdarg.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "core/base/clock.h"

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
    sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld", (long long)(clock_ns() / NANOSECONDS_A_MICROSECOND));
}

void service_manager_stopping(void)
{
    sd_notify(0, "STOPPING=1");
}

void service_manager_took_over(void)
{
    sd_notifyf(0, "MAINPID=%ld\nREADY=1", (long)getpid());
}

uint64_t service_manager_watchdog(void)
{
    uint64_t interval;
    return sd_watchdog_enabled(0, &interval) > 0 ? interval : 0;
}

/* ---- the watchdog ---- */

static void on_due(struct completion *completion, bool ok)
{
    (void)ok;
    struct watchdog *watchdog = completion_owner(completion, struct watchdog, timer);
    sd_notify(0, "WATCHDOG=1");
    worker_arm(watchdog->worker, &watchdog->timer, watchdog->interval);
}

static void on_begin(struct completion *completion, bool ok)
{
    (void)ok;
    struct watchdog *watchdog = completion_owner(completion, struct watchdog, begin);
    if (!watchdog->stopped) {
        worker_arm(watchdog->worker, &watchdog->timer, 0);
    }
}

static void on_stop(struct completion *completion, bool ok)
{
    (void)ok;
    struct watchdog *watchdog = completion_owner(completion, struct watchdog, stop);
    watchdog->stopped = true;
    worker_disarm(watchdog->worker, &watchdog->timer);
}

void watchdog_init(struct watchdog *watchdog, struct worker *worker)
{
    *watchdog = (struct watchdog){.timer.completion.run = on_due, .begin.run = on_begin, .stop.run = on_stop, .worker = worker};
}

void watchdog_begin(struct watchdog *watchdog, uint64_t microseconds)
{
    if (microseconds > 0) {
        watchdog->interval = (int64_t)(microseconds / 2 / MICROSECONDS_A_MILLISECOND);
        worker_post(watchdog->worker, &watchdog->begin);
    }
}

void watchdog_stop(struct watchdog *watchdog)
{
    if (watchdog->interval > 0) {
        worker_post(watchdog->worker, &watchdog->stop);
    }
}
