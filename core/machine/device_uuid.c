#include "core/machine/device_uuid.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "core/machine/superblock.h"

/* What is read of a record; a longer one loses its end. */
#define RECORD_SIZE 65536

/* Writes the value of a record's line that begins with `begin`, NUL-terminated. false: no such line, or a longer value. */
static bool find_value(char *record, const char *begin, char *value, size_t size)
{
    char *end;
    for (char *line = record; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (strncmp(line, begin, strlen(begin)) == 0) {
            return snprintf(value, size, "%s", line + strlen(begin)) < (int)size;
        }
    }
    return false;
}

/* The value of a line in the file FOLDER/PREFIX<MAJOR>:<MINOR>SUFFIX. */
static bool read_value(const char *folder, const char *prefix, dev_t device, const char *suffix, const char *begin, char *value,
                       size_t size)
{
    char path[PATH_MAX];
    char record[RECORD_SIZE];
    int length = snprintf(path, sizeof path, "%s/%s%u:%u%s", folder, prefix, major(device), minor(device), suffix);
    DESCRIPTOR_CLEANUP int file = length < (int)sizeof path ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
    ssize_t len = file < 0 ? -1 : read(file, record, sizeof record - 1);
    if (len < 0) {
        return false;
    }
    record[len] = '\0';
    return find_value(record, begin, value, size);
}

static bool is_uuid(const char *text)
{
    for (const char *c = text; *c; c++) {
        if (!isxdigit((unsigned char)*c) && *c != '-') {
            return false;
        }
    }
    return *text != '\0';
}

/* Opens the device to be read; -1 if that cannot be. Names in `devices` may be stale: the number counts. */
static int open_device(const struct device_folders *folders, dev_t device)
{
    char name[NAME_MAX + 1];
    char path[PATH_MAX];
    struct stat status;
    if (!read_value(folders->numbers, "", device, "/uevent", "DEVNAME=", name, sizeof name) ||
        snprintf(path, sizeof path, "%s/%s", folders->devices, name) >= (int)sizeof path) {
        return -1;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file >= 0 && (fstat(file, &status) != 0 || !S_ISBLK(status.st_mode) || status.st_rdev != device)) {
        descriptor_close(&file);
    }
    return file;
}

bool device_uuid(const struct device_folders *folders, dev_t device, const char *type, char *uuid, size_t size)
{
    if (read_value(folders->udev, "b", device, "", "E:ID_FS_UUID=", uuid, size) && is_uuid(uuid)) {
        return true;
    }
    if (size < SUPERBLOCK_UUID_SIZE) {
        return false;
    }
    DESCRIPTOR_CLEANUP int file = open_device(folders, device);
    return file >= 0 && superblock_uuid(file, type, uuid);
}
