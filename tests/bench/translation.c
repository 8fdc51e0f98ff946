/* Measures translation alone: conversions between each pair of dialects, in this process, without a transport. What the gateway
   adds to a call across dialects beyond one within a dialect is mostly this. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <json-c/json.h>

#include "sim/common/options.h"
#include "tests/bench/numbers.h"
#include "translate/convert/convert.h"
#include "translate/json/json.h"
#include "translate/walk/names.h"

#define ARENA_CAP ((size_t)256 * 1024 * 1024)

/* What is converted: a sample from a file, as it is or as one of many items of a list. */
static const struct subject {
    const char *method; /* with a service that both packages have */
    bool request;
    const char *file;
    const char *items; /* the field of the response that holds them; NULL: the sample is the message */
} subjects[] = {
    {"CreateContainer", true, "create_container.json", NULL},
    {"ContainerStatus", false, "container_status.json", NULL},
    {"ListContainers", false, "container.json", "containers"},
    {"ListPodSandbox", false, "pod.json", "items"},
};

struct options {
    const char *samples; /* folder */
    const char *method;  /* NULL: all of them */
    const char *from;    /* dialect; NULL: all of them */
    const char *to;
    unsigned items;
    unsigned rounds;
};

static _Noreturn void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench-translation: %s: %s\n", what, why);
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The sample as a message of that dialect, as often as the list is to have it. */
static struct bytes read_message(const struct options *options, const struct subject *subject, enum dialect dialect,
                                 struct arena *arena)
{
    const struct method *method = method_by_name(subject->method);
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", options->samples, subject->file);
    struct json_object *sample = json_object_from_file(path);
    if (!sample) {
        fail(path, json_util_get_last_err());
    }
    struct json_object *json = sample;
    if (subject->items) {
        struct json_object *list = json_object_new_array();
        for (size_t i = 0; i < options->items; i++) {
            json_object_array_add(list, json_object_get(sample));
        }
        json = json_object_new_object();
        json_object_object_add(json, subject->items, list);
        json_object_put(sample);
    }
    const struct method_in_dialect *in = &method->in[dialect];
    struct bytes message;
    struct error error;
    if (!json_to_message(subject->request ? in->request : in->response, json, true, arena, &message, &error)) {
        fail(path, error.message);
    }
    json_object_put(json);
    return message;
}

/* As prefixes do it: every name becomes longer. */
static bool put_prefix(void *state, enum name_kind kind, bool carried, struct bytes name, struct arena *arena,
                       struct mapped_name *mapped, struct error *error)
{
    (void)state;
    (void)kind;
    (void)carried;
    (void)arena;
    (void)error;
    *mapped = (struct mapped_name){.front = bytes_of_string("other__"), .rest = name};
    return true;
}

static const struct names prefixes = {.kinds = 1U << NAME_POD | 1U << NAME_CONTAINER, .map = put_prefix};

struct way {
    const struct subject *subject;
    enum dialect from, to;
    const struct names *names;
};

/* Nanoseconds of one conversion; an arena of its own counts as part of it. */
static double convert_once(const struct way *way, struct bytes message, size_t *size)
{
    uint64_t began = now_ns();
    struct arena *arena = arena_new(ARENA_CAP);
    struct conversion conversion = {
        .method = method_by_name(way->subject->method), .from = way->from, .to = way->to, .arena = arena, .names = way->names};
    struct error error;
    struct bytes out;
    if (!arena || !(way->subject->request ? convert_request : convert_response)(&conversion, message, &out, &error)) {
        fail(way->subject->method, error.message);
    }
    *size = out.len;
    arena_unref(arena);
    return (double)(now_ns() - began);
}

static void measure(const struct options *options, const struct way *way)
{
    struct numbers times = {0};
    struct arena *arena = arena_new(ARENA_CAP);
    struct bytes message = read_message(options, way->subject, way->from, arena);
    size_t size = 0;
    for (size_t i = 0; i < options->rounds; i++) {
        numbers_add(&times, convert_once(way, message, &size));
    }
    numbers_sort(&times);
    double median = numbers_quantile(&times, 0.5), best = numbers_quantile(&times, 0);
    printf("%-16s %-9s %-9s %-8s %10zu %10zu %10.1f %10.1f %10.3f\n", way->subject->method, dialects[way->from].name,
           dialects[way->to].name, way->names ? "prefixed" : "plain", message.len, size, median / 1e3, best / 1e3,
           best / (double)message.len);
    numbers_free(&times);
    arena_unref(arena);
}

static bool is_chosen(const char *choice, const char *name)
{
    return !choice || strcmp(choice, name) == 0;
}

static void measure_subject(const struct options *options, const struct subject *subject)
{
    for (int from = 0; from < DIALECT_COUNT; from++) {
        for (int to = 0; to < DIALECT_COUNT; to++) {
            if (is_chosen(options->from, dialects[from].name) && is_chosen(options->to, dialects[to].name)) {
                measure(options, &(struct way){.subject = subject, .from = (enum dialect)from, .to = (enum dialect)to});
            }
        }
        if (!subject->request && is_chosen(options->from, dialects[from].name) && is_chosen(options->to, "prefixed")) {
            measure(options, &(struct way){subject, (enum dialect)from, (enum dialect)from, &prefixes});
        }
    }
}

static const struct option_row rows[] = {
    {"rpc", "NAME", "that RPC alone", OPTION_TEXT(struct options, method)},
    {"from", "DIALECT", "that dialect alone", OPTION_TEXT(struct options, from)},
    {"to", "DIALECT", "that dialect alone, or prefixed: the same with prefixes", OPTION_TEXT(struct options, to)},
    {"items", "N", "in a list (1000)", OPTION_UNSIGNED(struct options, items)},
    {"rounds", "N", "of each measurement (200)", OPTION_UNSIGNED(struct options, rounds)},
};

static const struct option_table table = {
    .about = "usage: bench-translation [OPTION...] SAMPLES\n",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .operands = 1,
};

int main(int argc, char **argv)
{
    struct options options = {.items = 1000, .rounds = 200};
    int status = options_read(&table, argc, argv, &options);
    if (status >= 0) {
        return status;
    }
    options.samples = argv[optind];
    printf("%-16s %-9s %-9s %-8s %10s %10s %10s %10s %10s\n", "", "from", "to", "names", "bytes in", "bytes out", "median us",
           "best us", "ns a byte");
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        if (is_chosen(options.method, subjects[i].method)) {
            measure_subject(&options, &subjects[i]);
        }
    }
    return 0;
}
