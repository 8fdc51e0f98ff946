/* A kubelet's command line, version and cgroup, read. */
#include <string.h>

#include "node/kubelet/process.h"
#include "node/kubelet/version.h"
#include "node/systemd/flags.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"

static struct kubelet_flags read_words(const char *const *words)
{
    struct kubelet_flags flags;
    size_t count = 0;
    while (words[count]) {
        count++;
    }
    assert_true(kubelet_flags_read(words, count, 0, arena, &flags, NULL));
    return flags;
}

static void assert_flag(const char *const *words, const char *name, const char *value)
{
    struct kubelet_flags flags = read_words(words);
    const struct kubelet_flag *flag = kubelet_flags_last(&flags, name);
    if (!value) {
        assert_null(flag);
        return;
    }
    assert_non_null(flag);
    assert_string_equal(flag->value, value);
    if (!flag->is_bare) {
        assert_string_equal(words[flag->value_word] + flag->value_at, value);
    }
}

#define WORDS(...) ((const char *const[]){"/usr/bin/kubelet", __VA_ARGS__, NULL})

EACH_TEST(arena_begin, arena_end)

TEST(values)
{
    assert_flag(WORDS("--config=/a"), "config", "/a");
    assert_flag(WORDS("--config", "/a"), "config", "/a");
    assert_flag(WORDS("--config="), "config", "");
    assert_flag(WORDS("--config=a=b"), "config", "a=b");
    assert_flag(WORDS("--config=/a", "--config", "/b"), "config", "/b");
    assert_flag(WORDS("--container_runtime_endpoint=/a"), "container-runtime-endpoint", "/a");
    assert_flag(WORDS("--config", "--x"), "config", "--x");
    assert_flag(WORDS("--config"), "config", "true");
    assert_flag(WORDS("--v", "-1", "--config=/a"), "v", "-1");
}

TEST(words_that_are_no_options)
{
    assert_flag(WORDS("-config=/a"), "config", NULL);
    assert_flag(WORDS("--", "--config=/a"), "config", NULL);
    assert_flag(WORDS("config=/a"), "config", NULL);
    assert_flag(WORDS("--=a", "--config=/a"), "config", "/a");
    assert_flag(WORDS("-v", "2", "--config=/a"), "config", "/a");
    assert_flag(WORDS("-v=2", "--config=/a"), "config", "/a");
    assert_flag(WORDS("--node-labels", "--config=/a"), "config", "/a");
}

TEST(switches_take_no_word)
{
    assert_flag(WORDS("--fail-swap-on", "--config=/a"), "config", "/a");
    assert_flag(WORDS("--fail-swap-on", "false"), "fail-swap-on", "true");
    assert_flag(WORDS("--fail-swap-on=false"), "fail-swap-on", "false");
    assert_flag(WORDS("--node-ip", "10.0.0.1", "--config", "/a"), "config", "/a");
}

static struct kubelet_version version_of(const char *text)
{
    return kubelet_version_of(bytes_of_string(text), arena);
}

TEST(versions)
{
    struct kubelet_version version = version_of("Kubernetes v1.31.4\n");
    assert_int_equal(version.major, 1);
    assert_int_equal(version.minor, 31);
    assert_int_equal(version.patch, 4);
    assert_string_equal(version.text, "v1.31.4");
    assert_string_equal(version_of("k3s version v1.30.4+k3s1 (98262b5d)\ngo version go1.22.5").text, "v1.30.4+k3s1");
    assert_string_equal(version_of("Kubernetes v1.9.11-gke.0").text, "v1.9.11-gke.0");
    assert_int_equal(version_of("Kubernetes v1.9.11").minor, 9);
    assert_int_equal(version_of("Kubernetes v1.x").major, 0);
    assert_string_equal(version_of("").text, "");
    assert_int_equal(version_of("dev1.2.3").major, 0);
    assert_int_equal(version_of("v99999.2.3").major, 0);
}

TEST(since)
{
    struct kubelet kubelet = {.version = version_of("v1.27.0")};
    assert_true(kubelet_is_since(&kubelet, 1, 27));
    assert_true(kubelet_is_since(&kubelet, 1, 9));
    assert_false(kubelet_is_since(&kubelet, 1, 28));
    assert_false(kubelet_is_since(&kubelet, 2, 0));
    kubelet.version = version_of("");
    assert_false(kubelet_is_since(&kubelet, 1, 0));
}

static void assert_unit(const char *text, const char *unit)
{
    const char *found = process_unit_of_cgroup(bytes_of_string(text), arena);
    if (unit) {
        assert_non_null(found);
        assert_string_equal(found, unit);
    } else {
        assert_null(found);
    }
}

TEST(the_unit_of_a_cgroup)
{
    assert_unit("0::/system.slice/kubelet.service\n", "kubelet.service");
    assert_unit("0::/system.slice/kubelet.service/sub\n", "kubelet.service");
    assert_unit("12:cpu,cpuacct:/podruntime\n1:name=systemd:/system.slice/kubelet.service\n0::/\n", "kubelet.service");
    assert_unit("0::/user.slice/user-1000.slice/user@1000.service/app.slice/k3s.service\n", NULL);
    assert_unit("0::/\n", NULL);
    assert_unit("0::/kubepods.slice/pod1/x\n", NULL);
    assert_unit("", NULL);
}
