#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "core/machine/mountinfo.h"
#include "tests/cmocka.h"

TEST(fields_and_escapes_are_read)
{
    char text[] =
        "26 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n"
        "27 26 8:2 /a\\134b\\040c /mnt/with\\040blank\\011and\\012more rw master:1 propagate_from:2 - ext4 /dev/my\\040disk rw\n"
        "28 26 0:31 / /tmp rw - tmpfs tmpfs rw";
    struct mountinfo info;
    assert_true(mountinfo_parse(&info, text));
    assert_int_equal(info.count, 3);
    assert_true(info.mounts[0].device == makedev(8, 2));
    assert_string_equal(info.mounts[0].root, "/");
    assert_string_equal(info.mounts[0].mountpoint, "/");
    assert_string_equal(info.mounts[0].type, "ext4");
    assert_string_equal(info.mounts[0].source, "/dev/sda2");
    assert_string_equal(info.mounts[1].root, "/a\\b c");
    assert_string_equal(info.mounts[1].mountpoint, "/mnt/with blank\tand\nmore");
    assert_string_equal(info.mounts[1].source, "/dev/my disk");
    assert_string_equal(info.mounts[2].type, "tmpfs");
    mountinfo_clear(&info);
    assert_int_equal(info.count, 0);
}

TEST(lines_that_are_none_are_left_out)
{
    char text[] = "\n"
                  "nonsense\n"
                  "26 1 8:2 / / rw\n"
                  "26 1 8:2 / / rw shared:1\n"
                  "26 1 8:2 / / rw - ext4\n"
                  "26 1 8 / / rw - ext4 /dev/sda2 rw\n"
                  "26 1 8:2x / / rw - ext4 /dev/sda2 rw\n"
                  "26 1 8:2 / relative rw - ext4 /dev/sda2 rw\n"
                  "26 1 8:2 / /good rw - ext4 /dev/sda2 rw\n";
    struct mountinfo info;
    assert_true(mountinfo_parse(&info, text));
    assert_int_equal(info.count, 1);
    assert_string_equal(info.mounts[0].mountpoint, "/good");
    mountinfo_clear(&info);
}

TEST(an_escape_that_is_cut_off_stays)
{
    char text[] = "26 1 8:2 / /a\\04 rw - ext4 a\\9 rw";
    struct mountinfo info;
    assert_true(mountinfo_parse(&info, text));
    assert_int_equal(info.count, 1);
    assert_string_equal(info.mounts[0].mountpoint, "/a\\04");
    assert_string_equal(info.mounts[0].source, "a\\9");
    mountinfo_clear(&info);
}

TEST(a_path_is_on_the_longest_and_latest_mount)
{
    char text[] = "1 0 8:1 / / rw - ext4 root rw\n"
                  "2 1 8:2 / /var rw - ext4 var rw\n"
                  "3 2 8:3 / /var/lib rw - ext4 below rw\n"
                  "4 3 8:4 / /var/lib rw - ext4 above rw\n";
    struct mountinfo info;
    assert_true(mountinfo_parse(&info, text));
    static const struct {
        const char *path;
        const char *source;
    } cases[] = {
        {"/", "root"},     {"/va", "root"},         {"/various", "root"},      {"/var", "var"},
        {"/var/x", "var"}, {"/var/library", "var"}, {"/var/lib/x/y", "above"}, {"/var/lib", "above"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct mount *mount = mountinfo_of_path(&info, cases[i].path);
        assert_non_null(mount);
        assert_string_equal(mount->source, cases[i].source);
    }
    mountinfo_clear(&info);
    assert_null(mountinfo_of_path(&info, "/"));
}

TEST(the_kernels_own_list_is_read)
{
    struct mountinfo info;
    assert_true(mountinfo_read(&info, "/proc/self/mountinfo"));
    assert_true(info.count > 0);
    assert_string_equal(mountinfo_of_path(&info, "/proc")->type, "proc");
    mountinfo_clear(&info);
    assert_false(mountinfo_read(&info, "/nonexistent/mountinfo"));
}
