/* Releases of kubelets and runtimes, and the names by which `crigate explain` takes them. */
#include <string.h>

#include "cli/explain/peer.h"
#include "tests/cmocka.h"

TEST(rows_are_in_order)
{
    for (size_t i = 1; i < release_count; i++) {
        const struct release *before = &releases[i - 1];
        const struct release *row = &releases[i];
        if (strcmp(before->program, row->program) != 0) {
            assert_ptr_equal(release_first(row->program), row);
            continue;
        }
        const struct version_range earlier = {before->first, row->first};
        assert_true(version_is_in(&before->first, &earlier, 1));
        assert_int_equal(before->side, row->side);
        assert_ptr_equal(release_of(row->program, &row->first), row);
    }
}

/* Whoever adds a runtime to runtimes.yaml must add its releases. */
TEST(every_runtime_with_abilities_can_be_named)
{
    static const struct version newest = {999, 0, 0};
    for (size_t i = 0; i < ability_runtime_count; i++) {
        const struct release *release = release_of(ability_runtimes[i].name, &newest);
        assert_non_null(release);
        assert_int_equal(release->side, RELEASE_RUNTIME);
        assert_true(ability_runtimes[i].dialects >> release->dialect & 1U);
    }
}

/* A table's entry for a version whose dialect lacks the field would never be looked at. */
TEST(every_entry_is_about_some_release)
{
    for (uint8_t i = 0; i < ability_entry_count; i++) {
        for (uint8_t j = 0; j < ability_entries[i].ignored_by_count; j++) {
            const struct ability_ignored *ignored = &ability_entries[i].ignored_by[j];
            const struct ability_runtime *runtime = &ability_runtimes[ignored->runtime];
            for (uint8_t k = 0; runtime->versioned && k < ignored->range_count; k++) { /* the others' versions are Docker's */
                const struct release *release = release_of(runtime->name, &ignored->ranges[k].from);
                assert_non_null(release);
                assert_true(ability_entries[i].dialects >> release->dialect & 1U);
            }
        }
    }
}

static void assert_peer(const char *name, enum dialect dialect, const char *text)
{
    struct peer peer;
    struct error error = {0};
    if (!peer_read(RELEASE_RUNTIME, name, &peer, &error)) {
        fail_msg("%s: %s", name, error.message);
    }
    assert_int_equal(peer.dialect, dialect);
    assert_string_equal(peer.text, text);
}

TEST(names_of_releases)
{
    assert_peer("v1_9", DIALECT_V1_9, "a v1_9 runtime");
    assert_peer("runtime.v1", DIALECT_V1, "a v1 runtime");
    assert_peer("containerd-1.6", DIALECT_V1, "containerd 1.6 (v1)");
    assert_peer("containerd-v1.5.18", DIALECT_V1ALPHA2, "containerd 1.5.18 (v1alpha2)");
    assert_peer("containerd-1.7.24+k3s1", DIALECT_V1, "containerd 1.7.24+k3s1 (v1)");
    assert_peer("containerd-2.0.0-rc.1", DIALECT_V1, "containerd 2.0.0-rc.1 (v1)");
    assert_peer("cri-o-1.12", DIALECT_V1_12, "cri-o 1.12 (v1_12)");
    assert_peer("cri-dockerd", DIALECT_V1, "cri-dockerd (v1)");
    assert_peer("cri-dockerd-0.2", DIALECT_V1ALPHA2, "cri-dockerd 0.2 (v1alpha2)");
    assert_peer("dockershim-1.9.11", DIALECT_V1_9, "dockershim 1.9.11 (v1_9)");
}

TEST(a_release_without_its_last_number_has_all_fixes)
{
    struct peer first, fixed, last;
    struct error error = {0};
    assert_true(peer_read(RELEASE_RUNTIME, "containerd-1.7.0", &first, &error));
    assert_true(peer_read(RELEASE_RUNTIME, "containerd-1.7.2", &fixed, &error));
    assert_true(peer_read(RELEASE_RUNTIME, "containerd-1.7", &last, &error));
    assert_true(first.abilities.entries != 0 && last.abilities.entries != 0);
    assert_true(first.abilities.entries != last.abilities.entries);
    assert_true(fixed.abilities.entries == last.abilities.entries);
    assert_string_equal(last.abilities.name, "containerd 1.7");
}

TEST(a_kubelet_and_a_dialect_ignore_nothing)
{
    struct peer peer;
    struct error error = {0};
    assert_true(peer_read(RELEASE_CALLER, "kubelet-1.36", &peer, &error));
    assert_int_equal(peer.abilities.entries, 0);
    assert_string_equal(peer.text, "kubelet 1.36 (v1)");
    assert_true(peer_read(RELEASE_RUNTIME, "v1", &peer, &error));
    assert_int_equal(peer.abilities.entries, 0);
    assert_string_equal(peer.release, "");
}

TEST(wrong_names)
{
    static const char *const names[] = {
        "",
        "-",
        "-1.6",
        "containerd",
        "containerd-",
        "containerd-1",
        "containerd-1.",
        "containerd-1.6.",
        "containerd-1.6..2",
        "containerd-0.0",
        "containerd-1.0.9",
        "containerd-9999999999.1",
        "cri-o",
        "kubelet-1.36",
        "v2",
        "runtime.v2",
        "1.6",
        "CONTAINERD-1.6",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct peer peer;
        struct error error = {0};
        if (peer_read(RELEASE_RUNTIME, names[i], &peer, &error)) {
            fail_msg("%s was read as %s", names[i], peer.text);
        }
        assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
        assert_true(strlen(error.message) > 10);
    }
    char longest[2000];
    memset(longest, '1', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    memcpy(longest, "containerd-1.", 13);
    struct peer peer;
    struct error error = {0};
    assert_false(peer_read(RELEASE_RUNTIME, longest, &peer, &error));
}
