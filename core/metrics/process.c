#include "core/metrics/process.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/system/file.h"

static void add(struct metric_samples *samples, enum metric metric, double value)
{
    metric_add(samples, metric, value, NULL);
}

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* The numbers behind the name in /proc/self/stat, which may have any character: see proc(5). */
static bool read_stat(long long *threads, unsigned long long *start, unsigned long long *virtual, long long *pages)
{
    char text[1024];
    file_read_text("/proc/self/stat", text, sizeof text);
    const char *rest = strrchr(text, ')');
    return rest &&
           sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %lld %*d %llu %llu %lld",
                  threads, start, virtual, pages) == 4;
}

/* The start of the process is counted in ticks since the boot. */
static double start_time(unsigned long long ticks)
{
    struct timespec now, up;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    double boot = (double)(now.tv_sec - up.tv_sec) + (double)(now.tv_nsec - up.tv_nsec) / 1e9;
    return boot + (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static double started;

static void find_start(void)
{
    long long threads, pages;
    unsigned long long start, virtual;
    if (read_stat(&threads, &start, &virtual, &pages)) {
        started = start_time(start);
    }
}

static void add_stat(struct metric_samples *samples)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* the same moment each time, though clocks are set */
    long long threads, pages;
    unsigned long long start, virtual;
    pthread_once(&once, find_start);
    if (read_stat(&threads, &start, &virtual, &pages)) {
        add(samples, METRIC_PROCESS_THREADS, (double)threads);
        add(samples, METRIC_PROCESS_VIRTUAL, (double)virtual);
        add(samples, METRIC_PROCESS_RESIDENT, (double)pages * (double)sysconf(_SC_PAGESIZE));
        add(samples, METRIC_PROCESS_START, started);
    }
}

static void add_descriptors(struct metric_samples *samples)
{
    struct rlimit limit;
    DIR *folder = opendir("/proc/self/fd");
    if (folder) {
        double count = -1; /* without the folder's own */
        for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
            count += entry->d_name[0] != '.';
        }
        closedir(folder);
        add(samples, METRIC_PROCESS_OPEN_FDS, count);
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        add(samples, METRIC_PROCESS_MAX_FDS, (double)limit.rlim_cur);
    }
}

void metric_add_process(struct metric_samples *samples)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        add(samples, METRIC_PROCESS_CPU, seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime));
    }
    add_stat(samples);
    add_descriptors(samples);
}
