/* What a runtime is known to ignore, from its name, its version, and what it reports. */
#include <stdio.h>
#include <string.h>

#include "generated/rule_ids.h"
#include "tests/cmocka.h"
#include "tests/unit/translate/message_fixture.h"
#include "translate/abilities/abilities.h"

/* ---- versions ---- */

EACH_TEST(exchange_begin, exchange_end)

TEST(versions_of_real_runtimes_are_read)
{
    static const struct {
        const char *text;
        struct version version;
    } rows[] = {
        {"1.6.20", {1, 6, 20}},
        {"v1.6.20", {1, 6, 20}},
        {"V1.6.20", {1, 6, 20}},
        {"1.6.20~ds1", {1, 6, 20}},
        {"1.7.24-k3s1", {1, 7, 24}},
        {"v1.7.24-k3s1", {1, 7, 24}},
        {"2.0.0-rc.1", {2, 0, 0}},
        {"1.24.1-dev", {1, 24, 1}},
        {"20.10.24+dfsg1", {20, 10, 24}},
        {"28.1.1", {28, 1, 1}},
        {"1.6", {1, 6, 0}},
        {"1.6.", {1, 6, 0}},
        {"1.6-beta", {1, 6, 0}},
        {"v1.6.0-123-gabcdef.m", {1, 6, 0}},
        {"1.2.3.4", {1, 2, 3}},
        {"0.1.0", {0, 1, 0}},
        {"001.002.003", {1, 2, 3}},
        {"999999999.999999999.999999999", {999999999, 999999999, 999999999}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct version version;
        if (!version_read(rows[i].text, &version) || memcmp(&version, &rows[i].version, sizeof version) != 0) {
            fail_msg("%s is read as %u.%u.%u", rows[i].text, version.major, version.minor, version.patch);
        }
    }
}

TEST(other_texts_are_no_versions)
{
    static const char *const texts[] = {"",
                                        "unknown",
                                        "v",
                                        "1",
                                        "1.",
                                        "1.x",
                                        ".1.2",
                                        "vv1.2",
                                        " 1.2",
                                        "-1.2",
                                        "1234567890.1",
                                        "1.1234567890",
                                        "1.2.1234567890",
                                        "0.0.0",
                                        "0.0.0+unknown",
                                        "deadbeef",
                                        "\xff\xfe",
                                        "+1.2"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct version version;
        if (version_read(texts[i], &version)) {
            fail_msg("\"%s\" is read as %u.%u.%u", texts[i], version.major, version.minor, version.patch);
        }
    }
}

TEST(a_range_has_its_first_version_and_not_its_last)
{
    static const struct version_range ranges[] = {{{1, 7, 0}, {1, 7, 3}}, {{2, 0, 0}, {UINT32_MAX, 0, 0}}};
    static const struct {
        struct version version;
        bool in;
    } rows[] = {
        {{1, 6, 99}, false}, {{1, 7, 0}, true}, {{1, 7, 2}, true},  {{1, 7, 3}, false},
        {{1, 99, 0}, false}, {{2, 0, 0}, true}, {{99, 0, 0}, true}, {{0, 7, 1}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(version_is_in(&rows[i].version, ranges, 2), rows[i].in);
    }
    assert_false(version_is_in(&rows[1].version, NULL, 0));
}

/* ---- sets ---- */

/* Whether an entry of the set is about that field. */
static bool ignores(const struct ability_set *set, uint64_t entries, uint16_t rule)
{
    for (uint8_t i = 0; i < ability_entry_count; i++) {
        if ((set->entries & entries) >> i & 1U && ability_entries[i].rule == rule) {
            return true;
        }
    }
    return false;
}

TEST(the_set_follows_from_name_version_and_dialect)
{
    static const struct {
        const char *name, *version;
        enum dialect dialect;
        const char *shown;
        bool ignores_user_namespaces;
    } rows[] = {
        {"containerd", "1.6.20", DIALECT_V1, "containerd 1.6.20", true},
        {"containerd", "v1.6.20~ds1", DIALECT_V1ALPHA2, "containerd v1.6.20~ds1", true},
        {"ContainerD", "1.6.20", DIALECT_V1, "containerd 1.6.20", true},
        {"containerd", "1.7.0", DIALECT_V1, "containerd 1.7.0", false},
        {"containerd", "1.7.0-rc.1", DIALECT_V1, "containerd 1.7.0-rc.1", false},
        {"containerd", "1.2.13", DIALECT_V1_12, "containerd 1.2.13", false}, /* its dialect has no such field */
        {"docker", "20.10.24+dfsg1", DIALECT_V1, "cri-dockerd", true},
        {"docker", "unknown", DIALECT_V1, "cri-dockerd", true},
        {"docker", "18.9.0", DIALECT_V1ALPHA2, "dockershim", true},
        {"docker", "18.9.0", DIALECT_V1_9, "dockershim", false},
        {"containerd", "unknown", DIALECT_V1, "containerd of an unknown version", true},
        {"containerd", "0.0.0+unknown", DIALECT_V1, "containerd of an unknown version", true},
        {"containerd", "20240101", DIALECT_V1, "containerd of an unknown version", true},
        {"cri-o", "2", DIALECT_V1, "cri-o of an unknown version", true},
        {"containerd", "", DIALECT_V1_12, "containerd of an unknown version", false},
        {"containerd \t", "1.6.20", DIALECT_V1, "containerd 1.6.20", true},
        {"crisim", "1.6.20", DIALECT_V1, "crisim", false},
        {"containerd-fork", "1.6.20", DIALECT_V1, "containerd-fork", false},
        {"containerd fork", "1.6.20", DIALECT_V1, "containerd fork", false},
        {"", "", DIALECT_V1, "", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ability_set set;
        memset(&set, 0xff, sizeof set);
        ability_set_make(&set, rows[i].name, rows[i].version, rows[i].dialect);
        assert_string_equal(set.name, rows[i].shown);
        if (ignores(&set, UINT64_MAX, RULE_NamespaceOption_userns_options) != rows[i].ignores_user_namespaces) {
            fail_msg("%s %s", rows[i].name, rows[i].version);
        }
        assert_int_equal(ability_set_for(&set, NULL), set.entries);
        assert_true(set.runtime ? set.unsure == 0 : set.entries == 0 && set.unsure != 0);
        assert_int_equal(set.unread, strstr(set.name, "unknown version") != NULL);
    }
}

/* What any release ignores; and of Docker Engine, whose version cri-dockerd reports, what it did before it was able to. */
TEST(a_version_that_cannot_be_read_is_the_strictest)
{
    struct ability_set all, one;
    ability_set_make(&all, "containerd", "20240101", DIALECT_V1);
    static const char *const versions[] = {"1.6.0", "1.7.0", "2.0.0", "2.1.0", "2.3.0"};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        ability_set_make(&one, "containerd", versions[i], DIALECT_V1);
        assert_true(one.entries != 0 && (one.entries & ~all.entries) == 0);
    }
    static const struct {
        const char *docker;
        bool ignores;
    } rows[] = {{"24.0.7", true}, {"25.0.0", false}, {"29.0.1", false}, {"unknown", true}, {"", true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ability_set_make(&one, "docker", rows[i].docker, DIALECT_V1);
        assert_int_equal(ignores(&one, UINT64_MAX, RULE_Mount_recursive_read_only), rows[i].ignores);
    }
}

TEST(a_hostile_version_is_shown_as_printable_text)
{
    char version[400];
    struct ability_set set;
    memset(version, 'x', sizeof version - 1);
    memcpy(version, "1.6.20\x1b[31m\n\xff", 13);
    version[sizeof version - 1] = '\0';
    ability_set_make(&set, "containerd", version, DIALECT_V1);
    assert_true(set.entries != 0);
    assert_int_equal(strlen(set.name), sizeof set.name - 1);
    for (const char *at = set.name; *at; at++) {
        assert_true(*at >= ' ' && *at <= '~');
    }
}

/* ---- reports ---- */

#define HANDLER(name, features) "{'name': '" name "', 'features': {" features "}}"
#define STATUS(handlers) "{'runtimeHandlers': [" handlers "]}"

static struct ability_set learned(struct exchange *exchange, const char *status)
{
    struct ability_set set;
    ability_set_make(&set, "containerd", "1.6.20", DIALECT_V1);
    assert_true(ability_set_is_reported(&set, DIALECT_V1));
    ability_set_learn(&set, DIALECT_V1, exchange_response_bytes(exchange, "Status", DIALECT_V1, status));
    return set;
}

static bool user_namespaces_are_ignored(const struct ability_set *set, const char *handler)
{
    struct bytes name = bytes_of_string(handler);
    return ignores(set, ability_set_for(set, handler ? &name : NULL), RULE_NamespaceOption_userns_options);
}

TEST(what_a_handler_reports_counts_for_its_pods)
{
    struct ability_set set =
        learned(*state, STATUS(HANDLER("", "") ", " HANDLER("kata", "'userNamespaces': true") ", " HANDLER("old", "")));
    assert_true(user_namespaces_are_ignored(&set, ""));
    assert_false(user_namespaces_are_ignored(&set, "kata"));
    assert_true(user_namespaces_are_ignored(&set, "old"));
    assert_true(user_namespaces_are_ignored(&set, "other"));
    /* A request that names no handler is about a pod that the runtime has taken. */
    assert_false(user_namespaces_are_ignored(&set, NULL));
    struct bytes kata = bytes_of_string("kata");
    assert_true(ignores(&set, ability_set_for(&set, &kata), RULE_Mount_recursive_read_only));
    assert_true(ignores(&set, ability_set_for(&set, NULL), RULE_Mount_recursive_read_only));
}

TEST(what_the_runtime_reports_counts_for_all)
{
    struct ability_set set = learned(*state, "{'features': {'supplementalGroupsPolicy': true}}");
    struct bytes kata = bytes_of_string("kata");
    assert_true(ignores(&set, UINT64_MAX, RULE_LinuxContainerSecurityContext_supplemental_groups_policy));
    assert_false(ignores(&set, ability_set_for(&set, NULL), RULE_LinuxContainerSecurityContext_supplemental_groups_policy));
    assert_false(ignores(&set, ability_set_for(&set, &kata), RULE_LinuxContainerSecurityContext_supplemental_groups_policy));
    assert_true(user_namespaces_are_ignored(&set, NULL));
}

TEST(a_feature_that_is_false_or_missing_changes_nothing)
{
    static const char *const answers[] = {
        "{}",
        STATUS(HANDLER("", "")),
        STATUS(HANDLER("", "'userNamespaces': false")),
        STATUS("{'name': 'runc'}"),
        "{'features': {}}",
    };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct ability_set set = learned(*state, answers[i]);
        assert_int_equal(ability_set_for(&set, NULL), set.entries);
        assert_true(user_namespaces_are_ignored(&set, ""));
    }
}

TEST(a_later_answer_replaces_an_earlier_one)
{
    struct exchange *exchange = *state;
    struct ability_set set = learned(exchange, STATUS(HANDLER("kata", "'userNamespaces': true")));
    struct bytes later = exchange_response_bytes(exchange, "Status", DIALECT_V1,
                                                 "{'runtimeHandlers': [" HANDLER("runc", "'userNamespaces': true") "]}");
    ability_set_learn(&set, DIALECT_V1, later);
    assert_true(user_namespaces_are_ignored(&set, "kata"));
    assert_false(user_namespaces_are_ignored(&set, "runc"));
    ability_set_learn(&set, DIALECT_V1, (struct bytes){0});
    assert_true(user_namespaces_are_ignored(&set, "runc"));
    assert_true(user_namespaces_are_ignored(&set, NULL));
}

/* Too many handlers, names that are too long or hold a NUL, and bytes that are cut off. */
TEST(a_hostile_report_is_bounded)
{
    struct exchange *exchange = *state;
    struct ability_set set;
    ability_set_make(&set, "containerd", "1.6.20", DIALECT_V1);
    struct bytes status = {0};
    for (int i = 0; i < 100; i++) {
        char text[128];
        snprintf(text, sizeof text, STATUS(HANDLER("%s%d", "'userNamespaces': true")), i == 0 ? "" : "h", i);
        status = exchange_join(exchange, status, exchange_response_bytes(exchange, "Status", DIALECT_V1, text));
    }
    ability_set_learn(&set, DIALECT_V1, status);
    assert_int_equal(set.handler_count, ABILITY_HANDLERS_MAX);
    for (size_t cut = 0; cut <= 200; cut++) {
        ability_set_learn(&set, DIALECT_V1, bytes_of(status.data, cut));
        assert_true(set.handler_count <= ABILITY_HANDLERS_MAX);
    }
    struct ability_set named =
        learned(exchange, STATUS(HANDLER("0123456789012345678901234567890123456789012345678901234567890123",
                                         "'userNamespaces': true") ", " HANDLER("a\\u0000b", "'userNamespaces': true")));
    assert_int_equal(named.handler_count, 0);
}

TEST(a_dialect_without_features_reports_nothing)
{
    struct ability_set set;
    for (unsigned dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        ability_set_make(&set, "docker", "20.10.0", (enum dialect)dialect);
        assert_int_equal(ability_set_is_reported(&set, (enum dialect)dialect), dialect == DIALECT_V1);
        ability_set_learn(&set, (enum dialect)dialect, bytes_of_string("\x1a\x02\x12\x00"));
        assert_int_equal(ability_set_for(&set, NULL), set.entries);
    }
    set = (struct ability_set){0};
    assert_false(ability_set_is_reported(&set, DIALECT_V1));
}
