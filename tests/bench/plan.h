/* What a run of the bench measures, read from a text file that tests/bench/run writes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define PLAN_NAME_SIZE 64
#define PLAN_PATH_SIZE 128
#define PLAN_TARGETS 10
#define PLAN_INSTANCES 4
#define PLAN_CASES 8
#define PLAN_CALLER_COUNTS 4
#define PLAN_CALLERS 32 /* at most, at once */
#define PLAN_WORDS 16

/* A process that takes calls. */
struct instance {
    char address[256]; /* "unix:///run/…" */
    pid_t pid;         /* whose processor time and memory are counted */
};

/* One way to the simulated runtime: straight, or through something. Where there are several instances they take turns: two
   processes of the same program can differ by a tenth for as long as they live, by how they happen to lie in memory. */
struct target {
    char name[PLAN_NAME_SIZE];
    char package[PLAN_PATH_SIZE]; /* what the caller speaks on this way: "runtime.v1"; with a request_file, the path it calls */
    char request_file[256];       /* a plugin that is called: with the bytes of this file, whatever the RPC; "": a way */
    struct instance instances[PLAN_INSTANCES];
    size_t instance_count;
    struct {
        char path[PLAN_PATH_SIZE];
        char request_file[256];
        char address[256];
    } before;     /* a plugin that the caller calls itself before each call of this target; path "": none */
    bool foreign; /* another's program: its failed calls are shown, and fail nothing */
};

/* What is called, and by how many at once. */
struct rpc {
    char name[PLAN_NAME_SIZE];          /* Version, ContainerStatus, CreateContainer or ListContainers */
    size_t callers[PLAN_CALLER_COUNTS]; /* calls in flight, one measurement for each */
    size_t caller_count;
};

/* Ways that are compared with each other: they end at the same runtime. */
struct scenario {
    char name[PLAN_NAME_SIZE]; /* one word, "v1_v1_100" */
    char title[128];           /* for people */
    size_t containers;         /* that the runtime holds; every list must have that many */
    bool outside;              /* an outside caller makes the calls */
    struct target targets[PLAN_TARGETS];
    size_t target_count;
    struct rpc rpcs[PLAN_CASES];
    size_t rpc_count;
};

/* A program whose start is timed. */
struct start {
    struct target target;          /* what it is called, where it takes calls, and in which package; no process yet */
    char *command[PLAN_WORDS + 1]; /* NULL at the end */
};

struct plan {
    char caller[256]; /* a program that makes calls in the bench's place (caller.h); "": none */
    struct scenario *scenarios;
    size_t scenario_count;
    /* Processes whose memory is watched under many calls. They are in no scenario, so that they are fresh. One instance each. */
    struct target memory_targets[PLAN_TARGETS];
    size_t memory_target_count;
    struct start starts[PLAN_TARGETS];
    size_t start_count;
};

/* Reads lines of these forms; `#` starts a comment. A scenario's targets and RPCs follow it:

       caller PROGRAM
       scenario NAME CONTAINERS TITLE WITH BLANKS
       target NAME PACKAGE ADDRESS PID [ADDRESS PID]...
       foreign NAME PACKAGE ADDRESS PID [ADDRESS PID]...
       plugin PATH REQUEST_FILE ADDRESS PID
       before PATH REQUEST_FILE ADDRESS
       rpc NAME CALLERS[,CALLERS]...
       memory NAME PACKAGE ADDRESS PID
       start NAME PACKAGE ADDRESS COMMAND [WORD]...

   The caller makes the calls of scenarios that follow it, and those of all `memory` lines.
   What is `before` belongs to the target in the line above it.
   Zero, or -1 after a message on stderr. The caller frees with plan_free either way. */
int plan_read(struct plan *plan, const char *path);

/* "1,8,32"; false for anything else. */
bool plan_read_callers(struct rpc *rpc, const char *list);

void plan_free(struct plan *plan);
