#include "tests/faults/node.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/unix_socket.h"
#include "sim/common/memory.h"

/* Much later than budgets: milliseconds that answers come late while a runtime is told so. */
#define LATE_MS "700"

/* Of a sanitizer's report. */
#define REPORT_LINES 50

static const char *const dialects_of_first[] = {"v1", "v1alpha2,v1", NULL};
static const char *const dialects_of_second[] = {"v1alpha2", "v1", NULL};
static const char *const dialects_of_third[] = {"v1_9", "v1alpha2", "v1", NULL};

static const char *const dialects_of_images[] = {"v1alpha2", "v1", "v1_9", NULL};

static const struct node_runtime runtimes[PEER_COUNT] = {
    {.name = "first",
     .id_prefix = "",
     .roles = "    primary: true\n",
     .verbose_info = "containerd",
     .dialects = dialects_of_first},
    {.name = "second", .id_prefix = "", .roles = "    ids: plain\n", .verbose_info = "plain", .dialects = dialects_of_second},
    {.name = "third", .id_prefix = "third__", .roles = "", .verbose_info = "containerd", .dialects = dialects_of_third},
    {.name = "images", .dialects = dialects_of_images},
};

void node_path(const struct node *node, const char *name, const char *suffix, char path[NODE_PATH_SIZE])
{
    snprintf(path, NODE_PATH_SIZE, "%s/%s.%s", node->folder, name, suffix);
}

static bool find_programs(struct node *node)
{
    ssize_t length = readlink("/proc/self/exe", node->programs, sizeof node->programs - 1);
    char *slash = length > 0 ? strrchr(node->programs, '/') : NULL;
    if (slash) {
        *slash = '\0';
    }
    return slash != NULL;
}

static bool write_map(const struct node *node)
{
    char path[NODE_PATH_SIZE];
    node_path(node, "crigate", "yaml", path);
    FILE *map = fopen(path, "we");
    if (!map) {
        return false;
    }
    fprintf(map, "listen: %s\nstate: %s/state\nlimits:\n  startup_grace: 1s\n  shutdown_grace: 1s\n", node->endpoint,
            node->folder);
    fprintf(map, "hooks:\n  folder: %s/" NODE_PLUGIN_FOLDER "\n  timeout: %ums\n  skip: {label: %s, value: \"%s\"}\nruntimes:\n",
            node->folder, NODE_PLUGIN_TIMEOUT, NODE_SKIP_LABEL, NODE_SKIP_VALUE);
    for (unsigned i = 0; i < RUNTIME_COUNT; i++) {
        fprintf(map, "  - name: %s\n    endpoint: unix://%s/%s.sock\n    budget: %ums\n%s", runtimes[i].name, node->folder,
                runtimes[i].name, node->budget, runtimes[i].roles);
        if (i == IMAGES_OF) {
            fprintf(map, "    image_endpoint: unix://%s/%s.sock\n", node->folder, runtimes[IMAGES].name);
        }
    }
    if (node->metrics) {
        fprintf(map, "metrics: {listen: \"%s\"}\n", node->metrics);
    }
    return fclose(map) == 0;
}

bool node_make(struct node *node, const char *metrics, unsigned budget)
{
    *node = (struct node){.folder = "/tmp/crigate-faults-XXXXXX", .metrics = metrics, .budget = budget};
    memcpy(node->runtimes, runtimes, sizeof runtimes);
    char plugins[NODE_PATH_SIZE];
    bool made = find_programs(node) && mkdtemp(node->folder);
    snprintf(node->endpoint, sizeof node->endpoint, "unix://%s/crigate.sock", node->folder);
    snprintf(plugins, sizeof plugins, "%s/" NODE_PLUGIN_FOLDER, node->folder);
    if (!made || mkdir(plugins, 0755) != 0 || !write_map(node)) {
        fprintf(stderr, "faults: cannot make a folder to work in: %s\n", strerror(errno));
        return false;
    }
    return true;
}

/* In the new process: nothing but system calls, as other threads may have held locks. */
static void become(const char *path, const char *log, const char *const *arguments)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that is killed leaves nothing behind */
    int input = open("/dev/null", O_RDONLY);
    int output = open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execv(path, (char *const *)(void *)arguments);
    _exit(127);
}

pid_t node_start_program(const struct node *node, const char *program, const char *log_name, const char *const *arguments)
{
    char path[512];
    char log[NODE_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", node->programs, program);
    node_path(node, log_name, "log", log);
    pid_t pid = fork();
    if (pid < 0) {
        fprintf(stderr, "faults: cannot start %s: %s\n", path, strerror(errno));
        abort();
    }
    if (pid == 0) {
        become(path, log, arguments);
    }
    return pid;
}

static void start_images(struct node *node)
{
    struct node_runtime *images = &node->runtimes[IMAGES];
    char unused[NODE_PATH_SIZE + 8], listen[NODE_PATH_SIZE + 8], state[NODE_PATH_SIZE];
    snprintf(unused, sizeof unused, "unix://%s/unused.sock", node->folder);
    snprintf(listen, sizeof listen, "unix://%s/%s.sock", node->folder, images->name);
    node_path(node, images->name, "state", state);
    const char *arguments[] = {
        "crisim",  "--listen", unused,   "--image-listen", listen, "--api", images->dialects[images->dialect],
        "--state", state,      "--late", LATE_MS,          NULL};
    images->pid = node_start_program(node, "crisim", images->name, arguments);
}

void node_start_runtime(struct node *node, unsigned number)
{
    if (number == IMAGES) {
        start_images(node);
        return;
    }
    struct node_runtime *runtime = &node->runtimes[number];
    char listen[NODE_PATH_SIZE + 8];
    char journal[NODE_PATH_SIZE];
    char state[NODE_PATH_SIZE];
    snprintf(listen, sizeof listen, "unix://%s/%s.sock", node->folder, runtime->name);
    node_path(node, runtime->name, "journal", journal);
    node_path(node, runtime->name, "state", state);
    const char *arguments[] = {"crisim",
                               "--listen",
                               listen,
                               "--api",
                               runtime->dialects[runtime->dialect],
                               "--journal",
                               journal,
                               "--state",
                               state,
                               "--name",
                               runtime->name,
                               "--late",
                               LATE_MS,
                               "--verbose-info",
                               runtime->verbose_info,
                               number == IMAGES_OF ? "--any-image" : NULL,
                               NULL};
    runtime->pid = node_start_program(node, "crisim", runtime->name, arguments);
}

bool node_listens(const char *path)
{
    int probe = unix_socket_connect(path, SOCK_NONBLOCK);
    if (probe >= 0) {
        close(probe);
    }
    return probe >= 0;
}

bool node_runtime_listens(const struct node *node, unsigned runtime)
{
    char path[NODE_PATH_SIZE];
    node_path(node, node->runtimes[runtime].name, "sock", path);
    return node_listens(path);
}

bool node_fill_runtime(struct node *node, unsigned number)
{
    struct node_runtime *runtime = &node->runtimes[number];
    char path[NODE_PATH_SIZE];
    node_path(node, runtime->name, "sock", path);
    for (int stranger; (stranger = unix_socket_connect(path, SOCK_NONBLOCK)) >= 0; runtime->stranger_count++) {
        runtime->strangers = sim_grown(runtime->strangers, runtime->stranger_count, sizeof *runtime->strangers);
        runtime->strangers[runtime->stranger_count] = stranger;
    }
    return errno == EAGAIN;
}

void node_drain_runtime(struct node *node, unsigned number)
{
    struct node_runtime *runtime = &node->runtimes[number];
    for (size_t i = 0; i < runtime->stranger_count; i++) {
        close(runtime->strangers[i]);
    }
    free(runtime->strangers);
    runtime->strangers = NULL;
    runtime->stranger_count = 0;
}

void node_kill(pid_t *pid)
{
    if (*pid > 0) {
        kill(*pid, SIGKILL);
        waitpid(*pid, NULL, 0);
        *pid = 0;
    }
}

/* Requests of half a kilobyte: fewer would do while each is a write of its own, but a busy gateway writes several at once. */
#define CROWD_SIZE "800"
#define CROWD_REQUEST                                                                                                            \
    "{\"image\": {\"image\": \"crowd\"}, \"sandboxConfig\": {\"annotations\": {\"kubernetes.io/target-runtime\": \"%s\"}, "      \
    "\"labels\": {\"padding\": \"%0500d\"}}}"

void node_crowd_runtime(struct node *node, unsigned number)
{
    struct node_runtime *runtime = &node->runtimes[number];
    char request[1024];
    const char *owner = node->runtimes[number == IMAGES ? IMAGES_OF : number].name;
    snprintf(request, sizeof request, CROWD_REQUEST, owner, 0);
    const char *arguments[] = {"crowd", node->endpoint, "PullImage", request, CROWD_SIZE, "3000", NULL};
    node_disperse_crowd(node, number);
    runtime->crowd = node_start_program(node, "crowd", "callers", arguments);
}

void node_disperse_crowd(struct node *node, unsigned number)
{
    node_kill(&node->runtimes[number].crowd);
}

void node_start_stalled_caller(struct node *node)
{
    const char *arguments[] = {"raw_peer", unix_socket_path(node->endpoint), "stall", "1000", NULL};
    node_kill(&node->stalled);
    node->stalled = node_start_program(node, "raw_peer", "callers", arguments);
}

bool node_gateway_listens(const struct node *node)
{
    return node_listens(node->endpoint + strlen("unix://"));
}

pid_t node_start_gateway(struct node *node, bool take_over)
{
    char map[NODE_PATH_SIZE];
    node_path(node, "crigate", "yaml", map);
    node->gateway_starts++;
    const char *arguments[] = {"crigate", "--config", map, "-v", "2", take_over ? "--takeover" : NULL, NULL};
    return node_start_program(node, "crigate", "crigate", arguments);
}

void node_end(struct node *node)
{
    node_kill(&node->gateway);
    node_kill(&node->successor);
    node_kill(&node->stalled);
    for (unsigned i = 0; i < PLUGIN_COUNT; i++) {
        node_kill(&node->plugins[i].pid);
        node_kill(&node->plugins[i].superseded);
    }
    for (unsigned i = 0; i < PEER_COUNT; i++) {
        node_kill(&node->runtimes[i].pid);
        node_disperse_crowd(node, i);
        node_drain_runtime(node, i);
    }
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    return remove(path);
}

/* The reports in one log, with some lines of what follows each. */
static void print_reports(const char *path, FILE *out)
{
    static const char *const signs[] = {"ERROR: AddressSanitizer", "WARNING: ThreadSanitizer", "LeakSanitizer", "runtime error:"};
    FILE *log = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    unsigned rest = 0;
    while (log && getline(&line, &size, log) > 0) {
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
            rest = strstr(line, signs[i]) ? REPORT_LINES : rest;
        }
        if (rest > 0) {
            fprintf(out, "%s: %s", strrchr(path, '/') + 1, line);
            rest--;
        }
    }
    free(line);
    if (log) {
        fclose(log);
    }
}

void node_print_reports(const struct node *node, FILE *out)
{
    char pattern[NODE_PATH_SIZE];
    glob_t logs;
    node_path(node, "*", "log", pattern);
    if (glob(pattern, 0, NULL, &logs) == 0) {
        for (size_t i = 0; i < logs.gl_pathc; i++) {
            print_reports(logs.gl_pathv[i], out);
        }
        globfree(&logs);
    }
}

void node_remove(const struct node *node)
{
    nftw(node->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
