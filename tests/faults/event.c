#include "tests/faults/event.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/common/journal_line.h"

#define KEPT 20000 /* violations are found some seconds after they happened */
#define SHOWN 50
#define KEPT_VIOLATIONS 10
#define TEXT_SIZE 512

struct event {
    int64_t at;
    char text[TEXT_SIZE];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static struct event kept[KEPT];
static unsigned count; /* of events so far */
static struct event violations[KEPT_VIOLATIONS];
static unsigned violation_count;

int64_t event_now(void)
{
    return journal_clock();
}

void event_sleep(unsigned milliseconds)
{
    struct timespec span = {milliseconds / 1000, milliseconds % 1000 * (long)NANOSECONDS_A_MILLISECOND};
    nanosleep(&span, NULL);
}

void event_open(const char *path)
{
    file = fopen(path, "we");
}

void event_close(void)
{
    if (file) {
        fclose(file);
        file = NULL;
    }
}

static void describe(struct event *event, int64_t at, const char *format, va_list arguments)
{
    int64_t milliseconds = at / NANOSECONDS_A_MILLISECOND;
    event->at = at;
    int length =
        snprintf(event->text, TEXT_SIZE, "%lld.%03lld ", (long long)(milliseconds / 1000), (long long)(milliseconds % 1000));
    vsnprintf(event->text + length, TEXT_SIZE - (size_t)length, format, arguments);
}

static void write_line(const char *text)
{
    if (file) {
        fprintf(file, "%s\n", text);
        fflush(file);
    }
}

void event_note(const char *format, ...)
{
    struct event event;
    va_list arguments;
    va_start(arguments, format);
    describe(&event, event_now(), format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&lock);
    kept[count++ % KEPT] = event;
    write_line(event.text);
    pthread_mutex_unlock(&lock);
}

void event_violation_at(int64_t moment, const char *format, ...)
{
    struct event event;
    va_list arguments;
    va_start(arguments, format);
    describe(&event, moment, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&lock);
    if (violation_count < KEPT_VIOLATIONS) {
        violations[violation_count] = event;
    }
    violation_count++;
    write_line(event.text);
    pthread_mutex_unlock(&lock);
    fprintf(stderr, "VIOLATION %s\n", event.text);
}

unsigned event_violations(void)
{
    pthread_mutex_lock(&lock);
    unsigned number = violation_count;
    pthread_mutex_unlock(&lock);
    return number;
}

static unsigned count_until(int64_t moment)
{
    unsigned end = count;
    while (end > 0 && count - end < KEPT && kept[(end - 1) % KEPT].at > moment) {
        end--;
    }
    return end;
}

void event_print(FILE *out)
{
    pthread_mutex_lock(&lock);
    unsigned end = violation_count > 0 ? count_until(violations[0].at) : count;
    unsigned oldest = count > KEPT ? count - KEPT : 0;
    fprintf(out, "the last events before the first violation:\n");
    for (unsigned i = end > oldest + SHOWN ? end - SHOWN : oldest; i < end; i++) {
        fprintf(out, "  %s\n", kept[i % KEPT].text);
    }
    fprintf(out, "%u violations, the first of them:\n", violation_count);
    for (unsigned i = 0; i < violation_count && i < KEPT_VIOLATIONS; i++) {
        fprintf(out, "  %s\n", violations[i].text);
    }
    pthread_mutex_unlock(&lock);
}
