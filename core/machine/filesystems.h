/* What translation asks of this node (struct node of translate/walk/node.h): which directory is on the device of a filesystem
   UUID, and which UUID is the device's that holds a directory. The memory of containers comes from cgroups.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/machine/filesystem_prober.h"

struct node_filesystems;

/* Where the answers come from. */
struct node_filesystems_source {
    const char *mountinfo; /* file with the mounts */
    const char *by_uuid;   /* folder with a link for each UUID to its device; need not be there */
    /* Writes the UUID of the filesystem of that type on a block device; false when there is none or it cannot be read. */
    bool (*uuid_of_device)(dev_t device, const char *type, char *uuid, size_t size);
    unsigned lifetime;      /* milliseconds that what was read is believed */
    filesystem_probe *look; /* at a folder */
};

/* For the node that this runs on. The UUIDs of its devices are udev's, or read off the devices, see device_uuid.h. NULL when
   memory is short. Not safe from two threads at once: one for each worker. */
struct node_filesystems *node_filesystems_new(void);

/* The same with other sources. The strings are borrowed for as long as it lives. */
struct node_filesystems *node_filesystems_new_from(const struct node_filesystems_source *source);

/* A source's `look` that does look. */
bool node_filesystems_look(const char *path, struct folder *folder);

/* NULL is allowed. */
void node_filesystems_free(struct node_filesystems *filesystems);

/* Its face to translation; lives as long as it does. The answers come from memory for a few seconds; in between, the list of
   mounts is read, and what udev recorded of mounted devices or else their first blocks: of one device for a directory, of some
   for a UUID that udev does not link. Directories are looked at through a prober, so that one that hangs blocks nothing: see
   filesystem_prober.h for how old an answer may be. */
const struct node *node_filesystems_node(const struct node_filesystems *filesystems);
