/* The memory of containers, from the kernel's cgroups: the working set, usage less the page cache that was not used lately, as
   cAdvisor and containerd count it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/bytes.h"
#include "translate/walk/node.h"

/* A hierarchy of cgroups that counts memory. */
struct cgroup_hierarchy {
    int root;          /* descriptor of its root */
    const char *usage; /* the file with the bytes in use */
    const char *stat;  /* the file with what they are in use for */
    const char *cache; /* the line in it with the page cache that was not used lately, of the cgroup and those in it */
};

/* The hierarchy of this node: version 2 at /sys/fs/cgroup, or version 1 at /sys/fs/cgroup/memory, whichever the kernel says is
   there. `root` must be closed. false: neither. */
bool cgroups_open(struct cgroup_hierarchy *hierarchy);

/* Fills in `known` and `working_set` of each container whose cgroup is there, at one of its paths. A path must have the form of
   container_cgroups(); no symbolic link is followed. Ends after 50 ms: what is left over then is not known. Reads files of the
   kernel's memory only. */
void cgroups_read(const struct cgroup_hierarchy *hierarchy, struct container_memory *containers, size_t count);

/* The same for this node, as struct node has it. `state` is not used. */
void cgroups_memory_of_containers(void *state, struct container_memory *containers, size_t count);

/* The number in the line "KEY NUMBER" of a text of such lines; false: there is none, or it is not a number of 64 bits. */
bool cgroups_find_number(struct bytes text, const char *key, uint64_t *number);
