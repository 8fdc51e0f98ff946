/* What happened in the course of a test, and what must not have: the last of it is shown when something went wrong. Thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NANOSECONDS_A_MILLISECOND 1000000LL

/* Nanoseconds of the monotonic clock, which the runtimes' journals use, too. */
int64_t event_now(void);

void event_sleep(unsigned milliseconds);

/* Writes all events to that file as well, from now on. */
void event_open(const char *path);
void event_close(void);

__attribute__((format(printf, 1, 2))) void event_note(const char *format, ...);

/* Something that must never happen did, at that moment, which may be a while ago. */
__attribute__((format(printf, 2, 3))) void event_violation_at(int64_t moment, const char *format, ...);

/* It did just now. */
#define event_violation(...) event_violation_at(event_now(), __VA_ARGS__)

unsigned event_violations(void);

/* The violations, and the last 50 events before the moment of the first of them. */
void event_print(FILE *out);
