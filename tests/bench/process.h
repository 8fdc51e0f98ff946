/* What the system tells of a process. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Memory in KiB, now and at most so far; 0 when the process is gone. */
unsigned long process_resident(pid_t pid);
unsigned long process_peak(pid_t pid);

/* Processor time in nanoseconds so far, of all threads; 0 where the system does not tell. */
uint64_t process_time(pid_t pid);

/* Nanoseconds of the monotonic clock. */
uint64_t process_clock(void);
