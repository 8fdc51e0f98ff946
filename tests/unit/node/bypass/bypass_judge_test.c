/* Whether a kubelet keeps its pods when its socket leads straight to a runtime. */
#include <stdlib.h>
#include <string.h>

#include "node/bypass/find.h"
#include "node/bypass/judge.h"
#include "tests/cmocka.h"

/* A node that may be bypassed; each test changes a part of it. */
struct node {
    struct arena *arena;
    struct runtime_found direct;
    struct kubelet kubelet;
    struct bypass_other other;
    struct bypass_facts facts;
    struct bypass_judgement judgement;
};

static int set_up(void **state)
{
    struct node *node = calloc(1, sizeof *node);
    node->arena = arena_new(1 << 20);
    node->direct = (struct runtime_found){.answers = true, .counted = true, .pods = 3};
    node->direct.speaks[DIALECT_V1] = true;
    node->kubelet = (struct kubelet){.pid = 812, .version = {1, 31, 4, "v1.31.4"}};
    node->other = (struct bypass_other){.name = "virtlet.cloud", .counted = true};
    node->facts = (struct bypass_facts){
        .link = "/run/crigate/crigate.sock",
        .target = "/run/containerd/containerd.sock",
        .direct = &node->direct,
        .in_map = true,
        .plain_ids = true,
        .kubelet = &node->kubelet,
        .kubelet_path = "/run/crigate/crigate.sock",
        .others = &node->other,
        .other_count = 1,
    };
    *state = node;
    return 0;
}

static int tear_down(void **state)
{
    struct node *node = *state;
    arena_unref(node->arena);
    free(node);
    return 0;
}

static void judge(struct node *node)
{
    bypass_judge(&node->facts, node->arena, &node->judgement);
}

/* Exactly one refusal, with that in it, and no warning. */
static void expect_refusal(struct node *node, const char *text)
{
    judge(node);
    assert_int_equal(node->judgement.refusal_count, 1);
    assert_non_null(strstr(node->judgement.refusals[0], text));
    assert_int_equal(node->judgement.warning_count, 0);
}

EACH_TEST(set_up, tear_down)

TEST(force_is_offered_only_where_it_can_be_wanted)
{
    struct node *node = *state;
    node->other.pods = 1;
    node->other.counted = true;
    judge(node);
    assert_int_equal(node->judgement.refusal_count, 1);
    assert_false(node->judgement.vain);
    node->facts.kubelet_elsewhere = true;
    judge(node);
    assert_true(node->judgement.vain);
    node->facts.kubelet_elsewhere = false;
    node->direct.answers = false;
    judge(node);
    assert_true(node->judgement.vain);
}

TEST(a_good_node_may_be_bypassed)
{
    struct node *node = *state;
    judge(node);
    assert_int_equal(node->judgement.refusal_count, 0);
    assert_int_equal(node->judgement.warning_count, 0);
}

TEST(a_runtime_that_does_not_answer_cannot_take_over)
{
    struct node *node = *state;
    node->direct = (struct runtime_found){.why_not = "nothing listens"};
    expect_refusal(node, "does not answer: nothing listens");
}

TEST(a_kubelet_would_stop_at_a_runtime_of_another_package)
{
    struct node *node = *state;
    node->direct.speaks[DIALECT_V1] = false;
    node->direct.speaks[DIALECT_V1ALPHA2] = true;
    expect_refusal(node, "the kubelet (v1.31.4) would stop: it needs runtime.v1,");
    /* It falls back. */
    node->kubelet.version = (struct kubelet_version){1, 25, 0, "v1.25.0"};
    judge(node);
    assert_int_equal(node->judgement.refusal_count, 0);
}

TEST(a_kubelet_of_unknown_version_is_no_good_guess)
{
    struct node *node = *state;
    node->kubelet.version = (struct kubelet_version){0, 0, 0, ""};
    expect_refusal(node, "its version is unknown");
}

TEST(prefixed_ids_would_lose_pods)
{
    struct node *node = *state;
    node->facts.plain_ids = false;
    expect_refusal(node, "prefixed ids");
}

TEST(a_runtime_that_is_not_in_the_map_has_none_of_the_pods)
{
    struct node *node = *state;
    node->facts.in_map = false;
    expect_refusal(node, "is not a runtime of the runtime map");
}

TEST(pods_of_another_runtime_would_be_lost)
{
    struct node *node = *state;
    node->other.pods = 2;
    expect_refusal(node, "runtime virtlet.cloud holds pods (2)");
    node->other = (struct bypass_other){.name = "virtlet.cloud", .counted = false};
    expect_refusal(node, "cannot ask runtime virtlet.cloud");
}

TEST(images_at_another_socket_would_not_be_found)
{
    struct node *node = *state;
    node->facts.images_elsewhere = true;
    expect_refusal(node, "keeps its images at a socket other");
}

TEST(without_a_kubelet_it_is_not_known_what_it_speaks)
{
    struct node *node = *state;
    node->facts.kubelet = NULL;
    node->facts.kubelet_problem = "there is no kubelet";
    expect_refusal(node, "there is no kubelet");
}

TEST(a_kubelet_that_calls_elsewhere_has_nothing_to_bypass)
{
    struct node *node = *state;
    node->facts.kubelet_path = "/run/containerd/containerd.sock";
    node->facts.kubelet_elsewhere = true;
    expect_refusal(node, "the kubelet calls /run/containerd/containerd.sock, not /run/crigate/crigate.sock");
}

TEST(what_changes_is_a_warning)
{
    struct node *node = *state;
    node->facts.hooks = true;
    node->facts.callers = "1.10";
    judge(node);
    assert_int_equal(node->judgement.refusal_count, 0);
    assert_int_equal(node->judgement.warning_count, 2);
    assert_non_null(strstr(node->judgement.warnings[0], "unmasked /proc"));
    assert_non_null(strstr(node->judgement.warnings[1], "hooks"));
}

TEST(a_map_that_cannot_be_read_stops_nobody)
{
    struct node *node = *state;
    node->facts.map_problem = "not YAML";
    node->facts.in_map = node->facts.plain_ids = false;
    node->facts.other_count = 0;
    judge(node);
    assert_int_equal(node->judgement.refusal_count, 0);
    assert_int_equal(node->judgement.warning_count, 1);
    assert_non_null(strstr(node->judgement.warnings[0], "not YAML"));
}
