#include "tests/bench/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned long read_status(pid_t pid, const char *key)
{
    char path[64], line[256];
    unsigned long size = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "r");
    while (file && size == 0 && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) == 0) {
            size = strtoul(line + strlen(key), NULL, 10);
        }
    }
    if (file) {
        fclose(file);
    }
    return size;
}

unsigned long process_resident(pid_t pid)
{
    return read_status(pid, "VmRSS:");
}

unsigned long process_peak(pid_t pid)
{
    return read_status(pid, "VmHWM:");
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t process_time(pid_t pid)
{
    clockid_t clock;
    return clock_getcpuclockid(pid, &clock) == 0 ? clock_ns(clock) : 0;
}

uint64_t process_clock(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}
