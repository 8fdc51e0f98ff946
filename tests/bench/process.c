#include "tests/bench/process.h"

#include <inttypes.h>
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

static void read_ticks(pid_t pid, struct process_usage *usage)
{
    char path[64], line[1024] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) {
        return;
    }
    /* The name is in parentheses, and may have any others in it. */
    const char *rest = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    if (!rest ||
        sscanf(rest, ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64 " %" SCNu64, &usage->user, &usage->system) != 2) {
        usage->user = usage->system = 0;
    }
}

struct process_usage process_usage(pid_t pid)
{
    struct process_usage usage = {0};
    clockid_t clock;
    if (clock_getcpuclockid(pid, &clock) == 0) {
        usage.total = clock_ns(clock);
        read_ticks(pid, &usage);
    }
    return usage;
}

void process_usage_add(struct process_usage *sum, struct process_usage before, struct process_usage after)
{
    sum->total += after.total - before.total;
    sum->user += after.user - before.user;
    sum->system += after.system - before.system;
}

double process_user_time(const struct process_usage *usage)
{
    uint64_t ticks = usage->user + usage->system;
    return ticks > 0 ? (double)usage->total * (double)usage->user / (double)ticks : 0;
}

uint64_t process_clock(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}
