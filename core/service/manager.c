#include "core/service/manager.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "core/service/notify.h"

#define NANOSECONDS_A_MICROSECOND 1000
#define MICROSECONDS_A_MILLISECOND 1000
#define RETRY_PAUSE 200                              /* milliseconds, while the service manager's queue is full */
#define LONGEST_PAUSE (INT64_C(24) * 60 * 60 * 1000) /* milliseconds between two notifications: what a timer can wait for */

void service_manager_ready(void)
{
    notify_send("READY=1");
}

#define STATUS_SIZE 1024

/* A second line would be an assignment of its own. */
static void join_lines(char *text)
{
    for (char *c = text; *c; c++) {
        *c = *c == '\n' ? ' ' : *c;
    }
}

void service_manager_status(const char *format, ...)
{
    char message[STATUS_SIZE] = "STATUS=";
    size_t begin = strlen(message);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message + begin, sizeof message - begin, format, arguments);
    va_end(arguments);
    join_lines(message);
    notify_send(message);
}

bool service_manager_try_status(const char *text)
{
    char message[STATUS_SIZE];
    snprintf(message, sizeof message, "STATUS=%s", text);
    join_lines(message);
    return notify_try(message);
}

void service_manager_reloading(void)
{
    char message[64];
    snprintf(message, sizeof message, "RELOADING=1\nMONOTONIC_USEC=%" PRId64, clock_ns() / NANOSECONDS_A_MICROSECOND);
    notify_send(message);
}

void service_manager_stopping(void)
{
    notify_send("STOPPING=1");
}

void service_manager_took_over(void)
{
    char message[64];
    snprintf(message, sizeof message, "MAINPID=%ld\nREADY=1", (long)getpid());
    notify_send(message);
}

uint64_t service_manager_watchdog(void)
{
    return notify_watchdog();
}

/* ---- the watchdog ---- */

static void on_due(struct completion *completion, bool ok)
{
    (void)ok;
    struct watchdog *watchdog = completion_owner(completion, struct watchdog, timer);
    bool sent = notify_try("WATCHDOG=1"); /* the worker must not wait for a service manager that hangs */
    worker_arm(watchdog->worker, &watchdog->timer, sent || watchdog->interval < RETRY_PAUSE ? watchdog->interval : RETRY_PAUSE);
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
        uint64_t half = microseconds / 2 / MICROSECONDS_A_MILLISECOND;
        watchdog->interval = half < 1 ? 1 : half > LONGEST_PAUSE ? LONGEST_PAUSE : (int64_t)half;
        worker_post(watchdog->worker, &watchdog->begin);
    }
}

void watchdog_stop(struct watchdog *watchdog)
{
    if (watchdog->interval > 0) {
        worker_post(watchdog->worker, &watchdog->stop);
    }
}
