/* UUIDs of filesystems: by udev's records, and off devices. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/machine/device_uuid.h"
#include "core/machine/superblock.h"
#include "tests/cmocka.h"

#define UUID "01234567-89ab-cdef-0123-456789abcdef"
#define UUID_BYTES "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef"

/* 240:7 is a number for local use: no device has it. */
#define DEVICE makedev(240, 7)

static char folder[] = "/tmp/device_uuid_test_XXXXXX";
static char path[128];

static int set_up(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    return rmdir(folder);
}

static const char *path_of(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *bytes, size_t size)
{
    FILE *file = fopen(path_of(name), "we");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* What the record of udev leads to; NULL: nothing. */
static void expect_of_record(const char *record, size_t size, const char *expected)
{
    const struct device_folders folders = {.udev = folder, .numbers = "/nonexistent", .devices = "/nonexistent"};
    char uuid[64] = "";
    write_file("b240:7", record, size);
    assert_int_equal(device_uuid(&folders, DEVICE, "ext4", uuid, sizeof uuid), expected != NULL);
    if (expected) {
        assert_string_equal(uuid, expected);
    }
    assert_false(device_uuid(&folders, makedev(240, 8), "ext4", uuid, sizeof uuid));
    assert_int_equal(unlink(path), 0);
}

#define RECORD(text, expected) expect_of_record(text, sizeof(text) - 1, expected)

ALL_TESTS(set_up, tear_down)

TEST(udevs_record_has_the_uuid)
{
    RECORD("S:disk/by-uuid/" UUID "\nI:123\nE:ID_FS_TYPE=ext4\nE:ID_FS_UUID=" UUID "\nE:ID_FS_UUID_ENC=x\n", UUID);
    RECORD("E:ID_FS_UUID=ABCD-1234\n", "ABCD-1234");
    RECORD("", NULL);
    RECORD("E:ID_FS_UUID=\n", NULL);
    RECORD("E:ID_FS_UUID=" UUID, NULL); /* its end may be missing */
    RECORD("E:ID_FS_UUID_ENC=" UUID "\n", NULL);
    RECORD("XE:ID_FS_UUID=" UUID "\n", NULL);
    RECORD("E:ID_FS_UUID=../../etc\n", NULL);
    RECORD("E:ID_FS_UUID=\x1b[31m\n", NULL);
    RECORD("E:ID\0\nE:ID_FS_UUID=" UUID "\n", NULL);
}

TEST(a_record_that_is_too_long_leads_to_nothing)
{
    size_t size = 200000;
    char *record = malloc(size);
    assert_non_null(record);
    memset(record, 'a', size);
    memcpy(record, "E:ID_FS_UUID=", 13);
    expect_of_record(record, size, NULL);
    record[13 + 63] = '\n';
    record[13 + 64] = '\0';
    char expected[64] = {0};
    memset(expected, 'a', 63);
    expect_of_record(record, size, expected);
    record[13 + 63] = 'a';
    record[13 + 64] = '\n';
    expect_of_record(record, size, NULL);
    memset(record, '\n', size);
    memcpy(record + size - 51, "\nE:ID_FS_UUID=" UUID "\n", 51);
    expect_of_record(record, size, NULL);
    free(record);
}

/* What is read off a device of `size` bytes, all zero but for what is written at a place. */
static bool read_superblock(const char *type, off_t magic_at, const char *magic, off_t uuid_at, off_t size,
                            char uuid[SUPERBLOCK_UUID_SIZE])
{
    int file = open(path_of("image"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, magic, strlen(magic), magic_at), strlen(magic));
    assert_int_equal(pwrite(file, UUID_BYTES, 16, uuid_at), 16);
    assert_int_equal(ftruncate(file, size), 0);
    bool found = superblock_uuid(file, type, uuid);
    close(file);
    assert_int_equal(unlink(path), 0);
    return found;
}

TEST(superblocks_are_where_their_filesystems_put_them)
{
    static const struct {
        const char *type;
        const char *magic;
        off_t magic_at;
        off_t uuid_at;
    } forms[] = {
        {"ext2", "\x53\xef", 1080, 1128}, {"ext3", "\x53\xef", 1080, 1128},    {"ext4", "\x53\xef", 1080, 1128},
        {"xfs", "XFSB", 0, 32},           {"btrfs", "_BHRfS_M", 65600, 65568},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char uuid[SUPERBLOCK_UUID_SIZE];
        off_t end = forms[i].magic_at > forms[i].uuid_at ? forms[i].magic_at + 8 : forms[i].uuid_at + 16;
        assert_true(read_superblock(forms[i].type, forms[i].magic_at, forms[i].magic, forms[i].uuid_at, 1 << 20, uuid));
        assert_string_equal(uuid, UUID);
        assert_true(read_superblock(forms[i].type, forms[i].magic_at, forms[i].magic, forms[i].uuid_at, end, uuid));
        assert_false(read_superblock(forms[i].type, forms[i].magic_at, forms[i].magic, forms[i].uuid_at, end - 1, uuid));
        assert_false(read_superblock(forms[i].type, forms[i].magic_at, forms[i].magic, forms[i].uuid_at, 0, uuid));
        assert_false(read_superblock(forms[i].type, forms[i].magic_at, "XXXXXXXX", forms[i].uuid_at, 1 << 20, uuid));
        assert_false(read_superblock(forms[i].type, forms[i].magic_at, forms[i].magic, 200000, 1 << 20, uuid)); /* all zero */
        assert_false(read_superblock("zfs", forms[i].magic_at, forms[i].magic, forms[i].uuid_at, 1 << 20, uuid));
        assert_false(read_superblock("", forms[i].magic_at, forms[i].magic, forms[i].uuid_at, 1 << 20, uuid));
    }
}

TEST(no_device_but_that_of_the_number_is_read)
{
    char numbers[128];
    char uuid[64];
    snprintf(numbers, sizeof numbers, "%s/240:7", folder);
    const struct device_folders folders = {.udev = "/nonexistent", .numbers = folder, .devices = "/dev"};
    assert_int_equal(mkdir(numbers, 0700), 0);
    static const char *const events[] = {
        "", "DEVNAME=", "DEVNAME=\n", "DEVNAME=zero\n", "DEVNAME=../etc/passwd\n", "DEVNAME=none\n"};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        write_file("240:7/uevent", events[i], strlen(events[i]));
        assert_false(device_uuid(&folders, DEVICE, "ext4", uuid, sizeof uuid));
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(numbers), 0);
}
