/* What preflight concludes from a kubelet, its runtime and the node. */
#include "node/preflight/judge.h"
#include "tests/cmocka.h"

/* A node on which nothing is wrong, for a test to change. */
struct node {
    struct survey survey;
    struct runtime_found *runtime;
    struct arena *arena;
    struct judgement judgement;
};

static int node_begin(void **state)
{
    struct node *node = test_calloc(1, sizeof *node);
    struct survey *survey = &node->survey;
    const struct kubelet_setting unset = {.value = ""};
    node->arena = arena_new(1 << 20);
    node->runtime = &survey->runtimes.items[0];
    survey->root = survey->has_kubelet = survey->has_plan = true;
    survey->kubelet = (struct kubelet){.pid = 7,
                                       .version = {1, 31, 4, "v1.31.4"},
                                       .container_runtime = unset,
                                       .runtime_endpoint = unset,
                                       .image_endpoint = unset,
                                       .cgroup_driver = {.value = "systemd"}};
    survey->runtimes.count = 1;
    *node->runtime = (struct runtime_found){.name = "containerd",
                                            .endpoint = "unix:///run/containerd/containerd.sock",
                                            .answers = true,
                                            .speaks = {[DIALECT_V1] = true},
                                            .cgroup_driver = "systemd",
                                            .has_runtime_config = true,
                                            .counted = true};
    survey->endpoint = node->runtime->endpoint;
    survey->present = node->runtime;
    survey->cgroup_version = 2;
    *state = node;
    return 0;
}

static int node_end(void **state)
{
    struct node *node = *state;
    arena_unref(node->arena);
    test_free(node);
    return 0;
}

static void set_version(struct node *node, unsigned minor)
{
    node->survey.kubelet.version = (struct kubelet_version){1, minor, 0, "v1.x"};
}

static void speak(struct node *node, enum dialect dialect)
{
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        node->runtime->speaks[i] = i == dialect;
    }
}

static const struct judgement *judged(struct node *node)
{
    struct survey *survey = &node->survey;
    survey->has_pair =
        survey->has_kubelet && survey->present && pair_of(&survey->kubelet.version, survey->present, &survey->pair);
    judge(survey, node->arena, &node->judgement);
    return &node->judgement;
}

/* One remark has this in it. */
static void assert_says(const struct remarks *remarks, const char *text)
{
    for (size_t i = 0; i < remarks->count; i++) {
        if (strstr(remarks->lines[i], text)) {
            return;
        }
    }
    fail_msg("none of %zu remarks says: %s", remarks->count, text);
}

static void assert_verdict(struct node *node, enum fitness fitness, const char *beginning)
{
    const char *verdict = judgement_verdict(judged(node), node->arena);
    assert_int_equal(judgement_fitness(&node->judgement), fitness);
    if (strncmp(verdict, beginning, strlen(beginning)) != 0) {
        fail_msg("the verdict is: %s", verdict);
    }
}

/* ---- kubelets and their dialects ---- */

EACH_TEST(node_begin, node_end)

TEST(each_release_tries_its_packages)
{
    static const struct {
        unsigned minor;
        size_t count;
        enum dialect first, last;
    } rows[] = {
        {9, 1, DIALECT_V1_9, DIALECT_V1_9},
        {10, 1, DIALECT_V1_12, DIALECT_V1_12},
        {12, 1, DIALECT_V1_12, DIALECT_V1_12},
        {13, 1, DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
        {22, 1, DIALECT_V1ALPHA2, DIALECT_V1ALPHA2},
        {23, 2, DIALECT_V1, DIALECT_V1ALPHA2},
        {25, 2, DIALECT_V1, DIALECT_V1ALPHA2},
        {26, 1, DIALECT_V1, DIALECT_V1},
        {99, 1, DIALECT_V1, DIALECT_V1},
    };
    struct kubelet_dialects found;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kubelet_version version = {.major = 1, .minor = rows[i].minor};
        assert_true(kubelet_dialects_of(&version, &found));
        assert_int_equal(found.count, rows[i].count);
        assert_int_equal(found.tried[0], rows[i].first);
        assert_int_equal(found.tried[found.count - 1], rows[i].last);
    }
    assert_false(kubelet_dialects_of(&(struct kubelet_version){.major = 1, .minor = 8}, &found));
    assert_false(kubelet_dialects_of(&(struct kubelet_version){.major = 0}, &found));
    assert_false(kubelet_dialects_of(&(struct kubelet_version){.major = 2, .minor = 20}, &found));
}

TEST(a_pair_that_differs_loses_something)
{
    struct node *node = *state;
    judged(node);
    assert_int_equal(node->survey.pair.refused + node->survey.pair.judged + node->survey.pair.lacking, 0);
    assert_true(node->survey.pair.direct);
    speak(node, DIALECT_V1_9);
    judged(node);
    assert_true(node->survey.pair.refused > 0 && node->survey.pair.judged > 0 && node->survey.pair.left_out > 0);
    assert_true(node->survey.pair.lacking > 0);
    assert_false(node->survey.pair.direct);
    assert_string_equal(node->survey.pair.package, "runtime.v1");
}

TEST(a_release_ignores_what_others_of_its_dialect_honour)
{
    struct node *node = *state;
    node->runtime->runtime_name = "containerd";
    node->runtime->runtime_version = "v1.6.20~ds1";
    judged(node);
    assert_true(node->survey.pair.ignored_refused > 0 && node->survey.pair.ignored > 0);
    size_t refused = node->survey.pair.ignored_refused;
    node->runtime->runtime_version = "v1.7.24";
    judged(node);
    assert_true(node->survey.pair.ignored_refused > 0 && node->survey.pair.ignored_refused < refused);
    /* A kubelet that does not know these fields cannot ask for them. */
    set_version(node, 9);
    judged(node);
    assert_int_equal(node->survey.pair.ignored_refused + node->survey.pair.ignored, 0);
    set_version(node, 31);
    node->runtime->runtime_version = "v99.0.0";
    judged(node);
    assert_int_equal(node->survey.pair.ignored_refused + node->survey.pair.ignored, 0);
}

TEST(a_kubelet_loses_nothing_that_it_does_not_know)
{
    struct node *node = *state;
    set_version(node, 12);
    speak(node, DIALECT_V1_12);
    judged(node);
    assert_int_equal(node->survey.pair.caller, DIALECT_V1_12);
    assert_int_equal(node->survey.pair.refused + node->survey.pair.judged, 0);
    set_version(node, 13);
    judged(node);
    assert_true(node->survey.pair.refused + node->survey.pair.judged > 0);
}

TEST(a_kubelet_and_a_runtime_of_one_package_need_no_crigate)
{
    struct node *node = *state;
    static const struct {
        unsigned minor;
        enum dialect runtime;
        bool direct;
    } rows[] = {
        {9, DIALECT_V1_9, true},      {9, DIALECT_V1, false},    {11, DIALECT_V1ALPHA2, true},  {20, DIALECT_V1_12, true},
        {24, DIALECT_V1ALPHA2, true}, {24, DIALECT_V1_9, false}, {26, DIALECT_V1ALPHA2, false}, {26, DIALECT_V1, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        set_version(node, rows[i].minor);
        speak(node, rows[i].runtime);
        judged(node);
        assert_int_equal(node->survey.pair.direct, rows[i].direct);
    }
}

/* ---- verdicts ---- */

TEST(a_node_on_which_nothing_is_wrong_is_fit)
{
    struct node *node = *state;
    assert_verdict(node, FIT, "fit");
    assert_string_equal(judgement_verdict(&node->judgement, node->arena), "fit");
    assert_int_equal(node->judgement.notes.count, 0);
}

TEST(without_a_kubelet_it_is_not_possible)
{
    struct node *node = *state;
    node->survey.has_kubelet = false;
    error_set(&node->survey.why_no_kubelet, STATUS_NOT_FOUND, "there is \033 no kubelet");
    assert_verdict(node, NOT_POSSIBLE, "not possible: there is ? no kubelet");
    assert_int_equal(node->judgement.reasons.count, 1);
}

TEST(what_the_plan_says_counts)
{
    struct node *node = *state;
    node->survey.plan.warnings[node->survey.plan.warning_count++] = "one";
    node->survey.plan.warnings[node->survey.plan.warning_count++] = "two";
    assert_verdict(node, FIT_WITH_WARNINGS, "fit, with warnings: one; two");
    node->survey.plan.impossible = "it is rootless";
    assert_verdict(node, NOT_POSSIBLE, "not possible: it is rootless");
    node->survey.has_plan = false;
    error_set(&node->survey.why_no_plan, STATUS_INVALID_ARGUMENT, "config.yaml:3: no YAML");
    assert_verdict(node, NOT_POSSIBLE, "not possible: config.yaml:3: no YAML");
}

TEST(the_present_runtime_must_answer)
{
    struct node *node = *state;
    node->runtime->answers = false;
    node->runtime->speaks[DIALECT_V1] = false;
    node->runtime->why_not = "nothing listens";
    assert_verdict(node, NOT_POSSIBLE,
                   "not possible: containerd at unix:///run/containerd/containerd.sock does not answer: nothing listens");
    node->survey.present = NULL;
    assert_verdict(node, NOT_POSSIBLE, "not possible: the kubelet's endpoint unix:///run/containerd/containerd.sock leads to no");
    node->survey.endpoint = NULL;
    assert_verdict(node, NOT_POSSIBLE, "not possible: nothing sets the kubelet's runtime endpoint");
}

TEST(docker_within_the_kubelet_needs_what_takes_its_place)
{
    struct node *node = *state;
    set_version(node, 20);
    speak(node, DIALECT_V1ALPHA2);
    node->survey.docker.built_in = true;
    judged(node);
    assert_int_equal(node->judgement.reasons.count, 0);
    assert_says(&node->judgement.notes, "cri-dockerd replaces it (crigate-docker.service)");
    node->survey.docker.impossible = node->survey.plan.impossible = "there is no cri-dockerd";
    node->survey.present = NULL;
    assert_verdict(node, NOT_POSSIBLE, "not possible: there is no cri-dockerd");
    assert_int_equal(node->judgement.reasons.count, 1);
}

TEST(what_is_lost_before_another_runtime_is_counted_anew)
{
    struct node *node = *state;
    set_version(node, 22);
    speak(node, DIALECT_V1ALPHA2);
    judged(node);
    assert_true(node->survey.pair.direct);
    assert_int_equal(node->survey.pair.answers_left_out, 0);
    pair_replace_runtime(&node->survey.pair, DIALECT_V1, "docker");
    assert_true(node->survey.pair.direct);
    assert_int_equal(node->survey.pair.runtime, DIALECT_V1);
    assert_true(node->survey.pair.answers_left_out > 0);
    assert_int_equal(node->survey.pair.lacking, 0);
}

TEST(a_kubelet_that_is_too_old_or_unknown_is_reported)
{
    struct node *node = *state;
    node->survey.kubelet.container_runtime.value = "remote";
    set_version(node, 8);
    assert_verdict(node, NOT_POSSIBLE, "not possible: crigate serves kubelets from 1.9 on");
    node->survey.kubelet.version = (struct kubelet_version){0};
    assert_verdict(node, FIT_WITH_WARNINGS, "fit, with warnings: the kubelet's version could not be determined");
    node->survey.kubelet.pid = 0;
    assert_says(&judged(node)->warnings, "the kubelet is not running");
}

TEST(a_kubelet_that_ends_again_and_again_must_be_put_right_first_unless_crigate_does_that)
{
    struct node *node = *state;
    struct survey *survey = &node->survey;
    survey->kubelet.pid = 0;
    survey->kubelet.unit.active = "activating";
    survey->plan.file_count = 1;
    assert_verdict(node, NOT_POSSIBLE, "not possible: the kubelet is not running: it exits soon after each start.");
    speak(node, DIALECT_V1ALPHA2);
    assert_verdict(node, FIT_WITH_WARNINGS, "fit, with warnings: the kubelet is not running;");
    speak(node, DIALECT_V1);
    assert_int_equal(judgement_fitness(judged(node)), NOT_POSSIBLE);
    survey->plan.file_count = 0; /* its owner has pointed it at crigate, for which it waits */
    assert_int_equal(judgement_fitness(judged(node)), FIT_WITH_WARNINGS);
}

TEST(of_a_kubelet_that_does_not_run_the_endpoint_may_be_unclear)
{
    struct node *node = *state;
    node->survey.endpoint = NULL;
    node->survey.present = NULL;
    node->runtime->pods = 2;
    assert_says(&judged(node)->reasons, "nothing sets the kubelet's runtime endpoint");
    node->survey.kubelet.unclear = "a script starts it";
    assert_int_equal(judged(node)->reasons.count, 0);
    assert_int_equal(node->judgement.notes.count, 0);
}

TEST(an_unknown_service_and_refused_fields_are_warned_of)
{
    struct node *node = *state;
    speak(node, DIALECT_V1ALPHA2);
    node->runtime->has_runtime_config = false;
    assert_int_equal(judgement_fitness(judged(node)), FIT_WITH_WARNINGS);
    assert_says(&node->judgement.warnings, "would stop with \"unknown service runtime.v1.RuntimeService\"");
    assert_says(&node->judgement.warnings, "(crigate explain --from v1 --to v1alpha2)");
}

TEST(cgroup_drivers_must_agree)
{
    struct node *node = *state;
    node->survey.kubelet.cgroup_driver.value = "cgroupfs";
    /* It asks the runtime. */
    assert_int_equal(judgement_fitness(judged(node)), FIT);
    assert_says(&node->judgement.notes, "it takes containerd's, systemd, by RuntimeConfig");
    /* Up to now it could not. */
    node->runtime->has_runtime_config = false;
    assert_verdict(node, FIT_WITH_WARNINGS,
                   "fit, with warnings: the kubelet's cgroup driver is cgroupfs, that of containerd systemd: "
                   "through crigate the kubelet takes the latter");
    /* It does not ask, and has a default. */
    set_version(node, 27);
    node->survey.kubelet.cgroup_driver.value = "";
    assert_verdict(
        node, FIT_WITH_WARNINGS,
        "fit, with warnings: the kubelet's cgroup driver is cgroupfs, that of containerd systemd: they must be the same");
    node->runtime->cgroup_driver = "cgroupfs";
    assert_int_equal(judgement_fitness(judged(node)), FIT);
    node->runtime->cgroup_driver = "";
    assert_int_equal(judgement_fitness(judged(node)), FIT);
}

TEST(runtime_config_is_needed_from_1_38_on)
{
    struct node *node = *state;
    node->runtime->has_runtime_config = false;
    assert_int_equal(judgement_fitness(judged(node)), FIT);
    assert_says(&node->judgement.notes,
                "from 1.38 on (planned), kubelets need RuntimeConfig, which containerd lacks; crigate answers it");
    node->runtime->cgroup_driver = "";
    assert_int_equal(judgement_fitness(judged(node)), FIT);
    assert_says(&node->judgement.notes, "set cgroup_driver in the runtime map");
    set_version(node, 38);
    assert_int_equal(judgement_fitness(judged(node)), FIT_WITH_WARNINGS);
    assert_says(&node->judgement.warnings, "set cgroup_driver in the runtime map");
    /* Those that do not ask for it need no word of it. */
    set_version(node, 30);
    assert_int_equal(judged(node)->notes.count, 0);
}

TEST(cgroup_v1_stops_kubelets_from_1_35_on)
{
    struct node *node = *state;
    node->survey.cgroup_version = 1;
    set_version(node, 34);
    assert_int_equal(judgement_fitness(judged(node)), FIT);
    assert_says(&node->judgement.notes, "failCgroupV1: false");
    set_version(node, 35);
    assert_int_equal(judgement_fitness(judged(node)), FIT_WITH_WARNINGS);
    assert_says(&node->judgement.warnings, "failCgroupV1: false");
}

TEST(other_runtimes_with_pods_and_missing_rights_are_reported)
{
    struct node *node = *state;
    node->survey.runtimes.items[1] = (struct runtime_found){.name = "cri-o", .cgroup_driver = "", .pods = 3};
    node->survey.runtimes.count = 2;
    node->survey.root = false;
    assert_verdict(node, FIT_WITH_WARNINGS, "fit, with warnings: without root");
    assert_says(&node->judgement.notes, "cri-o holds 3 pods");
    node->survey.calls_crigate = true;
    assert_says(&judged(node)->notes, "the kubelet's endpoint is crigate's already");
}

TEST(defaults_of_the_endpoint_follow_the_release)
{
    struct node *node = *state;
    struct kubelet *kubelet = &node->survey.kubelet;
    set_version(node, 9);
    assert_string_equal(survey_default_endpoint(kubelet), "unix:///var/run/dockershim.sock");
    set_version(node, 23);
    assert_string_equal(survey_default_endpoint(kubelet), "unix:///var/run/dockershim.sock");
    set_version(node, 24);
    assert_null(survey_default_endpoint(kubelet));
    set_version(node, 26);
    assert_null(survey_default_endpoint(kubelet));
    set_version(node, 27);
    assert_string_equal(survey_default_endpoint(kubelet), "unix:///run/containerd/containerd.sock");
    kubelet->version = (struct kubelet_version){0};
    assert_null(survey_default_endpoint(kubelet));
    kubelet->layout = KUBELET_K3S;
    assert_string_equal(survey_default_endpoint(kubelet), "unix:///run/k3s/containerd/containerd.sock");
}

TEST(the_runtime_behind_crigate_is_the_map_s_unless_that_is_not_for_this_node)
{
    static const char usual[] = "/run/crigate/crigate.sock", like_crio[] = "/run/crigate/run/crio/crio.sock";
    assert_string_equal(survey_behind_crigate(usual, usual, "unix:///x", NULL), "unix:///x");
    assert_string_equal(survey_behind_crigate(like_crio, like_crio, "unix:///x", NULL), "unix:///x");
    assert_string_equal(survey_behind_crigate(like_crio, usual, "unix:///x", NULL), "unix:///run/crio/crio.sock");
    assert_string_equal(survey_behind_crigate(usual, usual, "unix:///there-is-no-such", "unix:///own"), "unix:///own");
    assert_string_equal(survey_behind_crigate(usual, usual, "unix:///dev/null", "unix:///own"), "unix:///dev/null");
    assert_string_equal(survey_behind_crigate(usual, usual, NULL, "unix:///own"), "unix:///own");
    assert_null(survey_behind_crigate(usual, usual, NULL, NULL));
}

TEST(a_systemd_that_cannot_start_crigate_makes_it_impossible)
{
    struct node *node = *state;
    node->survey.systemd_obstacle = "systemd 215 is too old";
    judge(&node->survey, node->arena, &node->judgement);
    assert_int_equal(judgement_fitness(&node->judgement), NOT_POSSIBLE);
    assert_string_equal(node->judgement.reasons.lines[0], "systemd 215 is too old");
}
