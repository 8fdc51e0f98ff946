/* The UUID of the filesystem on a block device. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The folders that answer; a node has them at /run/udev/data, /sys/dev/block and /dev. */
struct device_folders {
    const char *udev;    /* udev's records of devices: "b8:1", with a line E:ID_FS_UUID=; need not be there */
    const char *numbers; /* the kernel's folders of devices: "8:1", with `uevent`, where DEVNAME= is the device's name */
    const char *devices; /* the devices by these names */
};

/* Writes the UUID of the filesystem of that type on a device, as a string: as udev found it, so that no device is read; else as
   superblock_uuid reads it, which takes the right to read the device. Hexadecimal digits and hyphens. false: unknown. */
bool device_uuid(const struct device_folders *folders, dev_t device, const char *type, char *uuid, size_t size);
