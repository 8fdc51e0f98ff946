#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/machine/filesystems.h"
#include "tests/cmocka.h"

#define ROOT_UUID "11111111-2222-3333-4444-555555555555"
#define DATA_UUID "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"

extern char **environ;

/* A node made of a list of mounts on a folder of the test's own, and of devices 240:1 and 240:2. */
struct fake {
    char folder[64];
    char mountinfo[96];
    struct arena *arena;
    struct node_filesystems *filesystems;
};

static unsigned probes;

static bool fake_uuid(dev_t device, const char *type, char *uuid, size_t size)
{
    assert_string_equal(type, "ext4");
    probes++;
    const char *found = device == makedev(240, 1) ? ROOT_UUID : device == makedev(240, 2) ? DATA_UUID : NULL;
    return found && snprintf(uuid, size, "%s", found) < (int)size;
}

static void write_mounts(const struct fake *fake, const char *format)
{
    FILE *file = fopen(fake->mountinfo, "we");
    assert_non_null(file);
    for (const char *c = format; *c; c++) {
        if (*c == '@') {
            fputs(fake->folder, file);
        } else {
            fputc(*c, file);
        }
    }
    assert_int_equal(fclose(file), 0);
}

static void make_folder(const struct fake *fake, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", fake->folder, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

static void begin(struct fake *fake, unsigned lifetime)
{
    strcpy(fake->folder, "/tmp/node_filesystems_XXXXXX");
    assert_non_null(mkdtemp(fake->folder));
    snprintf(fake->mountinfo, sizeof fake->mountinfo, "%s/mountinfo", fake->folder);
    make_folder(fake, "data");
    make_folder(fake, "memory");
    make_folder(fake, "layer");
    write_mounts(fake, "1 0 240:1 / / rw - ext4 /dev/root rw\n"
                       "2 1 240:2 /part @/layer rw - ext4 /dev/data rw\n"
                       "3 1 240:2 / @/data rw - ext4 /dev/data rw\n"
                       "4 1 0:40 / @/memory rw - tmpfs tmpfs rw\n"
                       "5 1 240:3 / @/unreadable rw - ext4 /dev/broken rw\n");
    fake->arena = arena_new(65536);
    assert_non_null(fake->arena);
    fake->filesystems = node_filesystems_new_from(&(struct node_filesystems_source){
        .mountinfo = fake->mountinfo,
        .by_uuid = "/nonexistent",
        .uuid_of_device = fake_uuid,
        .lifetime = lifetime,
        .look = node_filesystems_look,
    });
    assert_non_null(fake->filesystems);
    probes = 0;
}

static int run(const char *const *arguments)
{
    pid_t child;
    int status;
    if (posix_spawnp(&child, arguments[0], NULL, NULL, (char *const *)(uintptr_t)arguments, environ) != 0) {
        return -1;
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void end(struct fake *fake)
{
    node_filesystems_free(fake->filesystems);
    arena_unref(fake->arena);
    assert_int_equal(run((const char *const[]){"rm", "-rf", "--one-file-system", fake->folder, NULL}), 0);
}

/* A look gets a tenth of a second, which a busy machine may not give it. So what is expected to be known is asked for again. */
enum { TRIES = 200 };

static void wait_before_the_next_try(void)
{
    usleep(50 * 1000);
}

/* `directory` and `expected` are below the fake's folder where they begin with '@'; expected "" is "the node does not say". */
static void expect_uuid(struct fake *fake, const char *directory, const char *expected)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s", *directory == '@' ? fake->folder : "", directory + (*directory == '@'));
    const struct node *node = node_filesystems_node(fake->filesystems);
    struct bytes uuid = node->uuid_of_directory(node->state, bytes_of_string(path), fake->arena);
    for (int i = 0; i < TRIES && *expected && uuid.len == 0; i++) {
        wait_before_the_next_try();
        uuid = node->uuid_of_directory(node->state, bytes_of_string(path), fake->arena);
    }
    assert_int_equal(uuid.len, strlen(expected));
    assert_true(bytes_equal(uuid, bytes_of_string(expected)));
}

static void expect_mountpoint(struct fake *fake, const char *uuid, const char *expected)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s", *expected == '@' ? fake->folder : "", expected + (*expected == '@'));
    const struct node *node = node_filesystems_node(fake->filesystems);
    struct bytes mountpoint = node->mountpoint_of_uuid(node->state, bytes_of_string(uuid), fake->arena);
    assert_int_equal(mountpoint.len, strlen(path));
    assert_true(bytes_equal(mountpoint, bytes_of_string(path)));
}

TEST(a_directory_has_the_uuid_of_its_device)
{
    struct fake fake;
    begin(&fake, 60000);
    make_folder(&fake, "data/below");
    char link[128];
    snprintf(link, sizeof link, "%s/link", fake.folder);
    assert_int_equal(symlink("data/below", link), 0);
    expect_uuid(&fake, "/", ROOT_UUID);
    expect_uuid(&fake, "@", ROOT_UUID);
    expect_uuid(&fake, "@/data", DATA_UUID);
    expect_uuid(&fake, "@/data/below", DATA_UUID);
    expect_uuid(&fake, "@/data/below/../..", ROOT_UUID);
    expect_uuid(&fake, "@/layer", DATA_UUID);
    expect_uuid(&fake, "@/link", DATA_UUID);
    end(&fake);
}

TEST(the_node_does_not_say_what_it_cannot_know)
{
    struct fake fake;
    begin(&fake, 60000);
    make_folder(&fake, "unreadable");
    expect_uuid(&fake, "@/memory", "");
    expect_uuid(&fake, "@/unreadable", "");
    expect_uuid(&fake, "@/missing", "");
    expect_uuid(&fake, "", "");
    expect_uuid(&fake, "data", "");
    const struct node *node = node_filesystems_node(fake.filesystems);
    char with_nul[] = "/\0x";
    assert_int_equal(node->uuid_of_directory(node->state, bytes_of(with_nul, 3), fake.arena).len, 0);
    char long_path[8192];
    memset(long_path, '/', sizeof long_path);
    assert_int_equal(node->uuid_of_directory(node->state, bytes_of(long_path, sizeof long_path), fake.arena).len, 0);
    expect_mountpoint(&fake, "", "");
    expect_mountpoint(&fake, "99999999-2222-3333-4444-555555555555", "");
    expect_mountpoint(&fake, "../../etc", "");
    assert_int_equal(node->mountpoint_of_uuid(node->state, bytes_of(long_path, sizeof long_path), fake.arena).len, 0);
    end(&fake);
}

TEST(a_folder_has_the_usage_of_its_filesystem)
{
    struct fake fake;
    begin(&fake, 60000);
    const struct node *node = node_filesystems_node(fake.filesystems);
    struct filesystem_usage usage = {0};
    struct statvfs filesystem;
    assert_int_equal(statvfs(fake.folder, &filesystem), 0);
    for (int i = 0; i < TRIES && !node->usage_of_directory(node->state, bytes_of_string(fake.folder), &usage); i++) {
        wait_before_the_next_try();
    }
    assert_true(usage.used_bytes > 0);
    assert_true(usage.used_bytes <= (uint64_t)filesystem.f_blocks * filesystem.f_frsize);
    assert_true(usage.inodes_used <= filesystem.f_files);
    assert_true(usage.taken_at > 1500000000000000000);
    char long_path[8192];
    memset(long_path, '/', sizeof long_path);
    assert_false(node->usage_of_directory(node->state, bytes_of(long_path, sizeof long_path), &usage));
    assert_false(node->usage_of_directory(node->state, bytes_of("/\0x", 3), &usage));
    assert_false(node->usage_of_directory(node->state, bytes_of_string(""), &usage));
    assert_false(node->usage_of_directory(node->state, bytes_of_string("tmp"), &usage));
    assert_false(node->usage_of_directory(node->state, bytes_of_string("/proc/self/mountinfo"), &usage));
    assert_false(node->usage_of_directory(node->state, bytes_of_string("/nowhere/at/all"), &usage));
    end(&fake);
}

TEST(a_uuid_has_the_mount_of_the_whole_device)
{
    struct fake fake;
    begin(&fake, 60000);
    expect_mountpoint(&fake, ROOT_UUID, "/");
    expect_mountpoint(&fake, DATA_UUID, "@/data");
    expect_mountpoint(&fake, "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE", "@/data");
    end(&fake);
}

TEST(a_part_of_a_device_does_where_the_whole_is_not_mounted)
{
    struct fake fake;
    begin(&fake, 60000);
    write_mounts(&fake, "1 0 240:1 / / rw - ext4 /dev/root rw\n2 1 240:2 /part @/layer rw - ext4 /dev/data rw\n");
    expect_mountpoint(&fake, DATA_UUID, "@/layer");
    end(&fake);
}

TEST(answers_are_remembered_for_their_lifetime)
{
    struct fake fake;
    begin(&fake, 60000);
    for (size_t i = 0; i < 100; i++) {
        expect_uuid(&fake, "@/data", DATA_UUID);
        expect_mountpoint(&fake, "99999999-2222-3333-4444-555555555555", "");
    }
    assert_int_equal(probes, 3);
    write_mounts(&fake, "1 0 240:1 / / rw - ext4 /dev/root rw\n");
    expect_uuid(&fake, "@/data", DATA_UUID);
    end(&fake);

    begin(&fake, 0);
    expect_uuid(&fake, "@/data", DATA_UUID);
    write_mounts(&fake, "1 0 240:1 / / rw - ext4 /dev/root rw\n");
    expect_uuid(&fake, "@/data", ROOT_UUID);
    assert_int_equal(unlink(fake.mountinfo), 0);
    expect_uuid(&fake, "@/data", "");
    expect_mountpoint(&fake, ROOT_UUID, "");
    end(&fake);
}

/* Says why a test cannot be held here; where everything has to be held, that is a failure. */
static void cannot(const char *reason)
{
    const char *ci = getenv("CI");
    if (ci && strcmp(ci, "true") == 0) {
        fail_msg("cannot be held here: %s", reason);
    }
    print_message("skipped: %s\n", reason);
    skip();
}

TEST(udevs_link_spares_reading_devices)
{
    struct fake fake;
    begin(&fake, 60000);
    char link[128];
    snprintf(link, sizeof link, "%s/%s", fake.folder, DATA_UUID);
    bool made = mknod(link, S_IFBLK | 0600, makedev(240, 2)) == 0;
    struct node_filesystems *filesystems = node_filesystems_new_from(&(struct node_filesystems_source){
        .mountinfo = fake.mountinfo,
        .by_uuid = fake.folder,
        .uuid_of_device = fake_uuid,
        .lifetime = 60000,
        .look = node_filesystems_look,
    });
    assert_non_null(filesystems);
    node_filesystems_free(fake.filesystems);
    fake.filesystems = filesystems;
    if (made) {
        expect_mountpoint(&fake, DATA_UUID, "@/data");
        assert_int_equal(probes, 0);
    }
    end(&fake);
    if (!made) {
        cannot("making a device node takes root");
    }
}

TEST(a_real_filesystem_is_found_both_ways)
{
    if (geteuid() != 0) {
        cannot("mounting a filesystem takes root");
    }
    char folder[] = "/tmp/node_filesystems_XXXXXX";
    assert_non_null(mkdtemp(folder));
    char image[96];
    char mountpoint[96];
    char uuid[sizeof DATA_UUID]; /* no other's, also if a run that failed left its own mounted */
    snprintf(uuid, sizeof uuid, "aaaaaaaa-bbbb-cccc-dddd-%012x", (unsigned)getpid());
    snprintf(image, sizeof image, "%s/image", folder);
    snprintf(mountpoint, sizeof mountpoint, "%s/with blank", folder);
    assert_int_equal(mkdir(mountpoint, 0755), 0);
    int file = open(image, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, 16 << 20), 0);
    close(file);
    bool made = run((const char *const[]){"mkfs.ext4", "-q", "-F", "-U", uuid, image, NULL}) == 0;
    bool mounted = made && run((const char *const[]){"mount", "-o", "loop", image, mountpoint, NULL}) == 0;

    struct fake node = {.arena = arena_new(65536), .filesystems = node_filesystems_new()};
    assert_non_null(node.arena);
    assert_non_null(node.filesystems);
    if (mounted) {
        expect_uuid(&node, mountpoint, uuid);
        expect_mountpoint(&node, uuid, mountpoint);
        expect_uuid(&node, "/proc", "");
        assert_int_equal(umount(mountpoint), 0);
    }
    node_filesystems_free(node.filesystems);
    arena_unref(node.arena);
    assert_int_equal(run((const char *const[]){"rm", "-rf", "--one-file-system", folder, NULL}), 0);
    if (!mounted) {
        cannot(made ? "no loop device can be mounted" : "mkfs.ext4 does not run");
    }
}

/* As when the server of a network filesystem is gone: one of FUSE that nobody serves. The test hangs where the node does. */
TEST(a_filesystem_that_hangs_holds_nothing_up)
{
    struct fake fake;
    begin(&fake, 60000);
    char mountpoint[96];
    char options[96];
    snprintf(mountpoint, sizeof mountpoint, "%s/data", fake.folder);
    int server = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", server);
    bool mounted = server >= 0 && mount("unserved", mountpoint, "fuse", MS_NOSUID | MS_NODEV, options) == 0;
    if (mounted) {
        const struct node *node = node_filesystems_node(fake.filesystems);
        struct filesystem_usage usage = {0};
        alarm(60);
        for (int i = 0; i < 3; i++) {
            assert_false(node->usage_of_directory(node->state, bytes_of_string(mountpoint), &usage));
            expect_uuid(&fake, "@/data", "");
            expect_uuid(&fake, "@/layer", DATA_UUID);
        }
        alarm(0);
        close(server); /* whoever waits for it gets an error */
        assert_int_equal(umount2(mountpoint, MNT_DETACH), 0);
    } else if (server >= 0) {
        close(server);
    }
    end(&fake);
    if (!mounted) {
        cannot("mounting a filesystem of FUSE takes root and /dev/fuse");
    }
}
