#include "tests/bench/caller.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONNECTIONS 64
#define LINE_SIZE 128

struct caller {
    pid_t pid;
    FILE *commands, *answers;
    char addresses[CONNECTIONS][sizeof((struct instance *)0)->address]; /* by the connection's number */
    size_t connection_count;
};

/* In the new process: does not return. */
static void become(const char *program, int socket)
{
    dup2(socket, STDIN_FILENO);
    dup2(socket, STDOUT_FILENO);
    execl(program, program, (char *)NULL);
    perror(program);
    _exit(127);
}

struct caller *caller_start(const char *program)
{
    struct caller *caller = calloc(1, sizeof *caller);
    int sockets[2];
    if (!caller || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        perror("bench: a caller");
        free(caller);
        return NULL;
    }
    caller->pid = fork();
    if (caller->pid == 0) {
        become(program, sockets[1]);
    }
    close(sockets[1]);
    caller->commands = fdopen(dup(sockets[0]), "w");
    caller->answers = fdopen(sockets[0], "r");
    if (caller->pid < 0 || !caller->commands || !caller->answers) {
        perror(program);
        exit(1);
    }
    return caller;
}

/* The answer to the command that was written. False after a message on stderr; the caller says why the command failed. */
static bool read_answer(struct caller *caller, char *line)
{
    if (fflush(caller->commands) != 0 || !fgets(line, LINE_SIZE, caller->answers)) {
        fputs("bench: the caller has ended\n", stderr);
        return false;
    }
    return strcmp(line, "failed\n") != 0;
}

static bool connection_to(struct caller *caller, const char *address, size_t *number)
{
    char line[LINE_SIZE];
    for (size_t i = 0; i < caller->connection_count; i++) {
        if (strcmp(caller->addresses[i], address) == 0) {
            *number = i;
            return true;
        }
    }
    if (caller->connection_count == CONNECTIONS) {
        fputs("bench: too many connections of the caller\n", stderr);
        return false;
    }
    fprintf(caller->commands, "connect %s\n", address);
    if (!read_answer(caller, line) || sscanf(line, "%zu", number) != 1 || *number != caller->connection_count) {
        return false;
    }
    snprintf(caller->addresses[caller->connection_count++], sizeof caller->addresses[0], "%s", address);
    return true;
}

bool caller_prepare(struct caller *caller, const char *address, struct request *request)
{
    char line[LINE_SIZE];
    size_t connection, size;
    if (!connection_to(caller, address, &connection)) {
        return false;
    }
    fprintf(caller->commands, "request %zu %s ", connection, request->method);
    for (size_t i = 0; i < request->bytes.len; i++) {
        fprintf(caller->commands, "%02x", request->bytes.data[i]);
    }
    fputs(request->bytes.len > 0 ? "\n" : "-\n", caller->commands);
    if (!read_answer(caller, line) || sscanf(line, "%zu %zu", &request->outside, &size) != 2) {
        return false;
    }
    if (size != request->response_size) {
        fprintf(stderr, "bench: %s at %s answers the caller with %zu bytes, not %zu\n", request->method, address, size,
                request->response_size);
    }
    return size == request->response_size;
}

bool caller_block(struct caller *caller, const struct request *requests, size_t request_count, size_t callers,
                  struct block_end end, struct block *block)
{
    char line[LINE_SIZE];
    size_t in_time, latencies;
    double seconds;
    fprintf(caller->commands, "block %zu %g %zu", callers, end.seconds, end.calls);
    for (size_t i = 0; i < request_count; i++) {
        fprintf(caller->commands, " %zu", requests[i].outside);
    }
    fputc('\n', caller->commands);
    block->latency_count = 0;
    if (!read_answer(caller, line) || sscanf(line, "%zu %zu %lf %zu", &block->calls, &in_time, &seconds, &latencies) != 4 ||
        !block_reserve(block, latencies) ||
        fread(block->latencies, sizeof *block->latencies, latencies, caller->answers) != latencies) {
        return false;
    }
    block->latency_count = latencies;
    block->calls_per_second = (double)in_time / seconds;
    return true;
}

void caller_end(struct caller *caller)
{
    if (!caller) {
        return;
    }
    /* Without commands it ends. */
    fclose(caller->commands);
    shutdown(fileno(caller->answers), SHUT_WR);
    fclose(caller->answers);
    waitpid(caller->pid, NULL, 0);
    free(caller);
}
