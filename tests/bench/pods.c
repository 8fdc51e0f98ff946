/* Makes pods with containers in a gateway or runtime, as a kubelet would: labels, annotations, resources and variables are those
   of tests/bench/samples. What they cost in memory is printed.

   Runs N pods (1000), each with N containers (5), which are created and started, a call after the other. Each container has five
   variables that take BYTES (500) together. With --remove, each pod is stopped and removed with its containers before the next
   one. Prints a line of JSON: pods, containers, calls, seconds, and of process PID the resident memory before and after, in KiB.
   Ends with status 1, after a message on stderr, when a call fails. */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "sim/common/options.h"
#include "tests/bench/load.h"
#include "tests/bench/process.h"

#define VARIABLES 5
#define TEXT_SIZE 128
#define IMAGE "docker.io/library/busybox:latest"

struct options {
    const char *samples;
    unsigned pods;
    unsigned containers;  /* in each */
    unsigned environment; /* bytes of each container's variables */
    bool remove;
    unsigned watched; /* a process; 0: none */
};

struct maker {
    struct options options;
    struct target target;
    struct load *load;
    struct connection *connection;
    struct json_object *sample; /* a CreateContainerRequest */
    char image[TEXT_SIZE];
    char value[TEXT_SIZE * 1024]; /* of each variable */
    uint64_t calls;
};

/* ---- calls ---- */

/* Calls, and copies a text of the answer, if `key` is not NULL. */
static bool call(struct maker *maker, const char *rpc, struct json_object *request, const char *key, char *text)
{
    struct json_object *answer = load_call(maker->load, maker->connection, rpc, request), *value;
    maker->calls++;
    bool good = answer && (!key || json_object_object_get_ex(answer, key, &value));
    if (good && key) {
        snprintf(text, TEXT_SIZE, "%s", json_object_get_string(value));
    }
    json_object_put(answer);
    return good;
}

static bool call_about(struct maker *maker, const char *rpc, const char *key, const char *id)
{
    struct json_object *request = json_object_new_object();
    json_object_object_add(request, key, json_object_new_string(id));
    return call(maker, rpc, request, NULL, NULL);
}

static bool pull_image(struct maker *maker)
{
    return call(maker, "PullImage", json_tokener_parse("{\"image\": {\"image\": \"" IMAGE "\"}}"), "imageRef", maker->image);
}

/* ---- what is made ---- */

static struct json_object *copy_of(struct json_object *object)
{
    struct json_object *copy = NULL;
    if (json_object_deep_copy(object, &copy, NULL) != 0) {
        fputs("bench-pods: out of memory\n", stderr);
        exit(1);
    }
    return copy;
}

static void set_text(struct json_object *object, const char *key, const char *text)
{
    json_object_object_add(object, key, json_object_new_string(text));
}

static struct json_object *get(struct json_object *object, const char *key)
{
    return json_object_object_get(object, key);
}

/* The configuration of a pod, with a name and a uid of its own wherever the sample has them. */
static struct json_object *pod_config(const struct maker *maker, unsigned number)
{
    struct json_object *config = copy_of(get(maker->sample, "sandboxConfig"));
    char name[TEXT_SIZE], uid[TEXT_SIZE], parent[TEXT_SIZE];
    snprintf(name, sizeof name, "web-755bd1fdff-%06u", number);
    snprintf(uid, sizeof uid, "755bd1fd-ffaa-40c1-8097-%012u", number);
    snprintf(parent, sizeof parent, "/kubepods/burstable/pod755bd1fd-ffaa-40c1-8097-%012u", number);
    set_text(get(config, "metadata"), "name", name);
    set_text(get(config, "metadata"), "uid", uid);
    set_text(get(config, "labels"), "io.kubernetes.pod.name", name);
    set_text(get(config, "labels"), "io.kubernetes.pod.uid", uid);
    set_text(get(config, "linux"), "cgroupParent", parent);
    return config;
}

static struct json_object *environment(const struct maker *maker)
{
    struct json_object *list = json_object_new_array();
    for (unsigned i = 0; i < VARIABLES; i++) {
        struct json_object *variable = json_object_new_object();
        char name[TEXT_SIZE];
        snprintf(name, sizeof name, "SHOP_SETTING_%02u", i);
        set_text(variable, "key", name);
        set_text(variable, "value", maker->value);
        json_object_array_add(list, variable);
    }
    return list;
}

static bool make_container(struct maker *maker, const char *pod, struct json_object *config, unsigned number, char *id)
{
    struct json_object *request = json_object_new_object(), *container = copy_of(get(maker->sample, "config"));
    char name[TEXT_SIZE];
    snprintf(name, sizeof name, "web-%u", number);
    set_text(get(container, "metadata"), "name", name);
    set_text(get(container, "image"), "image", maker->image);
    json_object_object_add(container, "envs", environment(maker));
    set_text(request, "podSandboxId", pod);
    json_object_object_add(request, "config", container);
    json_object_object_add(request, "sandboxConfig", json_object_get(config));
    return call(maker, "CreateContainer", request, "containerId", id) && call_about(maker, "StartContainer", "containerId", id);
}

static bool remove_container(struct maker *maker, const char *id)
{
    return call_about(maker, "StopContainer", "containerId", id) && call_about(maker, "RemoveContainer", "containerId", id);
}

static bool make_containers(struct maker *maker, const char *pod, struct json_object *config)
{
    for (unsigned i = 0; i < maker->options.containers; i++) {
        char id[TEXT_SIZE];
        if (!make_container(maker, pod, config, i, id) || (maker->options.remove && !remove_container(maker, id))) {
            return false;
        }
    }
    return true;
}

static bool make_pod(struct maker *maker, unsigned number)
{
    struct json_object *config = pod_config(maker, number), *request = json_object_new_object();
    char pod[TEXT_SIZE];
    json_object_object_add(request, "config", json_object_get(config));
    bool good = call(maker, "RunPodSandbox", request, "podSandboxId", pod) && make_containers(maker, pod, config);
    json_object_put(config);
    return good && (!maker->options.remove || (call_about(maker, "StopPodSandbox", "podSandboxId", pod) &&
                                               call_about(maker, "RemovePodSandbox", "podSandboxId", pod)));
}

/* ---- the run ---- */

static bool make_all(struct maker *maker)
{
    uint64_t start = process_clock();
    unsigned long before = process_resident((pid_t)maker->options.watched);
    for (unsigned i = 0; i < maker->options.pods; i++) {
        if (!make_pod(maker, i)) {
            fprintf(stderr, "bench-pods: pod %u was not made\n", i);
            return false;
        }
    }
    printf("{\"pods\":%u,\"containers\":%u,\"calls\":%" PRIu64 ",\"seconds\":%.1f,\"before_kib\":%lu,\"after_kib\":%lu}\n",
           maker->options.pods, maker->options.pods * maker->options.containers, maker->calls,
           (double)(process_clock() - start) / 1e9, before, process_resident((pid_t)maker->options.watched));
    return true;
}

static bool run(struct maker *maker, const char *address)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/create_container.json", maker->options.samples);
    maker->sample = json_object_from_file(path);
    if (!maker->sample) {
        fprintf(stderr, "bench-pods: %s\n", json_util_get_last_err());
        return false;
    }
    snprintf(maker->target.name, sizeof maker->target.name, "pods");
    snprintf(maker->target.package, sizeof maker->target.package, "runtime.v1");
    snprintf(maker->target.instances[0].address, sizeof maker->target.instances[0].address, "%s", address);
    memset(maker->value, 'x', maker->options.environment / VARIABLES);
    maker->load = load_open(maker->options.samples);
    maker->connection = load_connect(maker->load, &maker->target, 0);
    bool good = load_answers(maker->load, maker->connection) && pull_image(maker) && make_all(maker);
    load_close(maker->load);
    json_object_put(maker->sample);
    return good;
}

static const struct option_row rows[] = {
    {"pods", "N", "how many (1000)", OPTION_UNSIGNED(struct options, pods)},
    {"containers", "N", "in each (5)", OPTION_UNSIGNED(struct options, containers)},
    {"environment", "BYTES", "of each container's variables (500)", OPTION_UNSIGNED(struct options, environment)},
    {"remove", NULL, "each pod before the next one", OPTION_FLAG(struct options, remove)},
    {"samples", "FOLDER", "with requests (tests/bench/samples)", OPTION_TEXT(struct options, samples)},
    {"watch", "PID", "the process whose memory is printed", OPTION_UNSIGNED(struct options, watched)},
};

static const struct option_table table = {
    .about = "usage: bench-pods [OPTION...] ADDRESS\n",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .operands = 1,
};

int main(int argc, char **argv)
{
    static struct maker maker = {
        .options = {.samples = "tests/bench/samples", .pods = 1000, .containers = 5, .environment = 500}};
    int status = options_read(&table, argc, argv, &maker.options);
    if (status >= 0) {
        return status;
    }
    if (maker.options.environment / VARIABLES >= sizeof maker.value) {
        fputs("bench-pods: --environment is too large\n", stderr);
        return OPTIONS_WRONG;
    }
    return run(&maker, argv[optind]) ? 0 : 1;
}
