/* Any bytes as a file of the system that crigate reads: udev's record of a device, the kernel's list of mounts, /etc/group, the
   begin of a device, the memory of a cgroup. What is taken from it has the form that was promised. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/machine/cgroups.h"
#include "core/machine/device_uuid.h"
#include "core/machine/mountinfo.h"
#include "core/machine/superblock.h"
#include "core/map/values.h"
#include "tests/fuzz/fuzz.h"

/* The folder is that of udev's records and of one process, and the file the record of device 1:1. */
static char folder[] = "/dev/shm/system_file_fuzz_XXXXXX";
static char path[sizeof folder + 16];

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

static void write_record(const uint8_t *data, size_t size)
{
    if (path[0] == '\0') {
        must(mkdtemp(folder) != NULL && atexit(remove_folder) == 0);
        snprintf(path, sizeof path, "%s/b1:1", folder);
    }
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(file >= 0 && write(file, data, size) == (ssize_t)size && close(file) == 0);
}

static void must_be_uuid(const char *uuid, size_t size)
{
    size_t len = strnlen(uuid, size);
    must(len > 0 && len < size);
    for (size_t i = 0; i < len; i++) {
        must(isxdigit((unsigned char)uuid[i]) || uuid[i] == '-');
    }
}

static void read_uuids(void)
{
    static const char *const types[] = {"ext2", "ext4", "xfs", "btrfs", "tmpfs", ""};
    const struct device_folders folders = {.udev = folder, .numbers = "/nonexistent", .devices = "/nonexistent"};
    char uuid[64];
    if (device_uuid(&folders, makedev(1, 1), "ext4", uuid, sizeof uuid)) {
        must_be_uuid(uuid, sizeof uuid);
    }
    int device = open(path, O_RDONLY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (superblock_uuid(device, types[i], uuid)) {
            must_be_uuid(uuid, sizeof uuid);
            must(strlen(uuid) == SUPERBLOCK_UUID_SIZE - 1);
        }
    }
    close(device);
}

static void read_mounts(size_t size)
{
    struct mountinfo mounts;
    if (mountinfo_read(&mounts, path)) {
        for (size_t i = 0; i < mounts.count; i++) {
            const struct mount *mount = &mounts.mounts[i];
            must(strlen(mount->root) + strlen(mount->mountpoint) + strlen(mount->type) + strlen(mount->source) < size);
            const struct mount *found = mountinfo_of_path(&mounts, mount->mountpoint);
            must(!found || strlen(found->mountpoint) <= strlen(mount->mountpoint));
        }
        mountinfo_clear(&mounts);
    }
}

/* The name is the input's first line, too. */
static void read_accounts(const uint8_t *data, size_t size)
{
    char name[64] = "";
    id_t id = (id_t)-1;
    memcpy(name, data, size < sizeof name ? size : sizeof name - 1);
    name[strcspn(name, ":\n")] = '\0';
    bool found = account_find(path, name, &id) == ACCOUNT_FOUND;
    must(found == (id != (id_t)-1));
    must(!found || (*name != '+' && *name != '-' && memmem(data, size, name, strlen(name))));
}

/* The file is all that a cgroup has, whichever file of it is read. */
static void read_memory(const uint8_t *data, size_t size)
{
    const char *const paths[] = {strrchr(folder, '/') + 1};
    struct cgroup_hierarchy hierarchy = {
        .root = open("/dev/shm", O_PATH | O_DIRECTORY | O_CLOEXEC), .usage = "b1:1", .stat = "b1:1", .cache = "inactive_file"};
    struct container_memory container = {.cgroups = paths, .count = 1};
    uint64_t number;
    bool found = cgroups_find_number(bytes_of(data, size), "inactive_file", &number);
    cgroups_read(&hierarchy, &container, 1);
    must(!container.known || found);
    must(!found || memmem(data, size, "inactive_file ", strlen("inactive_file ")) != NULL);
    close(hierarchy.root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    write_record(data, size);
    read_uuids();
    read_mounts(size);
    read_accounts(data, size);
    read_memory(data, size);
    return 0;
}
