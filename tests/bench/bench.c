/* Measures how long calls take over several ways to the same runtime, and what the processes on the way cost. The ways take
   turns in short blocks within one run, so that a disturbed moment of the machine falls on all of them. */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <grpc/grpc.h>
#include <json-c/json.h>

#include "sim/common/options.h"
#include "tests/bench/caller.h"
#include "tests/bench/figures.h"
#include "tests/bench/load.h"
#include "tests/bench/plan.h"
#include "tests/bench/process.h"
#include "tests/bench/start_up.h"

#define BLOCK_SECONDS 0.02
/* An outside caller's are longer: user time is counted in ticks of 10 ms. */
#define OUTSIDE_BLOCK_SECONDS 0.1
#define OUTSIDE_LONGER 4 /* its measurements, by options.seconds */
#define START_ROUNDS 11
#define MEMORY_CALLERS 8
#define MEMORY_STEPS 2

struct options {
    const char *json;      /* NULL: none is written */
    const char *samples;   /* folder of requests */
    double seconds;        /* for each measurement, all ways together */
    struct rpc callers;    /* that are measured in place of the plan's; none: the plan's */
    unsigned memory_calls; /* for each of the two steps */
};

struct bench {
    struct options options;
    struct plan plan;
    struct load *load;
    struct caller *caller; /* NULL: the plan has none */
    json_object *measurements;
    json_object *memory;
    json_object *start_up;
};

/* Puts the ways into an order of chance, so that none gains or loses by always following the same one. */
static void shuffle(size_t *order, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)random() % i, moved = order[other];
        order[other] = order[i - 1];
        order[i - 1] = moved;
    }
}

/* One request for each instance of each target of a scenario. */
struct requests {
    struct request of[PLAN_TARGETS][PLAN_INSTANCES];
};

/* A block by whoever makes the calls, and what the process at the other end used meanwhile. */
static bool run_block(struct bench *bench, bool outside, const struct request *requests, size_t request_count, size_t callers,
                      struct block_end end, pid_t pid, struct block *block)
{
    struct process_usage before = process_usage(pid);
    bool good = outside ? caller_block(bench->caller, requests, request_count, callers, end, block)
                        : load_block(bench->load, requests, request_count, callers, end, block);
    block->used = (struct process_usage){0};
    process_usage_add(&block->used, before, process_usage(pid));
    return good;
}

static double block_seconds(const struct scenario *scenario)
{
    return scenario->outside ? OUTSIDE_BLOCK_SECONDS : BLOCK_SECONDS;
}

static size_t count_rounds(const struct bench *bench, const struct scenario *scenario)
{
    double seconds = scenario->outside ? bench->options.seconds * OUTSIDE_LONGER : bench->options.seconds;
    return (size_t)(seconds / block_seconds(scenario) / (double)scenario->target_count);
}

/* One way's turn in a round. False when a call failed that must not. */
static bool measure_block(struct bench *bench, const struct scenario *scenario, size_t way, const struct request *requests,
                          size_t callers, size_t round, struct block *block, struct measured *measured)
{
    const struct target *target = &scenario->targets[way];
    size_t instance = round % target->instance_count;
    struct block_end end = {.seconds = block_seconds(scenario)};
    if (!run_block(bench, scenario->outside, &requests[instance], 1, callers, end, target->instances[instance].pid, block)) {
        measured->failed = true;
    } else if (round >= PLAN_INSTANCES) {
        measured_add_block(measured, block);
    }
    return !measured->failed || target->foreign;
}

/* Of this project's gateways, which are compared with all else. */
static void add_ratios(json_object *measurement, const struct scenario *scenario, const struct measured *measured)
{
    json_object *targets = json_object_object_get(measurement, "targets");
    for (size_t way = 0; way < scenario->target_count && scenario->outside; way++) {
        const char *name = scenario->targets[way].name;
        if (strcmp(name, "crigate") == 0 || strcmp(name, "before") == 0) {
            json_object_object_add(json_object_array_get_idx(targets, way), "ratios", stretches_ratios(scenario, measured, way));
        }
    }
}

static void report(struct bench *bench, const struct scenario *scenario, const char *rpc, size_t callers,
                   struct measured *measured)
{
    struct figures rows[PLAN_TARGETS];
    figures_compute(scenario, measured, rows);
    figures_print(stdout, scenario, rpc, callers, rows);
    json_object *measurement = figures_json(scenario, rpc, callers, rows);
    add_ratios(measurement, scenario, measured);
    json_object_array_add(bench->measurements, measurement);
}

static bool measure(struct bench *bench, const struct scenario *scenario, const struct requests *requests, const char *rpc,
                    size_t callers)
{
    struct measured measured[PLAN_TARGETS] = {0};
    struct block block = {0};
    size_t ways = scenario->target_count, order[PLAN_TARGETS];
    size_t rounds = count_rounds(bench, scenario);
    bool good = true;

    for (size_t way = 0; way < ways; way++) {
        order[way] = way;
    }
    /* The first rounds warm up, one for each instance. */
    for (size_t round = 0; round < rounds + PLAN_INSTANCES && good; round++) {
        shuffle(order, ways);
        for (size_t turn = 0; turn < ways && good; turn++) {
            size_t way = order[turn];
            if (!measured[way].failed) {
                good = measure_block(bench, scenario, way, requests->of[way], callers, round, &block, &measured[way]);
            }
        }
    }
    for (size_t way = 0; way < ways; way++) {
        measured[way].resident_kib = process_resident(scenario->targets[way].instances[0].pid);
        measured[way].peak_kib = process_peak(scenario->targets[way].instances[0].pid);
    }
    if (good) {
        report(bench, scenario, rpc, callers, measured);
    }
    block_free(&block);
    for (size_t way = 0; way < ways; way++) {
        measured_free(&measured[way]);
    }
    return good;
}

static bool connect_all(struct bench *bench, const struct scenario *scenario,
                        struct connection *connections[PLAN_TARGETS][PLAN_INSTANCES])
{
    for (size_t way = 0; way < scenario->target_count; way++) {
        const struct target *target = &scenario->targets[way];
        for (size_t i = 0; i < target->instance_count; i++) {
            connections[way][i] = load_connect(bench->load, target, i);
            if (!connections[way][i]) {
                fputs("bench: too many connections\n", stderr);
                return false;
            }
        }
    }
    return true;
}

static bool prepare_all(struct bench *bench, const struct scenario *scenario, const char *rpc,
                        struct connection *connections[PLAN_TARGETS][PLAN_INSTANCES], struct requests *requests)
{
    for (size_t way = 0; way < scenario->target_count; way++) {
        for (size_t i = 0; i < scenario->targets[way].instance_count; i++) {
            struct request *request = &requests->of[way][i];
            if (!load_prepare(bench->load, connections[way][i], rpc, scenario->containers, request) ||
                (scenario->outside && !caller_prepare(bench->caller, scenario->targets[way].instances[i].address, request))) {
                return false;
            }
        }
    }
    return true;
}

static bool run_scenario(struct bench *bench, const struct scenario *scenario)
{
    struct connection *connections[PLAN_TARGETS][PLAN_INSTANCES];
    if (!connect_all(bench, scenario, connections)) {
        return false;
    }
    for (size_t i = 0; i < scenario->rpc_count; i++) {
        const struct rpc *rpc = &scenario->rpcs[i];
        const struct rpc *callers = bench->options.callers.caller_count > 0 ? &bench->options.callers : rpc;
        struct requests requests;
        if (!prepare_all(bench, scenario, rpc->name, connections, &requests)) {
            return false;
        }
        for (size_t j = 0; j < callers->caller_count; j++) {
            if (!measure(bench, scenario, &requests, rpc->name, callers->callers[j])) {
                return false;
            }
        }
    }
    return true;
}

static bool watch_memory(struct bench *bench, const struct target *target)
{
    /* What kubelet's calls are like: mostly small, a list now and then. */
    static const char *const mix[] = {"Version", "ContainerStatus", "ContainerStatus", "ContainerStatus",
                                      "Version", "ContainerStatus", "ContainerStatus", "ContainerStatus",
                                      "Version", "ListContainers"};
    struct request requests[sizeof mix / sizeof mix[0]];
    unsigned long sizes[MEMORY_STEPS + 1] = {process_resident(target->instances[0].pid)};
    struct block block = {0};
    struct connection *connection = load_connect(bench->load, target, 0);
    bool good = connection != NULL;

    for (size_t i = 0; i < sizeof mix / sizeof mix[0] && good; i++) {
        good = load_prepare(bench->load, connection, mix[i], 100, &requests[i]) &&
               (!bench->caller || caller_prepare(bench->caller, target->instances[0].address, &requests[i]));
    }
    if (bench->caller && connection) {
        load_disconnect(bench->load);
    }
    for (size_t step = 1; step <= MEMORY_STEPS && good; step++) {
        good = run_block(bench, bench->caller != NULL, requests, sizeof mix / sizeof mix[0], MEMORY_CALLERS,
                         (struct block_end){.calls = bench->options.memory_calls}, target->instances[0].pid, &block);
        sizes[step] = process_resident(target->instances[0].pid);
    }
    block_free(&block);
    if (!good) {
        return false;
    }
    json_object *object = json_object_new_object(), *resident = json_object_new_array();
    json_object_object_add(object, "name", json_object_new_string(target->name));
    json_object_object_add(object, "calls_each_step", json_object_new_uint64(bench->options.memory_calls));
    printf("  %-12s", target->name);
    for (size_t step = 0; step <= MEMORY_STEPS; step++) {
        printf(" %12.1f", (double)sizes[step] / 1024);
        json_object_array_add(resident, json_object_new_uint64(sizes[step]));
    }
    json_object_object_add(object, "resident_kib", resident);
    json_object_array_add(bench->memory, object);
    printf("\n");
    fflush(stdout);
    return true;
}

static bool watch_all_memory(struct bench *bench)
{
    size_t calls = bench->options.memory_calls;
    if (bench->plan.memory_target_count == 0 || calls == 0) {
        return true;
    }
    printf("\nResident memory in MiB, %d callers; of ten calls one lists 100 containers, the others are small\n", MEMORY_CALLERS);
    printf("  %-12s %12s %12zu %12zu calls\n", "", "at start", calls, calls * 2);
    for (size_t i = 0; i < bench->plan.memory_target_count; i++) {
        if (!watch_memory(bench, &bench->plan.memory_targets[i])) {
            return false;
        }
    }
    return true;
}

static bool time_starts(struct bench *bench)
{
    if (bench->plan.start_count > 0) {
        printf("\nFrom the start of the program to the answer to Version, median and quartiles of %d starts\n", START_ROUNDS);
    }
    for (size_t i = 0; i < bench->plan.start_count; i++) {
        if (!start_up_measure(bench->load, &bench->plan.starts[i], START_ROUNDS, bench->start_up)) {
            return false;
        }
    }
    return true;
}

static json_object *describe_machine(void)
{
    struct utsname system;
    char line[256], processor[200] = "unknown processor", text[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "model name : %199[^\n]", processor) != 1) {
    }
    if (file) {
        fclose(file);
    }
    uname(&system);
    snprintf(text, sizeof text, "%ld x %s, Linux %s, gRPC C core %s", sysconf(_SC_NPROCESSORS_ONLN), processor, system.release,
             grpc_version_string());
    printf("%s\n", text);
    return json_object_new_string(text);
}

static bool write_json(const struct bench *bench, json_object *machine)
{
    json_object *report = json_object_new_object();
    json_object_object_add(report, "machine", machine);
    json_object_object_add(report, "seconds_each", json_object_new_double(bench->options.seconds));
    json_object_object_add(report, "measurements", bench->measurements);
    json_object_object_add(report, "memory", bench->memory);
    json_object_object_add(report, "start_up", bench->start_up);
    bool good = !bench->options.json || json_object_to_file_ext(bench->options.json, report, JSON_C_TO_STRING_PRETTY) == 0;
    json_object_put(report);
    if (!good) {
        fprintf(stderr, "bench: %s: %s\n", bench->options.json, json_util_get_last_err());
    }
    return good;
}

static bool run(struct bench *bench)
{
    /* Before C core has threads. */
    if (bench->plan.caller[0] && !(bench->caller = caller_start(bench->plan.caller))) {
        return false;
    }
    bench->load = load_open(bench->options.samples);
    bench->measurements = json_object_new_array();
    bench->memory = json_object_new_array();
    bench->start_up = json_object_new_array();
    json_object *machine = describe_machine();
    for (size_t i = 0; i < bench->plan.scenario_count; i++) {
        if (!run_scenario(bench, &bench->plan.scenarios[i])) {
            return false;
        }
    }
    if (!watch_all_memory(bench) || !time_starts(bench)) {
        return false;
    }
    load_close(bench->load);
    return write_json(bench, machine);
}

static bool read_seconds(const struct option_row *row, const char *text, void *into)
{
    double *seconds = &((struct options *)into)->seconds;
    *seconds = strtod(text, NULL);
    return *seconds > 0 || option_wrong(row->name, text, "a number above 0");
}

static bool read_callers(const struct option_row *row, const char *text, void *into)
{
    struct options *options = into;
    return plan_read_callers(&options->callers, text) || option_wrong(row->name, text, "numbers of callers");
}

static const struct option_row rows[] = {
    {"samples", "FOLDER", "with requests (tests/bench/samples)", OPTION_TEXT(struct options, samples)},
    {"seconds", "EACH", "for each measurement, all ways together (5)", .read = read_seconds},
    {"callers", "N,N", "at once, in place of the plan's", .read = read_callers},
    {"memory-calls", "N", "for each of two steps (100000)", OPTION_UNSIGNED(struct options, memory_calls)},
    {"json", "FILE", "write a report there", OPTION_TEXT(struct options, json)},
};

static const struct option_table table = {
    .about = "usage: bench [OPTION...] PLAN\n",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .after = "The form of a plan is in tests/bench/plan.h.\n",
    .operands = 1,
};

int main(int argc, char **argv)
{
    struct bench bench = {.options = {.samples = "tests/bench/samples", .seconds = 5, .memory_calls = 100000}};
    int status = options_read(&table, argc, argv, &bench.options);
    if (status >= 0) {
        return status;
    }
    bool good = plan_read(&bench.plan, argv[optind]) == 0 && run(&bench);
    caller_end(bench.caller);
    plan_free(&bench.plan);
    return good ? 0 : 1;
}
