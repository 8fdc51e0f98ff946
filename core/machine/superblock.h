/* The UUID that a filesystem keeps on its device: in the first of its superblocks, at a place that its type determines. For ext2,
   ext3, ext4, xfs and btrfs; the layouts are documented in Linux (Documentation/filesystems/ext4/super.rst,
   fs/xfs/libxfs/xfs_format.h, include/uapi/linux/btrfs_tree.h). */
#pragma once

#include <stdbool.h>

/* Hexadecimal digits and hyphens, as in 01234567-89ab-cdef-0123-456789abcdef. */
#define SUPERBLOCK_UUID_SIZE 37

/* Reads it from a device, or an image of one, that holds a filesystem of that type ("ext4", as in mountinfo). false: another
   type, no superblock of that type there, a UUID of zeros, or an error of the device. The descriptor's position stays. */
bool superblock_uuid(int device, const char *type, char uuid[SUPERBLOCK_UUID_SIZE]);
