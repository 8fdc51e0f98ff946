#include "filesystems.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "base/system/clock.h"
#include "core/machine/cgroups.h"
#include "core/machine/device_uuid.h"
#include "core/machine/mountinfo.h"

#define UUID_SIZE 64
#define LIFETIME 10000 /* milliseconds */

/* A block device that a filesystem is mounted from. */
struct device {
    dev_t number;
    const char *type;     /* of the filesystem; the mount's */
    bool asked;           /* uuid is known */
    char uuid[UUID_SIZE]; /* empty: unknown */
};

struct node_filesystems {
    struct node_filesystems_source source;
    struct node node;
    struct mountinfo mounts;
    struct device **device_of_mount; /* parallel to mounts; NULL for what is on no block device */
    struct device *devices;          /* each once */
    size_t device_count;
    int64_t read_at; /* clock_ms() + 1; 0: never */
    struct filesystem_prober *prober;
};

static bool uuid_on_this_node(dev_t device, const char *type, char *uuid, size_t size)
{
    static const struct device_folders folders = {.udev = "/run/udev/data", .numbers = "/sys/dev/block", .devices = "/dev"};
    return device_uuid(&folders, device, type, uuid, size);
}

static void forget(struct node_filesystems *filesystems)
{
    mountinfo_clear(&filesystems->mounts);
    free(filesystems->device_of_mount);
    free(filesystems->devices);
    filesystems->device_of_mount = NULL;
    filesystems->devices = NULL;
    filesystems->device_count = 0;
}

/* The number of the block device below a mount, 0 when there is none. Filesystems such as btrfs have a number of their own, with
   major 0, and name the device only as the mount's source. */
static dev_t device_number(const struct mount *mount)
{
    if (major(mount->device) != 0) {
        return mount->device;
    }
    struct stat status;
    bool named = strncmp(mount->source, "/dev/", strlen("/dev/")) == 0;
    return named && stat(mount->source, &status) == 0 && S_ISBLK(status.st_mode) ? status.st_rdev : 0;
}

static struct device *known_device(struct node_filesystems *filesystems, dev_t number, const char *type)
{
    for (size_t i = 0; i < filesystems->device_count; i++) {
        if (filesystems->devices[i].number == number) {
            return &filesystems->devices[i];
        }
    }
    struct device *device = &filesystems->devices[filesystems->device_count++];
    device->number = number;
    device->type = type;
    return device;
}

/* Reads the mounts again when they are too old. false: nothing is known. */
static bool refresh(struct node_filesystems *filesystems)
{
    int64_t time = clock_ms() + 1;
    if (filesystems->read_at != 0 && time - filesystems->read_at < filesystems->source.lifetime) {
        return filesystems->devices != NULL;
    }
    forget(filesystems);
    filesystems->read_at = time;
    if (!mountinfo_read(&filesystems->mounts, filesystems->source.mountinfo)) {
        return false;
    }
    size_t count = filesystems->mounts.count;
    filesystems->device_of_mount = calloc(count + 1, sizeof *filesystems->device_of_mount);
    filesystems->devices = calloc(count + 1, sizeof *filesystems->devices);
    if (!filesystems->device_of_mount || !filesystems->devices) {
        forget(filesystems);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct mount *mount = &filesystems->mounts.mounts[i];
        dev_t number = device_number(mount);
        filesystems->device_of_mount[i] = number ? known_device(filesystems, number, mount->type) : NULL;
    }
    return true;
}

static const char *uuid_of(const struct node_filesystems *filesystems, struct device *device)
{
    if (!device->asked) {
        device->asked = true;
        if (!filesystems->source.uuid_of_device(device->number, device->type, device->uuid, sizeof device->uuid)) {
            device->uuid[0] = '\0';
        }
    }
    return device->uuid;
}

/* A UUID as a string of its own: hexadecimal digits and hyphens, whatever the filesystem. false for anything else. */
static bool read_uuid(struct bytes bytes, char uuid[UUID_SIZE])
{
    if (bytes.len == 0 || bytes.len >= UUID_SIZE) {
        return false;
    }
    for (size_t i = 0; i < bytes.len; i++) {
        if (!isxdigit(bytes.data[i]) && bytes.data[i] != '-') {
            return false;
        }
        uuid[i] = (char)bytes.data[i];
    }
    uuid[bytes.len] = '\0';
    return true;
}

/* The mounted device that udev links under the UUID: asking it reads no device. */
static const struct device *device_by_link(const struct node_filesystems *filesystems, const char *uuid)
{
    char path[PATH_MAX];
    struct stat status;
    int length = snprintf(path, sizeof path, "%s/%s", filesystems->source.by_uuid, uuid);
    if (length < 0 || (size_t)length >= sizeof path || stat(path, &status) != 0 || !S_ISBLK(status.st_mode)) {
        return NULL;
    }
    for (size_t i = 0; i < filesystems->device_count; i++) {
        if (filesystems->devices[i].number == status.st_rdev) {
            return &filesystems->devices[i];
        }
    }
    return NULL;
}

static const struct device *device_by_probing(const struct node_filesystems *filesystems, const char *uuid)
{
    for (size_t i = 0; i < filesystems->device_count; i++) {
        if (strcasecmp(uuid_of(filesystems, &filesystems->devices[i]), uuid) == 0) {
            return &filesystems->devices[i];
        }
    }
    return NULL;
}

/* A mount of the whole filesystem rather than of a directory of it. */
static const struct mount *mount_of_device(const struct node_filesystems *filesystems, const struct device *device)
{
    const struct mount *part = NULL;
    for (size_t i = 0; i < filesystems->mounts.count; i++) {
        const struct mount *mount = &filesystems->mounts.mounts[i];
        if (filesystems->device_of_mount[i] != device) {
            continue;
        }
        if (strcmp(mount->root, "/") == 0) {
            return mount;
        }
        part = part ? part : mount;
    }
    return part;
}

static struct bytes mountpoint_of_uuid(void *state, struct bytes uuid_bytes, struct arena *arena)
{
    struct node_filesystems *filesystems = state;
    char uuid[UUID_SIZE];
    if (!read_uuid(uuid_bytes, uuid) || !refresh(filesystems)) {
        return (struct bytes){0};
    }
    const struct device *device = device_by_link(filesystems, uuid);
    if (!device) {
        device = device_by_probing(filesystems, uuid);
    }
    const struct mount *mount = device ? mount_of_device(filesystems, device) : NULL;
    return mount ? arena_copy(arena, bytes_of_string(mount->mountpoint)) : (struct bytes){0};
}

/* An absolute path as a string of its own. */
static bool read_path(struct bytes bytes, char path[PATH_MAX])
{
    if (bytes.len == 0 || bytes.len >= PATH_MAX || bytes.data[0] != '/' || memchr(bytes.data, '\0', bytes.len)) {
        return false;
    }
    memcpy(path, bytes.data, bytes.len);
    path[bytes.len] = '\0';
    return true;
}

static struct bytes uuid_of_directory(void *state, struct bytes directory, struct arena *arena)
{
    struct node_filesystems *filesystems = state;
    char path[PATH_MAX];
    struct folder folder;
    if (!read_path(directory, path) || !refresh(filesystems) || !filesystem_prober_probe(filesystems->prober, path, &folder)) {
        return (struct bytes){0};
    }
    const struct mount *mount = mountinfo_of_path(&filesystems->mounts, folder.path);
    struct device *device = mount ? filesystems->device_of_mount[mount - filesystems->mounts.mounts] : NULL;
    return device ? arena_copy(arena, bytes_of_string(uuid_of(filesystems, device))) : (struct bytes){0};
}

static bool usage_of_directory(void *state, struct bytes directory, struct filesystem_usage *usage)
{
    struct node_filesystems *filesystems = state;
    char path[PATH_MAX];
    struct folder folder;
    if (!read_path(directory, path) || !filesystem_prober_probe(filesystems->prober, path, &folder) || !folder.has_usage) {
        return false;
    }
    *usage = folder.usage;
    return true;
}

bool node_filesystems_look(const char *path, struct folder *folder)
{
    struct stat status;
    struct statvfs filesystem;
    if (!realpath(path, folder->path)) {
        return false;
    }
    folder->has_usage = stat(path, &status) == 0 && S_ISDIR(status.st_mode) && statvfs(path, &filesystem) == 0;
    if (folder->has_usage) {
        folder->usage = (struct filesystem_usage){
            .taken_at = clock_wall_ns(),
            .used_bytes = (uint64_t)(filesystem.f_blocks - filesystem.f_bfree) * filesystem.f_frsize,
            .inodes_used = filesystem.f_files - filesystem.f_ffree,
        };
    }
    return true;
}

struct node_filesystems *node_filesystems_new_from(const struct node_filesystems_source *source)
{
    struct node_filesystems *filesystems = calloc(1, sizeof *filesystems);
    struct filesystem_prober *prober = filesystem_prober_new(source->look);
    if (!filesystems || !prober) {
        free(filesystems);
        filesystem_prober_free(prober);
        return NULL;
    }
    filesystems->source = *source;
    filesystems->prober = prober;
    filesystems->node = (struct node){
        .state = filesystems,
        .mountpoint_of_uuid = mountpoint_of_uuid,
        .uuid_of_directory = uuid_of_directory,
        .usage_of_directory = usage_of_directory,
        .memory_of_containers = cgroups_memory_of_containers,
    };
    return filesystems;
}

struct node_filesystems *node_filesystems_new(void)
{
    return node_filesystems_new_from(&(struct node_filesystems_source){
        .mountinfo = "/proc/self/mountinfo",
        .by_uuid = "/dev/disk/by-uuid",
        .uuid_of_device = uuid_on_this_node,
        .lifetime = LIFETIME,
        .look = node_filesystems_look,
    });
}

void node_filesystems_free(struct node_filesystems *filesystems)
{
    if (filesystems) {
        forget(filesystems);
        filesystem_prober_free(filesystems->prober);
        free(filesystems);
    }
}

const struct node *node_filesystems_node(const struct node_filesystems *filesystems)
{
    return &filesystems->node;
}
