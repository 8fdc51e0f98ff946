#include "base/system/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "base/system/clock.h"

/* A handler can reach nothing but what is global. */
static volatile sig_atomic_t first_signal;
static bool held;

static void note(int number)
{
    if (first_signal == 0) {
        first_signal = number;
    }
}

void interrupts_catch(void)
{
    /* Without SA_RESTART: they end waits. */
    struct sigaction noted = {.sa_handler = note};
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &noted, NULL);
    sigaction(SIGTERM, &noted, NULL);
    sigaction(SIGHUP, &noted, NULL);
    sigaction(SIGPIPE, &ignored, NULL);
}

const char *interrupt_seen(void)
{
    if (held) {
        return NULL;
    }
    switch (first_signal) {
    case SIGINT:
        return "SIGINT";
    case SIGTERM:
        return "SIGTERM";
    case SIGHUP:
        return "SIGHUP";
    default:
        return NULL;
    }
}

void interrupts_hold(void)
{
    held = true;
}

bool interrupt_sleep(unsigned milliseconds)
{
    int64_t end = clock_ms() + milliseconds;
    for (int64_t left = milliseconds; left > 0 && !interrupt_seen(); left = end - clock_ms()) {
        /* In short pieces: a signal just before nanosleep would not end it. */
        int64_t piece = left < 100 ? left : 100;
        nanosleep(&(struct timespec){.tv_nsec = piece * NANOSECONDS_A_MILLISECOND}, NULL);
    }
    return !interrupt_seen();
}
