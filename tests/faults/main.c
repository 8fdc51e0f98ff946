/* The fault test: a kubelet-like client and adversaries, with a gateway, three runtimes and two plugins between them. See
   docs/fault-tests.md. */
#include <grpc/grpc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>

#include "sim/common/options.h"
#include "tests/faults/adversary.h"
#include "tests/faults/call.h"
#include "tests/faults/claim.h"
#include "tests/faults/event.h"
#include "tests/faults/hook_claim.h"
#include "tests/faults/kubelet.h"
#include "tests/faults/plugin_adversary.h"

#define STEP_MS 5
#define CHECK_MS 500
#define PROGRESS_MS 15000
/* Journals are behind by the time that a runtime may be stopped. */
#define JOURNAL_LAG_MS 4000
/* What the gateway may take to find all runtimes again. */
#define RECOVERY_MS 60000
#define BUDGET_MS 300
#define MISSING_SIZE 128
/* No call that is answered late goes over this one. */
#define GENTLE_BUDGET_MS 60000

struct options {
    unsigned faults;
    unsigned gateway_faults;
    unsigned plugin_faults;
    unsigned minutes;
    unsigned seconds; /* 0: until all faults are done */
    uint64_t seed;
    const char *metrics; /* NULL: none */
    bool seeded;
    bool gentle;
    bool patient;
    bool hold;
    bool keep;
};

static bool read_seed(const struct option_row *row, const char *text, void *into)
{
    struct options *options = into;
    char *end;
    options->seed = strtoull(text, &end, 10);
    options->seeded = true;
    return (*text && !*end) || option_wrong(row->name, text, "a number");
}

#define FLAG(member) OPTION_FLAG(struct options, member)
#define NUMBER(member) OPTION_UNSIGNED(struct options, member)

static const struct option_row rows[] = {
    {"faults", "N", "faults of runtimes (1000)", NUMBER(faults)},
    {"gateway-faults", "N", "faults of the gateway (100)", NUMBER(gateway_faults)},
    {"plugin-faults", "N", "faults of plugins (500)", NUMBER(plugin_faults)},
    {"seed", "N", "of the random numbers; without it, a different one each time", .read = read_seed},
    {"minutes", "N", "give up then (30)", NUMBER(minutes)},
    {"seconds", "N", "end well then, also with fewer faults than that", NUMBER(seconds)},
    {"gentle", NULL, "only faults that break off no call: late answers, takeovers", FLAG(gentle)},
    {"patient", NULL, "the client gives up no call", FLAG(patient)},
    {"metrics", "ADDRESS", "the gateway serves its metrics there", OPTION_TEXT(struct options, metrics)},
    {"hold", NULL, "at the end, print \"faults: at rest\" and leave all as it is until the input ends", FLAG(hold)},
    {"keep", NULL, "keep the folder with logs and journals, also when all went well", FLAG(keep)},
};

static const struct option_table table = {
    .about = "usage: faults [OPTION...]\n",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .after = "exit status: 0 all went well, 1 violations, 2 wrong options\n",
};

/* The node, who acts on it, and what is known of it. */
struct test {
    struct node *node;
    struct adversary *adversary;
    struct plugin_adversary *plugin_adversary;
    struct history *history;
    struct truth *truth;
    struct hook_claims *hook_claims;
    bool plugins_fail;
};

static void take_call(void *state, unsigned runtime, const char *method, struct json_object *line)
{
    const struct test *test = state;
    hook_claims_take_call(test->hook_claims, test->truth, runtime, method, line);
}

static void check(const struct test *test, unsigned lag)
{
    int64_t until = event_now() - lag * NANOSECONDS_A_MILLISECOND;
    truth_read(test->truth);
    hook_claims_read(test->hook_claims);
    claim_check(test->truth, until);
    hook_claims_check(test->hook_claims, until);
}

static void step(const struct test *test, bool rest)
{
    unsigned failed = adversary_failed_takeovers(test->adversary);
    adversary_step(test->adversary, rest);
    if (adversary_failed_takeovers(test->adversary) > failed) {
        history_successor_killed(test->history, event_now());
    }
    plugin_adversary_step(test->plugin_adversary, adversary_gateway_is_settled(test->adversary), rest);
}

static bool is_done(const struct test *test)
{
    return adversary_is_done(test->adversary) && plugin_adversary_is_done(test->plugin_adversary);
}

/* What has not happened under faults, of what must for the test to prove anything; "": all has. On a busy machine, much fails
   only as it takes too long. */
static const char *missing_work(const struct test *test, char *text, size_t size)
{
    static const char *const expected[] = {
        "RunPodSandbox",    "StopPodSandbox",  "RemovePodSandbox", "CreateContainer",          "StartContainer",
        "StopContainer",    "RemoveContainer", "ListPodSandbox",   "UpdateContainerResources", "ListContainers",
        "PodSandboxStatus", "ContainerStatus", "PullImage"};
    static const char *const lists[] = {"ListPodSandbox", "ListContainers"};
    const char *never_checked = test->plugins_fail ? hook_claims_never_checked(test->hook_claims) : NULL;
    *text = '\0';
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        if (call_successes(expected[i]) == 0) {
            snprintf(text, size, "%s never succeeded", expected[i]);
        }
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (call_successes(lists[i]) < call_count(lists[i]) / 10) {
            snprintf(text, size, "%s failed too often: a list that always fails is never wrong", lists[i]);
        }
    }
    if (never_checked) {
        snprintf(text, size, "never checked: %s", never_checked);
    }
    return text;
}

static void print_progress(const struct test *test, int64_t took)
{
    printf("%4lld s: ", (long long)(took / 1000 / NANOSECONDS_A_MILLISECOND));
    adversary_print_progress(test->adversary, stdout);
    printf("; %zu pods and containers so far\n", truth_count(test->truth));
    fflush(stdout);
}

/* Until the adversaries have done all they want and nothing is missing, `enough` has come, something is wrong, or the time is
 * over.
 */
static void run_faults(const struct test *test, int64_t enough, int64_t deadline)
{
    int64_t began = event_now();
    int64_t next_check = 0;
    int64_t next_progress = began + PROGRESS_MS * NANOSECONDS_A_MILLISECOND;
    char missing[MISSING_SIZE] = "";
    while (event_violations() == 0) {
        int64_t now = event_now();
        bool done = enough ? now >= enough : is_done(test);
        if (done && (enough || !*missing_work(test, missing, sizeof missing))) {
            return;
        }
        if (done) {
            adversary_go_on(test->adversary);
        }
        step(test, false);
        if (now >= next_check) {
            check(test, JOURNAL_LAG_MS);
            next_check = now + CHECK_MS * NANOSECONDS_A_MILLISECOND;
        }
        if (now >= next_progress) {
            print_progress(test, now - began);
            next_progress += PROGRESS_MS * NANOSECONDS_A_MILLISECOND;
        }
        if (now >= deadline) {
            event_violation("the time is over%s%s", *missing ? ": " : "", missing);
        }
        event_sleep(STEP_MS);
    }
}

/* Lets all get well, whereupon the lists must be whole. */
static void let_recover(const struct test *test)
{
    int64_t deadline = event_now() + RECOVERY_MS * NANOSECONDS_A_MILLISECOND;
    bool well = false;
    event_note("no more faults");
    while (!well && event_now() < deadline) {
        step(test, true);
        well = adversary_is_quiet(test->adversary) && plugin_adversary_is_quiet(test->plugin_adversary) && kubelet_lists_work();
        event_sleep(STEP_MS);
    }
    if (!well) {
        event_violation("the node does not recover");
    }
}

static void start(struct test *test, struct node *node, const struct options *options)
{
    *test = (struct test){.node = node, .history = history_new(), .plugins_fail = options->plugin_faults > 0};
    test->truth = truth_new(node, take_call, test);
    test->hook_claims = hook_claims_new(node, test->history);
    for (unsigned i = 0; i < PEER_COUNT; i++) {
        node_start_runtime(node, i);
    }
    test->plugin_adversary = plugin_adversary_new(node, test->history, options->seed + 1, options->plugin_faults);
    node->gateway = node_start_gateway(node, false);
    call_set_endpoint(node->endpoint);
    test->adversary = adversary_new(node, options->seed, options->faults, options->gateway_faults, options->gentle);
}

/* A call of before would be one that the gateway never saw, and did not count. */
static void wait_for_gateway(const struct node *node)
{
    int64_t deadline = event_now() + RECOVERY_MS * NANOSECONDS_A_MILLISECOND;
    while (!node_gateway_listens(node) && event_now() < deadline) {
        event_sleep(STEP_MS);
    }
}

/* Whoever holds the other end of the input looks at the node meanwhile. */
static void hold(void)
{
    printf("faults: at rest\n");
    fflush(stdout);
    while (getchar() != EOF) {
    }
}

static void end(struct test *test)
{
    node_end(test->node);
    adversary_free(test->adversary);
    plugin_adversary_free(test->plugin_adversary);
    hook_claims_free(test->hook_claims);
    truth_free(test->truth);
    history_free(test->history);
}

static void run(struct node *node, const struct options *options)
{
    char log[NODE_PATH_SIZE];
    char missing[MISSING_SIZE];
    struct test test;
    node_path(node, "events", "log", log);
    event_open(log);
    node_path(node, "calls", "log", log);
    call_open_log(log);
    int64_t began = event_now();
    start(&test, node, options);
    if (options->patient) {
        wait_for_gateway(node);
    }
    struct kubelet *kubelet = kubelet_start(node, ~options->seed, options->patient);
    run_faults(&test, options->seconds > 0 ? began + options->seconds * 1000 * NANOSECONDS_A_MILLISECOND : 0,
               began + options->minutes * 60000 * NANOSECONDS_A_MILLISECOND);
    if (event_violations() == 0) {
        let_recover(&test);
    }
    kubelet_stop(kubelet);
    check(&test, 0);
    if (event_violations() == 0 && options->seconds > 0 && *missing_work(&test, missing, sizeof missing)) {
        event_violation("%s", missing);
    }
    if (event_violations() == 0 && options->hold) {
        hold();
    }
    adversary_print(test.adversary, stdout);
    plugin_adversary_print(test.plugin_adversary, stdout);
    claim_print(stdout);
    hook_claims_print(test.hook_claims, stdout);
    call_print_statistics(stdout);
    end(&test);
    call_close_log();
    event_close();
}

/* A sanitizer's verdict on a gateway must not look like a takeover that did not succeed. */
static void tell_sanitizers_apart(void)
{
    char options[1024];
    const char *given = getenv("ASAN_OPTIONS");
    snprintf(options, sizeof options, "%s%sexitcode=99", given ? given : "", given ? ":" : "");
    setenv("ASAN_OPTIONS", options, 1);
}

/* Filling a socket takes as many descriptors as the kernel lets wait to be accepted. */
static void take_all_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int main(int argc, char **argv)
{
    struct options options = {.faults = 1000, .gateway_faults = 100, .plugin_faults = 500, .minutes = 30};
    static struct node node;
    int status = options_read(&table, argc, argv, &options);
    if (status >= 0) {
        return status;
    }
    if (!options.seeded && getrandom(&options.seed, sizeof options.seed, 0) != sizeof options.seed) {
        return EXIT_FAILURE;
    }
    options.seed %= 1000000000; /* short enough to be typed */
    if (!node_make(&node, options.metrics, options.gentle ? GENTLE_BUDGET_MS : BUDGET_MS)) {
        return EXIT_FAILURE;
    }
    signal(SIGPIPE, SIG_IGN);
    take_all_descriptors();
    tell_sanitizers_apart();
    printf("faults: seed %llu, folder %s\n", (unsigned long long)options.seed, node.folder);
    fflush(stdout);
    int64_t began = event_now();
    grpc_init();
    run(&node, &options);
    grpc_shutdown();
    printf("took %lld s\n", (long long)((event_now() - began) / 1000 / NANOSECONDS_A_MILLISECOND));
    bool good = event_violations() == 0;
    if (!good) {
        event_print(stdout);
        node_print_reports(&node, stdout);
        printf("faults: violated; again with --seed %llu; logs, journals and events are in %s\n",
               (unsigned long long)options.seed, node.folder);
    } else if (!options.keep) {
        node_remove(&node);
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
