/* What the system tells of a process. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Memory in KiB, now and at most so far; 0 when the process is gone. */
unsigned long process_resident(pid_t pid);
unsigned long process_peak(pid_t pid);

/* Processor time of all threads of a process. */
struct process_usage {
    uint64_t total;        /* nanoseconds; exact */
    uint64_t user, system; /* ticks of the system's clock, of which it counts one where it finds the process: right over many */
};

/* What a process has used so far. Zero where the system does not tell. */
struct process_usage process_usage(pid_t pid);

/* Adds to the sum what was used from `before` to `after`. */
void process_usage_add(struct process_usage *sum, struct process_usage before, struct process_usage after);

/* Nanoseconds in user mode: that share of all of them which the ticks show. 0 without ticks. */
double process_user_time(const struct process_usage *usage);

/* Nanoseconds of the monotonic clock. */
uint64_t process_clock(void);
