/* Programs that are run, and what systemctl prints. */
#include <string.h>
#include <sys/wait.h>

#include "node/systemd/run.h"
#include "node/systemd/systemd.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"

#define LONG 60000 /* milliseconds: no busy machine needs as much */

static struct run_result run_shell(const char *script)
{
    struct run_result result;
    struct error error = {.code = STATUS_OK};
    const char *const arguments[] = {"sh", "-c", script, NULL};
    if (!run_program(arguments, LONG, arena, &result, &error)) {
        fail_msg("%s", error.message);
    }
    return result;
}

EACH_TEST(arena_begin, arena_end)

TEST(output_and_status)
{
    struct run_result result = run_shell("echo out; echo one >&2; printf 'tw\\007o\\n' >&2; exit 3");
    assert_string_equal((const char *)result.out.data, "out\n");
    assert_int_equal(result.out.len, 4);
    assert_string_equal(result.complaint, "tw?o");
    assert_true(WIFEXITED(result.status));
    assert_int_equal(WEXITSTATUS(result.status), 3);
    assert_string_equal(run_shell(":").complaint, "");
}

TEST(environment_and_input_are_ours)
{
    struct run_result result = run_shell("cat; echo \"$PATH $LANG ${HOME-none}\"");
    assert_string_equal((const char *)result.out.data, "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin C none\n");
}

TEST(too_much_output_is_cut)
{
    struct run_result result = run_shell("head -c 3000000 /dev/zero | tr '\\0' x; echo end >&2");
    assert_int_equal(result.out.len, 1 << 20);
    assert_string_equal(result.complaint, "end");
}

TEST(a_program_that_is_not_there)
{
    struct run_result result;
    struct error error = {.code = STATUS_OK};
    const char *const arguments[] = {"no-such-program-here", NULL};
    assert_false(run_program(arguments, LONG, arena, &result, &error));
    assert_int_equal(error.code, STATUS_NOT_FOUND);
}

/* The shell ends at once; what it has started writes until nobody reads. */
TEST(a_child_that_writes_for_ever_is_not_waited_for)
{
    struct run_result result;
    const char *const arguments[] = {"sh", "-c", "yes & exit 3", NULL};
    assert_true(run_program(arguments, 300, arena, &result, NULL));
    assert_int_equal(WEXITSTATUS(result.status), 3);
}

TEST(a_program_that_does_not_end_is_killed_with_its_children)
{
    struct run_result result;
    struct error error = {.code = STATUS_OK};
    const char *const arguments[] = {"sh", "-c", "sleep 1000 & sleep 1000", NULL};
    assert_false(run_program(arguments, 50, arena, &result, &error));
    assert_int_equal(error.code, STATUS_DEADLINE_EXCEEDED);
}

/* The test would wait for the child otherwise. */
TEST(a_child_that_keeps_the_output_is_not_waited_for)
{
    struct run_result result = run_shell("sleep 30 & echo $!");
    assert_true(WIFEXITED(result.status));
    run_shell((const char *)arena_join(arena, (const struct bytes[]){bytes_of("kill ", 5), result.out, bytes_of("", 1)}, 3).data);
}

TEST(a_shown_unit)
{
    static const char text[] = "MainPID=4711\nEnvironmentFiles=/var/lib/kubelet/kubeadm-flags.env (ignore_errors=yes)\n"
                               "EnvironmentFiles=/etc/default/kube let (ignore_errors=no)\nLoadState=loaded\nActiveState=active\n"
                               "FragmentPath=/lib/systemd/system/kubelet.service\n"
                               "DropInPaths=/a/10.conf /b/20.conf\nUnitFileState=enabled\nNeedDaemonReload=yes\nnonsense\n=\n";
    struct systemd_unit unit;
    assert_true(systemd_read_show("kubelet.service", bytes_of_string(text), arena, &unit, NULL));
    assert_true(unit.loaded);
    assert_string_equal(unit.name, "kubelet.service");
    assert_string_equal(unit.active, "active");
    assert_string_equal(unit.enabled, "enabled");
    assert_string_equal(unit.fragment, "/lib/systemd/system/kubelet.service");
    assert_int_equal(unit.main_pid, 4711);
    assert_true(unit.needs_reload);
    assert_int_equal(unit.drop_in_count, 2);
    assert_string_equal(unit.drop_ins[0], "/a/10.conf");
    assert_string_equal(unit.drop_ins[1], "/b/20.conf");
    assert_int_equal(unit.environment_file_count, 2);
    assert_string_equal(unit.environment_files[0], "/var/lib/kubelet/kubeadm-flags.env");
    assert_string_equal(unit.environment_files[1], "/etc/default/kube let");
}

TEST(environment_files_in_one_line)
{
    struct systemd_unit unit;
    struct bytes text = bytes_of_string("EnvironmentFiles=/a (ignore_errors=yes) /b (ignore_errors=no)\nDropInPaths=\n");
    assert_true(systemd_read_show("x", text, arena, &unit, NULL));
    assert_int_equal(unit.environment_file_count, 2);
    assert_string_equal(unit.environment_files[1], "/b");
    assert_int_equal(unit.drop_in_count, 0);
    assert_false(unit.loaded);
    assert_string_equal(unit.fragment, "");
}

/* What each release prints of one unit, with a drop-in whose folder has a blank in its name. */
TEST(a_unit_as_releases_of_systemd_show_it)
{
    static const struct {
        const char *release, *text;
    } shown[] = {
        {"219", "MainPID=812\nEnvironmentFile=/var/lib/kubelet/kubeadm-flags.env (ignore_errors=yes)\n"
                "EnvironmentFile=/etc/sysconfig/kubelet (ignore_errors=yes)\nLoadState=loaded\nActiveState=active\n"
                "FragmentPath=/usr/lib/systemd/system/kubelet.service\nDropInPaths=/a/10-kubeadm.conf /b c/20.conf\n"
                "UnitFileState=enabled\n"},
        {"229", "MainPID=812\nEnvironmentFile=/var/lib/kubelet/kubeadm-flags.env (ignore_errors=yes)\n"
                "EnvironmentFile=/etc/sysconfig/kubelet (ignore_errors=yes)\nLoadState=loaded\nActiveState=active\n"
                "FragmentPath=/usr/lib/systemd/system/kubelet.service\nDropInPaths=/a/10-kubeadm.conf /b\\x20c/20.conf\n"
                "UnitFileState=enabled\n"},
        {"237", "MainPID=812\nEnvironmentFiles=/var/lib/kubelet/kubeadm-flags.env (ignore_errors=yes)\n"
                "EnvironmentFiles=/etc/sysconfig/kubelet (ignore_errors=yes)\nLoadState=loaded\nActiveState=active\n"
                "FragmentPath=/usr/lib/systemd/system/kubelet.service\nDropInPaths=/a/10-kubeadm.conf /b\\x20c/20.conf\n"
                "UnitFileState=enabled\n"},
        {"241 and later", "MainPID=812\nEnvironmentFiles=/var/lib/kubelet/kubeadm-flags.env (ignore_errors=yes)\n"
                          "EnvironmentFiles=/etc/sysconfig/kubelet (ignore_errors=yes)\nLoadState=loaded\nActiveState=active\n"
                          "FragmentPath=/usr/lib/systemd/system/kubelet.service\n"
                          "DropInPaths=/a/10-kubeadm.conf \"/b c/20.conf\"\nUnitFileState=enabled\n"},
        {"one that quotes like a shell", "MainPID=812\nEnvironmentFiles=/var/lib/kubelet/kubeadm-flags.env (ignore_errors=yes)\n"
                                         "EnvironmentFiles=/etc/sysconfig/kubelet (ignore_errors=yes)\nLoadState=loaded\n"
                                         "ActiveState=active\nFragmentPath=/usr/lib/systemd/system/kubelet.service\n"
                                         "DropInPaths=$'/a/10-kubeadm.conf' '/b c/20.conf'\nUnitFileState=enabled\n"},
    };
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        struct systemd_unit unit;
        assert_true(systemd_read_show("kubelet.service", bytes_of_string(shown[i].text), arena, &unit, NULL));
        if (!unit.loaded || unit.main_pid != 812 || unit.environment_file_count != 2 || unit.drop_in_count != 2) {
            fail_msg("systemd %s: %zu environment files, %zu drop-ins", shown[i].release, unit.environment_file_count,
                     unit.drop_in_count);
        }
        assert_string_equal(unit.environment_files[0], "/var/lib/kubelet/kubeadm-flags.env");
        assert_string_equal(unit.environment_files[1], "/etc/sysconfig/kubelet");
        assert_string_equal(unit.drop_ins[0], "/a/10-kubeadm.conf");
        assert_string_equal(unit.drop_ins[1], "/b c/20.conf");
        assert_string_equal(unit.fragment, "/usr/lib/systemd/system/kubelet.service");
    }
}

TEST(releases)
{
    assert_int_equal(systemd_read_release(bytes_of_string("systemd 219\n+PAM +AUDIT\n")), 219);
    assert_int_equal(systemd_read_release(bytes_of_string("systemd 252 (252.36-1~deb12u1)\n")), 252);
    assert_int_equal(systemd_read_release(bytes_of_string("systemd 256~rc3 (256~rc3-1)\n")), 256);
    assert_int_equal(systemd_read_release(bytes_of_string("upstart\n")), 0);
    assert_int_equal(systemd_read_release(bytes_of_string("")), 0);
}

TEST(units_that_a_systemd_cannot_start)
{
    struct systemd_unit unit = {.name = "crigate.service", .loaded = true, .system_calls = ""};
    assert_non_null(strstr(systemd_obstacle(215, &unit, arena), "systemd 215 is too old"));
    assert_null(systemd_obstacle(SYSTEMD_OLDEST, &unit, arena));
    assert_null(systemd_obstacle(0, &unit, arena));
    unit.system_calls = "execve exit exit_group readv rt_sigreturn"; /* what is left of an unknown group */
    assert_non_null(strstr(systemd_obstacle(237, &unit, arena), "SystemCallFilter="));
    unit.system_calls = "execve pread64 read write";
    assert_null(systemd_obstacle(237, &unit, arena));
    unit.system_calls = "~reboot swapon";
    assert_null(systemd_obstacle(237, &unit, arena));
}
