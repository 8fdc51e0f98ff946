/* The fault test's claims about hooks can fail: journals of a gateway that breaks each of them are reported, and those of one
   that keeps them are not. */
#include "tests/faults/hook_claim.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cmocka.h"
#include "tests/faults/call.h"
#include "tests/faults/claim.h"
#include "tests/faults/event.h"

/* Milliseconds of the story, which begins at 1. */
#define MS(time) ((time)*NANOSECONDS_A_MILLISECOND)

/* The story's calls: call N begins at 100 * N, and may take long. */
int64_t call_began(unsigned number)
{
    return MS(100 * (int64_t)number);
}

int64_t call_ended(unsigned number)
{
    return MS(100 * (int64_t)number + 90);
}

unsigned call_timeout(unsigned number)
{
    return number < 9 ? 3000 : 40;
}

bool call_succeeded(unsigned number)
{
    return number < 9;
}

/* ---- the story ---- */

struct story {
    struct node node;
    struct history *history;
    struct truth *truth;
    struct hook_claims *claims;
    unsigned violations; /* before it */
};

static void take_call(void *state, unsigned runtime, const char *method, struct json_object *line)
{
    const struct story *story = state;
    hook_claims_take_call(story->claims, story->truth, runtime, method, line);
}

static int begin(void **state)
{
    struct story *story = calloc(1, sizeof *story);
    assert_non_null(story);
    assert_true(node_make(&story->node, NULL, 300));
    story->violations = event_violations();
    story->history = history_new();
    story->truth = truth_new(&story->node, take_call, story);
    story->claims = hook_claims_new(&story->node, story->history);
    history_confirmed(story->history, PLUGIN_THAT_FAILS, ALL_STAGES, MS(1));
    *state = story;
    return 0;
}

static int end(void **state)
{
    struct story *story = *state;
    hook_claims_free(story->claims);
    truth_free(story->truth);
    history_free(story->history);
    node_remove(&story->node);
    free(story);
    return 0;
}

/* A line at the end of a journal. */
static void append(const char *path, const char *line)
{
    FILE *journal = fopen(path, "ae");
    assert_non_null(journal);
    fprintf(journal, "%s\n", line);
    fclose(journal);
}

__attribute__((format(printf, 4, 5))) static void runtime_gets(const struct story *story, const char *method, unsigned number,
                                                               const char *request, ...)
{
    char path[NODE_PATH_SIZE];
    char text[1024];
    char line[2048];
    va_list arguments;
    va_start(arguments, request);
    vsnprintf(text, sizeof text, request, arguments);
    va_end(arguments);
    bool makes = strcmp(method, "RunPodSandbox") == 0 || strcmp(method, "CreateContainer") == 0;
    snprintf(line, sizeof line,
             "{\"method\":\"/runtime.v1.RuntimeService/%s\",\"request\":%s,\"metadata\":{\"" CALL_NUMBER_KEY
             "\":\"%u\"},\"code\":\"OK\",\"made\":\"%s\",\"at\":%lld}",
             method, text, number,
             !makes           ? ""
             : *method == 'R' ? "pod"
                              : "box",
             (long long)(call_began(number) + MS(50)));
    node_path(&story->node, story->node.runtimes[0].name, "journal", path);
    append(path, line);
}

/* A hook that the plugin answers at that millisecond, received 10 before. */
static void plugin_gets(const struct story *story, unsigned plugin, const char *hook, int64_t at, const char *request)
{
    char path[NODE_PATH_SIZE];
    char line[2048];
    snprintf(line, sizeof line, "{\"hook\":\"%s\",\"request\":%s,\"code\":\"OK\",\"received\":%lld,\"at\":%lld}", hook, request,
             (long long)MS(at - 10), (long long)MS(at));
    plugin_path(&story->node, plugin, story->node.plugins[plugin].place, "journal", path);
    append(path, line);
}

#define FAIL_MARK "\"example.com/20-fail\":\"yes\""
#define POD_CONFIG(labels, parent)                                                                                               \
    "{\"metadata\":{\"uid\":\"u\"},\"labels\":{" labels "},\"linux\":{\"cgroupParent\":\"" parent "\"}}"
#define MADE_POD "{\"config\":" POD_CONFIG(FAIL_MARK, "/changed") "}"
#define MADE_BOX(parent)                                                                                                         \
    "{\"podSandboxId\":\"pod\",\"config\":{\"metadata\":{\"attempt\":1},\"annotations\":{" FAIL_MARK                             \
    "}},\"sandboxConfig\":{\"linux\":{\"cgroupParent\":\"" parent "\"}}}"
#define THE_BOX "{\"containerId\":\"box\"}"

#define HOOK_POD "{\"podMeta\":{\"uid\":\"u\"},\"labels\":{},\"cgroupParent\":\"/own\"}"
#define HOOK_POD_LATER "{\"podMeta\":{\"uid\":\"u\"},\"labels\":{" FAIL_MARK "},\"cgroupParent\":\"/changed\"}"
#define HOOK_BOX(container, labels, parent)                                                                                      \
    "{\"podMeta\":{\"uid\":\"u\"},\"containerMeta\":{" container "},\"podLabels\":{" labels "},\"podCgroupParent\":\"" parent    \
    "\"}"
#define HOOK_BOX_LATER(container) HOOK_BOX(container, FAIL_MARK, "/changed")
#define BOX "\"id\":\"box\""

/* The pod and its container, as they should be made. */
static void make_both(const struct story *story)
{
    plugin_gets(story, 0, "PreRunPodSandbox", 120, HOOK_POD);
    plugin_gets(story, 1, "PreRunPodSandbox", 140, HOOK_POD);
    runtime_gets(story, "RunPodSandbox", 1, MADE_POD);
    plugin_gets(story, 1, "PreCreateContainer", 240, HOOK_BOX_LATER("\"attempt\":1"));
    runtime_gets(story, "CreateContainer", 2, MADE_BOX("/changed"));
}

static void start_box(const struct story *story)
{
    plugin_gets(story, 1, "PreStartContainer", 340, HOOK_BOX_LATER(BOX));
    runtime_gets(story, "StartContainer", 3, THE_BOX);
}

/* How many violations the story has. */
static unsigned violations_of(const struct story *story)
{
    truth_read(story->truth);
    hook_claims_read(story->claims);
    claim_check(story->truth, MS(10000));
    hook_claims_check(story->claims, MS(10000));
    return event_violations() - story->violations;
}

/* ---- cases ---- */

EACH_TEST(begin, end)

TEST(a_life_without_mistakes_is_none)
{
    const struct story *story = *state;
    make_both(story);
    start_box(story);
    plugin_gets(story, 1, "PostStartContainer", 380, HOOK_BOX_LATER(BOX));
    plugin_gets(story, 1, "PreUpdateContainerResources", 440,
                "{\"podMeta\":{\"uid\":\"u\"},\"containerMeta\":{" BOX "},\"podLabels\":{" FAIL_MARK
                "},\"podCgroupParent\":\"/changed\",\"containerResources\":{\"cpuShares\":7}}");
    runtime_gets(story, "UpdateContainerResources", 4, "{\"containerId\":\"box\",\"linux\":{\"cpuShares\":7,\"cpuQuota\":%d}}",
                 PLUGIN_QUOTA);
    runtime_gets(story, "StopContainer", 5, THE_BOX);
    plugin_gets(story, 0, "PostStopContainer", 580, HOOK_BOX_LATER(BOX));
    plugin_gets(story, 1, "PostStopContainer", 580, HOOK_BOX_LATER(BOX));
    runtime_gets(story, "StopPodSandbox", 6, "{\"podSandboxId\":\"pod\"}");
    plugin_gets(story, 1, "PostStopPodSandbox", 680, HOOK_POD_LATER);
    assert_int_equal(violations_of(story), 0);
}

TEST(a_call_that_is_sent_twice)
{
    const struct story *story = *state;
    make_both(story);
    start_box(story);
    runtime_gets(story, "StartContainer", 3, THE_BOX);
    assert_int_equal(violations_of(story), 1);
}

TEST(a_call_that_does_not_wait_for_its_hook)
{
    const struct story *story = *state;
    plugin_gets(story, 1, "PreRunPodSandbox", 140, HOOK_POD);
    plugin_gets(story, 0, "PreRunPodSandbox", 160, HOOK_POD);
    runtime_gets(story, "RunPodSandbox", 1, MADE_POD);
    assert_int_equal(violations_of(story), 1);
}

TEST(a_hook_that_was_given_up_may_end_later)
{
    const struct story *story = *state;
    plugin_gets(story, 1, "PreRunPodSandbox", 140, HOOK_POD);
    plugin_gets(story, 0, "PreRunPodSandbox", 100 + NODE_PLUGIN_TIMEOUT, HOOK_POD);
    runtime_gets(story, "RunPodSandbox", 1, MADE_POD);
    assert_int_equal(violations_of(story), 0);
}

TEST(a_hook_has_half_of_the_callers_time)
{
    const struct story *story = *state;
    plugin_gets(story, 1, "PreRunPodSandbox", 940, HOOK_POD);
    plugin_gets(story, 0, "PreRunPodSandbox", 960, HOOK_POD);
    runtime_gets(story, "RunPodSandbox", 9, MADE_POD);
    assert_int_equal(violations_of(story), 0);
}

TEST(a_call_without_the_plugin_that_must_be_asked)
{
    const struct story *story = *state;
    runtime_gets(story, "RunPodSandbox", 1, MADE_POD);
    assert_int_equal(violations_of(story), 1);
}

TEST(a_call_without_a_plugin_that_was_not_there_all_the_while)
{
    const struct story *story = *state;
    history_file(story->history, PLUGIN_THAT_FAILS, 0, MS(120));
    history_confirmed(story->history, PLUGIN_THAT_FAILS, ALL_STAGES, MS(130));
    runtime_gets(story, "RunPodSandbox", 1, MADE_POD);
    assert_int_equal(violations_of(story), 0);
}

TEST(a_pod_without_the_plugins_label)
{
    const struct story *story = *state;
    plugin_gets(story, 1, "PreRunPodSandbox", 140, HOOK_POD);
    runtime_gets(story, "RunPodSandbox", 1, "{\"config\":" POD_CONFIG("", "/changed") "}");
    assert_int_equal(violations_of(story), 1);
}

TEST(a_pod_without_the_plugins_cgroup_parent)
{
    const struct story *story = *state;
    plugin_gets(story, 1, "PreRunPodSandbox", 140, HOOK_POD);
    runtime_gets(story, "RunPodSandbox", 1, "{\"config\":" POD_CONFIG(FAIL_MARK, "/own") "}");
    assert_int_equal(violations_of(story), 1);
}

TEST(a_container_without_the_plugins_annotation)
{
    const struct story *story = *state;
    plugin_gets(story, 1, "PreRunPodSandbox", 140, HOOK_POD);
    runtime_gets(story, "RunPodSandbox", 1, MADE_POD);
    plugin_gets(story, 1, "PreCreateContainer", 240, HOOK_BOX_LATER("\"attempt\":1"));
    runtime_gets(story, "CreateContainer", 2,
                 "{\"podSandboxId\":\"pod\",\"config\":{\"metadata\":{\"attempt\":1}},"
                 "\"sandboxConfig\":{\"linux\":{\"cgroupParent\":\"/changed\"}}}");
    assert_int_equal(violations_of(story), 1);
}

TEST(an_update_without_the_plugins_quota)
{
    const struct story *story = *state;
    make_both(story);
    plugin_gets(story, 1, "PreUpdateContainerResources", 440,
                "{\"podMeta\":{\"uid\":\"u\"},\"containerMeta\":{" BOX "},\"podLabels\":{" FAIL_MARK
                "},\"podCgroupParent\":\"/changed\",\"containerResources\":{\"cpuShares\":7}}");
    runtime_gets(story, "UpdateContainerResources", 4, "{\"containerId\":\"box\",\"linux\":{\"cpuShares\":7}}");
    assert_int_equal(violations_of(story), 1);
}

TEST(a_hook_after_the_stop_twice)
{
    const struct story *story = *state;
    make_both(story);
    runtime_gets(story, "StopContainer", 5, THE_BOX);
    plugin_gets(story, 1, "PostStopContainer", 580, HOOK_BOX_LATER(BOX));
    plugin_gets(story, 1, "PostStopContainer", 680, HOOK_BOX_LATER(BOX));
    assert_int_equal(violations_of(story), 1);
}

TEST(a_hook_after_the_stop_of_a_pod_twice)
{
    const struct story *story = *state;
    make_both(story);
    runtime_gets(story, "StopPodSandbox", 6, "{\"podSandboxId\":\"pod\"}");
    plugin_gets(story, 1, "PostStopPodSandbox", 680, HOOK_POD_LATER);
    plugin_gets(story, 1, "PostStopPodSandbox", 690, HOOK_POD_LATER);
    assert_int_equal(violations_of(story), 1);
}

TEST(a_stop_that_only_a_killed_gateway_was_told)
{
    const struct story *story = *state;
    make_both(story);
    history_gateway_disturbed(story->history, MS(560), MS(590));
    history_successor_killed(story->history, MS(575));
    runtime_gets(story, "StopContainer", 5, THE_BOX);
    plugin_gets(story, 1, "PostStopContainer", 580, HOOK_BOX_LATER(BOX));
    plugin_gets(story, 1, "PostStopContainer", 680, HOOK_BOX_LATER(BOX));
    assert_int_equal(violations_of(story), 0);
}

TEST(a_hook_after_a_call_that_no_runtime_got)
{
    const struct story *story = *state;
    make_both(story);
    plugin_gets(story, 1, "PostStopContainer", 580, HOOK_BOX_LATER(BOX));
    assert_int_equal(violations_of(story), 1);
}

/* The hooks after start and stop in the wrong order. */
static void start_after_stop(const struct story *story)
{
    make_both(story);
    start_box(story);
    runtime_gets(story, "StopContainer", 5, THE_BOX);
    plugin_gets(story, 1, "PostStopContainer", 580, HOOK_BOX_LATER(BOX));
    plugin_gets(story, 1, "PostStartContainer", 590, HOOK_BOX_LATER(BOX));
}

TEST(a_hook_after_the_start_follows_that_after_the_stop)
{
    const struct story *story = *state;
    start_after_stop(story);
    assert_int_equal(violations_of(story), 1);
}

TEST(two_gateways_have_no_order)
{
    const struct story *story = *state;
    history_gateway_disturbed(story->history, MS(500), MS(510));
    start_after_stop(story);
    assert_int_equal(violations_of(story), 0);
}

TEST(a_call_that_was_refused_reaches_a_runtime)
{
    const struct story *story = *state;
    make_both(story);
    start_box(story);
    claim_refused(3, MS(300), MS(345));
    assert_int_equal(violations_of(story), 1);
}

TEST(a_call_that_was_refused_reaches_a_runtime_later)
{
    const struct story *story = *state;
    make_both(story);
    claim_refused(3, MS(300), MS(345));
    assert_int_equal(violations_of(story), 0);
    start_box(story);
    assert_int_equal(violations_of(story), 1);
}

TEST(a_later_hook_lacks_the_label)
{
    const struct story *story = *state;
    make_both(story);
    plugin_gets(story, 0, "PreStartContainer", 330, HOOK_BOX(BOX, "", "/changed"));
    assert_int_equal(violations_of(story), 1);
}

TEST(a_later_hook_lacks_the_cgroup_parent)
{
    const struct story *story = *state;
    make_both(story);
    plugin_gets(story, 0, "PreStartContainer", 330, HOOK_BOX(BOX, FAIL_MARK, "/own"));
    assert_int_equal(violations_of(story), 1);
}

/* A pod whose later hook lacks its label. */
static void forget_label(const struct story *story)
{
    make_both(story);
    plugin_gets(story, 0, "PreStartContainer", 330, HOOK_BOX(BOX, "", "/changed"));
}

TEST(a_gateway_that_took_over_and_was_killed_may_forget)
{
    const struct story *story = *state;
    history_gateway_disturbed(story->history, MS(90), MS(180));
    history_successor_killed(story->history, MS(170));
    forget_label(story);
    assert_int_equal(violations_of(story), 0);
}

TEST(a_gateway_that_took_over_and_was_killed_forgets_nothing_else)
{
    const struct story *story = *state;
    history_gateway_disturbed(story->history, MS(90), MS(180));
    history_gateway_disturbed(story->history, MS(190), MS(195));
    history_successor_killed(story->history, MS(192));
    forget_label(story);
    assert_int_equal(violations_of(story), 1);
}

TEST(a_cgroup_parent_that_nobody_reports)
{
    struct story *story = *state;
    story->node.runtimes[0].verbose_info = "plain";
    plugin_gets(story, 1, "PreRunPodSandbox", 940, HOOK_POD);
    runtime_gets(story, "RunPodSandbox", 9, MADE_POD);
    plugin_gets(story, 0, "PostStopPodSandbox", 1080, "{\"podMeta\":{\"uid\":\"u\"},\"labels\":{" FAIL_MARK "}}");
    runtime_gets(story, "StopPodSandbox", 10, "{\"podSandboxId\":\"pod\"}");
    assert_int_equal(violations_of(story), 0);
}

TEST(a_container_gets_the_callers_cgroup_parent)
{
    const struct story *story = *state;
    plugin_gets(story, 1, "PreRunPodSandbox", 140, HOOK_POD);
    runtime_gets(story, "RunPodSandbox", 1, MADE_POD);
    plugin_gets(story, 1, "PreCreateContainer", 240, HOOK_BOX_LATER("\"attempt\":1"));
    runtime_gets(story, "CreateContainer", 2, MADE_BOX("/own"));
    assert_int_equal(violations_of(story), 1);
}

TEST(a_pod_that_wants_no_hooks)
{
    const struct story *story = *state;
    runtime_gets(story, "RunPodSandbox", 1,
                 "{\"config\":" POD_CONFIG("\"" NODE_SKIP_LABEL "\":\"" NODE_SKIP_VALUE "\"", "/own") "}");
    assert_int_equal(violations_of(story), 0);
    plugin_gets(story, 0, "PreStartContainer", 330, HOOK_BOX(BOX, "\"" NODE_SKIP_LABEL "\":\"" NODE_SKIP_VALUE "\"", "/own"));
    assert_int_equal(violations_of(story), 1);
}
