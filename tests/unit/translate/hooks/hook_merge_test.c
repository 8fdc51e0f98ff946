/* What becomes of plugins' answers about resources, labels and annotations. */
#include <stdio.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/hooks/hook_fixture.h"

/* Facts or answers of a container with these resources. */
#define RESOURCES(members) "{'linux': {'resources': {" members "}}}"

/* ---- numbers ---- */

ALL_TESTS(exchange_begin, exchange_end)

TEST(a_number_that_differs_is_merged)
{
    hook_expect_merged(*state, MODEL_CONTAINER, RESOURCES("'cpuShares': '2', 'cpuPeriod': '100000'"),
                       RESOURCES("'cpuShares': '1024', 'cpuPeriod': '100000'"),
                       RESOURCES("'cpuShares': '1024', 'cpuPeriod': '100000'"), "linux.resources.cpu_shares");
}

TEST(a_number_that_was_not_sent_is_added)
{
    hook_expect_merged(
        *state, MODEL_CONTAINER, RESOURCES("'cpuShares': '2'"), RESOURCES("'cpuShares': '2', 'memoryLimitInBytes': '1073741824'"),
        RESOURCES("'cpuShares': '2', 'memoryLimitInBytes': '1073741824'"), "linux.resources.memory_limit_in_bytes");
}

TEST(a_number_0_means_not_said)
{
    hook_expect_no_change(*state, MODEL_CONTAINER, RESOURCES("'cpuShares': '2', 'memorySwapLimitInBytes': '8192'"),
                          RESOURCES(""));
}

TEST(oom_score_adj_0_means_not_said)
{
    hook_expect_no_change(*state, MODEL_CONTAINER, RESOURCES("'oomScoreAdj': '-997'"), RESOURCES("'oomScoreAdj': '0'"));
}

TEST(oom_score_adj_may_be_negative)
{
    hook_expect_merged(*state, MODEL_CONTAINER, RESOURCES("'oomScoreAdj': '1000'"), RESOURCES("'oomScoreAdj': '-998'"),
                       RESOURCES("'oomScoreAdj': '-998'"), "linux.resources.oom_score_adj");
}

TEST(a_quota_of_minus_1_is_no_limit)
{
    hook_expect_merged(*state, MODEL_CONTAINER, RESOURCES("'cpuQuota': '50000'"), RESOURCES("'cpuQuota': '-1'"),
                       RESOURCES("'cpuQuota': '-1'"), "linux.resources.cpu_quota");
}

TEST(a_memory_limit_of_minus_1_removes_the_limit)
{
    hook_expect_merged(*state, MODEL_CONTAINER, RESOURCES("'memoryLimitInBytes': '65536', 'cpuShares': '2'"),
                       RESOURCES("'memoryLimitInBytes': '-1'"), RESOURCES("'cpuShares': '2'"),
                       "linux.resources.memory_limit_in_bytes");
}

TEST(a_memory_limit_of_minus_1_where_none_was_sent_changes_nothing)
{
    hook_expect_no_change(*state, MODEL_CONTAINER, RESOURCES("'cpuShares': '2'"),
                          RESOURCES("'memoryLimitInBytes': '-1', 'cpuShares': '2'"));
}

TEST(numbers_out_of_range_are_refused)
{
    static const struct {
        const char *answer;
        const char *message;
    } cases[] = {
        {RESOURCES("'cpuQuota': '-2'"), "linux.resources.cpu_quota: -2 is not from 1000 to 17592186044415"},
        {RESOURCES("'cpuPeriod': '-1'"), "linux.resources.cpu_period: -1 is not from 1000 to 1000000"},
        {RESOURCES("'cpuPeriod': '1000001'"), "linux.resources.cpu_period: 1000001 is not from 1000 to 1000000"},
        {RESOURCES("'cpuShares': '-1'"), "linux.resources.cpu_shares: -1 is not from 2 to 262144"},
        {RESOURCES("'oomScoreAdj': '1001'"), "linux.resources.oom_score_adj: 1001 is not from -1000 to 1000"},
        {RESOURCES("'oomScoreAdj': '-1001'"), "linux.resources.oom_score_adj: -1001 is not from -1000 to 1000"},
        {RESOURCES("'memoryLimitInBytes': '-2'"),
         "linux.resources.memory_limit_in_bytes: -2 is not from 4096 to 9223372036854775807"},
        {RESOURCES("'memorySwapLimitInBytes': '-9'"),
         "linux.resources.memory_swap_limit_in_bytes: -9 is not from 4096 to 9223372036854775807"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hook_expect_refused(*state, MODEL_CONTAINER, RESOURCES("'cpuQuota': '5000'"), cases[i].answer, cases[i].message);
    }
}

/* As kubelets do, which would otherwise ask for the same from small requests of CPU. */
TEST(quotas_and_shares_out_of_range_are_clamped)
{
    hook_expect_merged(*state, MODEL_CONTAINER, RESOURCES("'cpuQuota': '5000', 'cpuShares': '5'"),
                       RESOURCES("'cpuQuota': '999', 'cpuShares': '1'"), RESOURCES("'cpuQuota': '1000', 'cpuShares': '2'"),
                       "linux.resources.cpu_quota, linux.resources.cpu_shares");
    hook_expect_merged(*state, MODEL_CONTAINER, RESOURCES("'cpuQuota': '5000'"),
                       RESOURCES("'cpuQuota': '17592186044416', 'cpuShares': '262145'"),
                       RESOURCES("'cpuQuota': '17592186044415', 'cpuShares': '262144'"),
                       "linux.resources.cpu_quota, linux.resources.cpu_shares");
    hook_expect_no_change(*state, MODEL_CONTAINER, RESOURCES("'cpuQuota': '1000'"), RESOURCES("'cpuQuota': '1'"));
}

TEST(a_number_out_of_range_that_is_echoed_passes)
{
    hook_expect_no_change(*state, MODEL_CONTAINER, RESOURCES("'cpuQuota': '7', 'oomScoreAdj': '5000', 'cpuShares': '-3'"),
                          RESOURCES("'cpuQuota': '7', 'oomScoreAdj': '5000', 'cpuShares': '-3'"));
}

TEST(a_refused_field_undoes_the_others)
{
    hook_expect_refused(*state, MODEL_CONTAINER, RESOURCES("'cpuShares': '2'"),
                        "{'annotations': {'a': 'b'}, 'linux': {'resources': {'cpuShares': '1024', 'cpusetCpus': 'x'}}}",
                        "linux.resources.cpuset_cpus: it is not a list of numbers and ranges, such as 0-3,7");
}

/* ---- cpusets ---- */

TEST(a_cpuset_is_set)
{
    hook_expect_merged(*state, MODEL_CONTAINER, RESOURCES("'cpuShares': '2'"), RESOURCES("'cpusetCpus': '0-3,7,10-10'"),
                       RESOURCES("'cpuShares': '2', 'cpusetCpus': '0-3,7,10-10'"), "linux.resources.cpuset_cpus");
}

TEST(an_empty_cpuset_in_resources_clears_the_one_that_was_sent)
{
    hook_expect_merged(*state, MODEL_CONTAINER, RESOURCES("'cpusetCpus': '0-3', 'cpusetMems': '0'"),
                       RESOURCES("'cpusetMems': '0', 'cpuShares': '5'"), RESOURCES("'cpusetMems': '0', 'cpuShares': '5'"),
                       "linux.resources.cpu_shares, linux.resources.cpuset_cpus");
}

TEST(an_answer_with_empty_resources_clears_cpusets)
{
    hook_expect_merged(*state, MODEL_CONTAINER, RESOURCES("'cpusetCpus': '0-3', 'cpusetMems': '0', 'cpuShares': '2'"),
                       RESOURCES(""), RESOURCES("'cpuShares': '2'"), "linux.resources.cpuset_cpus, linux.resources.cpuset_mems");
}

TEST(an_answer_without_resources_clears_nothing)
{
    hook_expect_no_change(*state, MODEL_CONTAINER, RESOURCES("'cpusetCpus': '0-3'"), "{}");
    hook_expect_no_change(*state, MODEL_CONTAINER, RESOURCES("'cpusetCpus': '0-3'"), "{'linux': {}}");
}

TEST(an_odd_cpuset_that_is_echoed_passes)
{
    hook_expect_no_change(*state, MODEL_CONTAINER, RESOURCES("'cpusetCpus': 'all of them'"),
                          RESOURCES("'cpusetCpus': 'all of them'"));
}

TEST(a_cpuset_that_could_not_be_sent_is_not_cleared)
{
    struct exchange *exchange = *state;
    /* linux {resources {cpuset_cpus "\xff"}} */
    struct bytes facts = BYTES(0x7a, 0x05, 0x0a, 0x03, 0x32, 0x01, 0xff), merged;
    struct hook_changes changes;
    assert_true(
        hook_merge(exchange, MODEL_CONTAINER, facts, hook_config(exchange, MODEL_CONTAINER, RESOURCES("")), &merged, &changes));
    assert_ptr_equal(merged.data, facts.data);
}

TEST(cpusets_must_be_lists_of_ranges)
{
    static const char *const bad[] = {
        RESOURCES("'cpusetMems': '0-'"),     RESOURCES("'cpusetMems': '-1'"),       RESOURCES("'cpusetMems': '3-1'"),
        RESOURCES("'cpusetMems': '0,,1'"),   RESOURCES("'cpusetMems': '0,'"),       RESOURCES("'cpusetMems': ',0'"),
        RESOURCES("'cpusetMems': '0 1'"),    RESOURCES("'cpusetMems': '0\\n'"),     RESOURCES("'cpusetMems': '100000'"),
        RESOURCES("'cpusetMems': '0-1-2'"),  RESOURCES("'cpusetMems': '0x1'"),      RESOURCES("'cpusetMems': ' '"),
        RESOURCES("'cpusetMems': '000000'"), RESOURCES("'cpusetMems': '0\\u0000'"),
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        hook_expect_refused(*state, MODEL_CONTAINER, RESOURCES("'cpusetMems': '0'"), bad[i],
                            "linux.resources.cpuset_mems: it is not a list of numbers and ranges, such as 0-3,7");
    }
}

TEST(a_cpuset_longer_than_a_page_is_refused)
{
    char answer[5000] = "{'linux': {'resources': {'cpusetCpus': '0";
    for (size_t len = strlen(answer), end = len + 4096; len < end; len += 2) {
        memcpy(answer + len, ",1", 3);
    }
    strcat(answer, "'}}}");
    hook_expect_refused(*state, MODEL_CONTAINER, "{}", answer, "linux.resources.cpuset_cpus: it is too long");
}

/* ---- what a container has of resources ---- */

TEST(resources_are_added_to_a_container_that_has_none)
{
    hook_expect_merged(*state, MODEL_CONTAINER, "{'metadata': {'name': 'web'}}", RESOURCES("'cpuQuota': '20000'"),
                       "{'metadata': {'name': 'web'}, 'linux': {'resources': {'cpuQuota': '20000'}}}",
                       "linux.resources.cpu_quota");
}

TEST(huge_pages_are_shown_but_never_changed)
{
    hook_expect_no_change(*state, MODEL_CONTAINER, RESOURCES("'hugepageLimits': [{'pageSize': '2MB', 'limit': '4096'}]"),
                          RESOURCES("'hugepageLimits': [{'pageSize': '2MB', 'limit': '0'}, {'pageSize': '1GB', 'limit': '9'}]"));
}

TEST(unified_is_a_union)
{
    hook_expect_merged(*state, MODEL_CONTAINER, RESOURCES("'unified': {'memory.high': '1', 'cpu.idle': '0'}"),
                       RESOURCES("'unified': {'memory.min': '3', 'memory.high': '2'}"),
                       RESOURCES("'unified': {'memory.high': '2', 'cpu.idle': '0', 'memory.min': '3'}"),
                       "linux.resources.unified[memory.high], linux.resources.unified[memory.min]");
}

TEST(names_of_unified_must_be_files)
{
    static const struct {
        const char *answer;
        const char *message;
    } cases[] = {
        {RESOURCES("'unified': {'../cgroup.procs': '1'}"),
         "linux.resources.unified[../cgroup.procs]: it is not the name of a file"},
        {RESOURCES("'unified': {'..': '1'}"), "linux.resources.unified[..]: it is not the name of a file"},
        {RESOURCES("'unified': {'.': '1'}"), "linux.resources.unified[.]: it is not the name of a file"},
        {RESOURCES("'unified': {'': '1'}"), "linux.resources.unified[]: the name is empty"},
        {RESOURCES("'unified': {'a': '1\\u0000'}"), "linux.resources.unified[a]: the value is not text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hook_expect_refused(*state, MODEL_CONTAINER, RESOURCES("'unified': {'x': 'y'}"), cases[i].answer, cases[i].message);
    }
}

TEST(an_odd_name_of_unified_that_is_echoed_passes)
{
    hook_expect_no_change(*state, MODEL_CONTAINER, RESOURCES("'unified': {'a/b': '1', '': '2'}"),
                          RESOURCES("'unified': {'a/b': '1', '': '2'}"));
}

/* ---- labels and annotations ---- */

TEST(labels_and_annotations_of_pods_are_unions)
{
    hook_expect_merged(*state, MODEL_POD, "{'labels': {'a': '1', 'b': '2'}, 'annotations': {'x': '1'}}",
                       "{'labels': {'b': '3', 'c': '4'}, 'annotations': {'y': ''}}",
                       "{'labels': {'a': '1', 'b': '3', 'c': '4'}, 'annotations': {'x': '1', 'y': ''}}",
                       "labels[b], labels[c], annotations[y]");
}

TEST(annotations_of_containers_are_a_union)
{
    hook_expect_merged(*state, MODEL_CONTAINER, "{'annotations': {'a': '1'}}", "{'annotations': {'b': '2'}}",
                       "{'annotations': {'a': '1', 'b': '2'}}", "annotations[b]");
}

TEST(an_entry_that_the_answer_lacks_stays)
{
    hook_expect_no_change(*state, MODEL_POD, "{'labels': {'a': '1', 'b': '2'}, 'annotations': {'x': 'y'}}",
                          "{'labels': {'b': '2'}}");
}

TEST(a_value_may_become_empty)
{
    hook_expect_merged(*state, MODEL_POD, "{'labels': {'a': '1'}}", "{'labels': {'a': ''}}", "{'labels': {'a': ''}}",
                       "labels[a]");
}

TEST(labels_of_the_kubelet_cannot_change)
{
    static const char facts[] = "{'labels': {'io.kubernetes.pod.uid': '1'}}";
    hook_expect_refused(*state, MODEL_POD, facts, "{'labels': {'io.kubernetes.pod.uid': '2'}}",
                        "labels[io.kubernetes.pod.uid]: it belongs to the kubelet");
    hook_expect_refused(*state, MODEL_POD, facts, "{'labels': {'io.kubernetes.pod.name': 'new'}}",
                        "labels[io.kubernetes.pod.name]: it belongs to the kubelet");
}

TEST(labels_of_the_kubelet_may_be_echoed)
{
    hook_expect_merged(*state, MODEL_POD, "{'labels': {'io.kubernetes.pod.uid': '1'}}",
                       "{'labels': {'io.kubernetes.pod.uid': '1', 'qos': 'BE'}}",
                       "{'labels': {'io.kubernetes.pod.uid': '1', 'qos': 'BE'}}", "labels[qos]");
}

TEST(annotations_may_begin_like_labels_of_the_kubelet)
{
    hook_expect_merged(*state, MODEL_POD, "{}", "{'annotations': {'io.kubernetes.cri-o.userns-mode': 'auto'}}",
                       "{'annotations': {'io.kubernetes.cri-o.userns-mode': 'auto'}}",
                       "annotations[io.kubernetes.cri-o.userns-mode]");
}

TEST(names_of_labels_and_annotations_must_not_be_empty)
{
    hook_expect_refused(*state, MODEL_POD, "{}", "{'labels': {'': 'x'}}", "labels[]: the name is empty");
    hook_expect_refused(*state, MODEL_CONTAINER, "{}", "{'annotations': {'': 'x'}}", "annotations[]: the name is empty");
}

TEST(a_label_that_is_not_utf_8_is_refused)
{
    struct exchange *exchange = *state;
    static const uint8_t label[] = {0x32, 0x06, 0x0a, 0x01, 'a', 0x12, 0x01, 0xff};
    struct bytes merged;
    struct hook_changes changes;
    assert_false(hook_merge(exchange, MODEL_POD, (struct bytes){0}, bytes_of(label, sizeof label), &merged, &changes));
    assert_string_equal(exchange->error.message, "labels[a]: the value is not text");
}

TEST(of_two_entries_with_one_key_the_last_counts)
{
    struct exchange *exchange = *state;
    struct bytes first = hook_config(exchange, MODEL_POD, "{'labels': {'a': '1'}}");
    struct bytes last = hook_config(exchange, MODEL_POD, "{'labels': {'a': '2'}}");
    struct bytes merged;
    struct hook_changes changes;
    assert_true(hook_merge(exchange, MODEL_POD, exchange_join(exchange, first, last), last, &merged, &changes));
    assert_false(changes.changed);
    assert_true(hook_merge(exchange, MODEL_POD, exchange_join(exchange, last, first), last, &merged, &changes));
    assert_true(changes.changed);
    assert_true(bytes_equal(hook_facts_label(merged, bytes_of_string("a")), bytes_of_string("2")));
}

/* ---- cgroup parents ---- */

TEST(a_cgroup_parent_is_set)
{
    hook_expect_merged(*state, MODEL_POD, "{'linux': {'cgroupParent': '/kubepods/besteffort/pod1'}}",
                       "{'linux': {'cgroupParent': '/batch/pod1'}}", "{'linux': {'cgroupParent': '/batch/pod1'}}",
                       "linux.cgroup_parent");
}

TEST(an_empty_cgroup_parent_means_not_said)
{
    hook_expect_no_change(*state, MODEL_POD, "{'linux': {'cgroupParent': '/a'}}", "{'linux': {'cgroupParent': ''}}");
}

TEST(an_odd_cgroup_parent_that_is_echoed_passes)
{
    hook_expect_no_change(*state, MODEL_POD, "{'linux': {'cgroupParent': 'kubepods-pod1.slice'}}",
                          "{'linux': {'cgroupParent': 'kubepods-pod1.slice'}}");
    hook_expect_no_change(*state, MODEL_POD, "{'linux': {'cgroupParent': '/a/../b'}}", "{'linux': {'cgroupParent': '/a/../b'}}");
}

TEST(a_cgroup_parent_must_be_absolute_and_not_climb)
{
    static const struct {
        const char *answer;
        const char *message;
    } cases[] = {
        {"{'linux': {'cgroupParent': 'batch'}}", "linux.cgroup_parent: it is not an absolute path"},
        {"{'linux': {'cgroupParent': '/a/../b'}}", "linux.cgroup_parent: it has \"..\""},
        {"{'linux': {'cgroupParent': '/a/..'}}", "linux.cgroup_parent: it has \"..\""},
        {"{'linux': {'cgroupParent': '/..'}}", "linux.cgroup_parent: it has \"..\""},
        {"{'linux': {'cgroupParent': '/a\\u0000'}}", "linux.cgroup_parent: it is not text"},
        {"{'linux': {'cgroupParent': '/a\\nb'}}", "linux.cgroup_parent: it is not text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hook_expect_refused(*state, MODEL_POD, "{'linux': {'cgroupParent': '/a'}}", cases[i].answer, cases[i].message);
    }
}

TEST(dots_within_a_name_are_no_climbing)
{
    hook_expect_merged(*state, MODEL_POD, "{}", "{'linux': {'cgroupParent': '/a..b/...'}}",
                       "{'linux': {'cgroupParent': '/a..b/...'}}", "linux.cgroup_parent");
}

/* ---- what else an answer may hold ---- */

TEST(fields_that_cannot_be_changed_are_ignored)
{
    hook_expect_no_change(*state, MODEL_POD, "{'metadata': {'name': 'a'}, 'linux': {'resources': {'cpuShares': '2'}}}",
                          "{'metadata': {'name': 'b'}, 'linux': {'resources': {'cpuShares': '9'}, 'overhead': {}}}");
    hook_expect_no_change(*state, MODEL_CONTAINER, "{'metadata': {'name': 'a'}}",
                          "{'metadata': {'name': 'b'}, 'image': {'image': 'evil'}, 'command': ['sh']}");
}

TEST(an_answer_that_echoes_all_facts_changes_nothing)
{
    static const char facts[] =
        "{'metadata': {'name': 'a', 'attempt': 3}, 'envs': [{'key': 'A', 'value': '1'}], 'annotations': {'x': 'y'},"
        " 'linux': {'resources': {'cpuPeriod': '100000', 'cpuQuota': '-1', 'cpuShares': '2', 'memoryLimitInBytes': '4096',"
        " 'oomScoreAdj': '1000', 'cpusetCpus': '1', 'cpusetMems': '0', 'unified': {'a': 'b'}, 'memorySwapLimitInBytes': '4096',"
        " 'hugepageLimits': [{'pageSize': '2MB', 'limit': '0'}]}}}";
    hook_expect_no_change(*state, MODEL_CONTAINER, facts, facts);
}

TEST(malformed_answers_are_refused)
{
    struct exchange *exchange = *state;
    static const uint8_t cut_off[] = {0x7a, 0x05, 0x0a};
    static const uint8_t other_type[] = {0x78, 0x05};
    static const uint8_t twice[] = {0x7a, 0x00, 0x7a, 0x00};
    static const uint8_t cut_off_below[] = {0x7a, 0x02, 0x0a, 0x05};
    static const struct {
        struct bytes answer;
        const char *message;
    } cases[] = {
        {{cut_off, sizeof cut_off}, "ContainerConfig: malformed"},
        {{other_type, sizeof other_type}, "linux: wrong type"},
        {{twice, sizeof twice}, "linux: occurs twice"},
        {{cut_off_below, sizeof cut_off_below}, "linux: malformed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes merged;
        struct hook_changes changes;
        assert_false(hook_merge(exchange, MODEL_CONTAINER, (struct bytes){0}, cases[i].answer, &merged, &changes));
        assert_string_equal(exchange->error.message, cases[i].message);
    }
}

/* ---- several plugins ---- */

/* Merges two answers in sequence. */
static void merge_two(struct exchange *exchange, const char *facts, const char *first, const char *second,
                      struct hook_facts *current, struct hook_changes *changes)
{
    struct hook_facts original = {.container = hook_config(exchange, MODEL_CONTAINER, facts)};
    struct hook_facts answers[] = {{.container = hook_config(exchange, MODEL_CONTAINER, first)},
                                   {.container = hook_config(exchange, MODEL_CONTAINER, second)}};
    *current = original;
    for (size_t i = 0; i < 2; i++) {
        *changes = (struct hook_changes){0};
        assert_true(hook_facts_merge(&original, current, &answers[i], exchange->arena, changes, &exchange->error));
    }
}

TEST(of_two_plugins_the_later_wins_and_this_is_reported)
{
    struct hook_facts facts;
    struct hook_changes changes;
    merge_two(*state, "{'annotations': {'a': '1'}, 'linux': {'resources': {'cpuShares': '2', 'cpusetCpus': '0'}}}",
              "{'annotations': {'a': '2'}, 'linux': {'resources': {'cpuShares': '5', 'cpusetCpus': '0-1'}}}",
              "{'annotations': {'a': '3'}, 'linux': {'resources': {'cpuShares': '6', 'cpuQuota': '1000', 'cpusetCpus': '0'}}}",
              &facts, &changes);
    assert_true(changes.overwrote);
    assert_string_equal(changes.text,
                        "annotations[a], linux.resources.cpu_quota, linux.resources.cpu_shares, linux.resources.cpuset_cpus");
    assert_string_equal(changes.overwritten, "annotations[a], linux.resources.cpu_shares, linux.resources.cpuset_cpus");
    hook_expect_config(MODEL_CONTAINER, facts.container,
                       "{'annotations': {'a': '3'}, 'linux': {'resources': {'cpuShares': '6', 'cpuQuota': '1000',"
                       " 'cpusetCpus': '0'}}}");
}

TEST(two_plugins_that_agree_overwrite_nothing)
{
    struct hook_facts facts;
    struct hook_changes changes;
    merge_two(*state, RESOURCES("'cpuShares': '2'"), RESOURCES("'cpuShares': '5'"), RESOURCES("'cpuShares': '5'"), &facts,
              &changes);
    assert_false(changes.changed);
    assert_false(changes.overwrote);
    assert_string_equal(changes.overwritten, "");
}

TEST(a_long_list_of_changes_ends_in_dots)
{
    struct exchange *exchange = *state;
    char answer[16384] = "{'labels': {";
    for (size_t i = 0; i < 100; i++) {
        sprintf(answer + strlen(answer), "%s'a-name-that-takes-some-room-%02zu': 'x'", i == 0 ? "" : ", ", i);
    }
    strcat(answer, "}}");
    struct bytes merged;
    struct hook_changes changes;
    assert_true(hook_merge(exchange, MODEL_POD, (struct bytes){0}, hook_config(exchange, MODEL_POD, answer), &merged, &changes));
    size_t len = strlen(changes.text);
    assert_true(len < HOOK_CHANGES_TEXT && len > HOOK_CHANGES_TEXT - 64);
    assert_string_equal(changes.text + len - 6, "], ...");
}

TEST(names_are_shown_without_control_characters)
{
    hook_expect_merged(*state, MODEL_POD, "{}", "{'labels': {'a\\n\\u001b[31m\\u007f': 'x'}}",
                       "{'labels': {'a\\n\\u001b[31m\\u007f': 'x'}}", "labels[a??[31m?]");
}

TEST(without_memory_nothing_is_merged)
{
    struct exchange *exchange = *state;
    struct arena *room = arena_new((size_t)1 << 20);
    assert_non_null(room);
    struct exchange maker = {.arena = room};
    struct hook_facts original = {.pod = hook_config(&maker, MODEL_POD, "{'labels': {'a': '1'}}")};
    struct hook_facts answer = {.pod = hook_config(&maker, MODEL_POD, "{'labels': {'a': '2'}, 'annotations': {'b': 'c'}}")};
    size_t refused = 0;
    for (size_t cap = 1;; cap += 16) {
        struct hook_facts facts = original;
        struct hook_changes changes = {0};
        exchange_cap(exchange, cap);
        exchange->error = (struct error){0};
        if (hook_facts_merge(&original, &facts, &answer, exchange->arena, &changes, &exchange->error)) {
            hook_expect_config(MODEL_POD, facts.pod, "{'labels': {'a': '2'}, 'annotations': {'b': 'c'}}");
            break;
        }
        assert_int_equal(exchange->error.code, STATUS_RESOURCE_EXHAUSTED);
        assert_ptr_equal(facts.pod.data, original.pod.data);
        assert_false(changes.changed);
        refused++;
    }
    assert_true(refused > 0);
    exchange_cap(exchange, (size_t)64 << 20);
    arena_unref(room);
}
