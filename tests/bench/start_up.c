#include "tests/bench/start_up.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/unix_socket.h"
#include "tests/bench/process.h"

#define LOOK_EVERY_US 200
#define GIVE_UP_NS UINT64_C(10000000000)

static pid_t start_program(char *const *command)
{
    pid_t pid = fork();
    if (pid == 0) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nowhere, STDERR_FILENO);
        execv(command[0], command);
        _exit(127);
    }
    return pid;
}

static bool takes_connections(const char *address)
{
    int descriptor = unix_socket_connect(unix_socket_path(address), 0);
    if (descriptor >= 0) {
        close(descriptor);
    }
    return descriptor >= 0;
}

static void end_program(pid_t pid)
{
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
}

static bool measure_once(struct load *load, struct start *start, double *milliseconds, double *mebibytes)
{
    uint64_t began = process_clock();
    pid_t pid = start_program(start->command);
    while (!takes_connections(start->target.instances[0].address)) {
        if (process_clock() - began > GIVE_UP_NS) {
            fprintf(stderr, "bench: %s does not listen\n", start->target.name);
            end_program(pid);
            return false;
        }
        usleep(LOOK_EVERY_US);
    }
    struct connection *connection = load_connect(load, &start->target, 0);
    bool answered = connection && load_answers(load, connection);
    *milliseconds = (double)(process_clock() - began) / 1e6;
    *mebibytes = (double)process_resident(pid) / 1024;
    load_disconnect(load);
    end_program(pid);
    return answered;
}

bool start_up_measure(struct load *load, struct start *start, size_t rounds, json_object *report)
{
    struct numbers times = {0}, sizes = {0};
    bool good = true;
    for (size_t i = 0; i < rounds && good; i++) {
        double milliseconds, mebibytes;
        good = measure_once(load, start, &milliseconds, &mebibytes);
        if (good) {
            numbers_add(&times, milliseconds);
            numbers_add(&sizes, mebibytes);
        }
    }
    if (good) {
        struct spread time = numbers_spread(&times), size = numbers_spread(&sizes);
        printf("  %-12s %9.1f (%.1f..%.1f) ms, then %.1f MiB\n", start->target.name, time.median, time.low, time.high,
               size.median);
        fflush(stdout);
        json_object *row = json_object_new_object();
        json_object_object_add(row, "name", json_object_new_string(start->target.name));
        json_object_object_add(row, "median_ms", json_object_new_double(time.median));
        json_object_object_add(row, "low_quartile_ms", json_object_new_double(time.low));
        json_object_object_add(row, "high_quartile_ms", json_object_new_double(time.high));
        json_object_object_add(row, "resident_mib", json_object_new_double(size.median));
        json_object_array_add(report, row);
    }
    numbers_free(&times);
    numbers_free(&sizes);
    return good;
}
