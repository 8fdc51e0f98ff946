#include "core/machine/cgroups.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/descriptor.h"

/* memory.stat of today's kernels has two thousand bytes. */
#define LONGEST_FILE 16384

/* All calls wait while files are read. The kernel may have to add up counters of all processors for each of them. */
#define MOST_MILLISECONDS 50

/* ---- files ---- */

static bool read_digits(struct bytes digits, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < digits.len; i++) {
        unsigned digit = (unsigned)digits.data[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(*number, 10, number) || __builtin_add_overflow(*number, digit, number)) {
            return false;
        }
    }
    return digits.len > 0;
}

static struct bytes first_line(struct bytes text)
{
    const uint8_t *end = memchr(text.data, '\n', text.len);
    return bytes_of(text.data, end ? (size_t)(end - text.data) : text.len);
}

bool cgroups_find_number(struct bytes text, const char *key, uint64_t *number)
{
    struct bytes wanted = bytes_of_string(key);
    while (text.len > 0) {
        struct bytes line = first_line(text);
        if (bytes_start_with(line, wanted) && line.len > wanted.len && line.data[wanted.len] == ' ') {
            return read_digits(bytes_after(line, wanted.len + 1), number);
        }
        text = bytes_after(text, line.len < text.len ? line.len + 1 : line.len);
    }
    return false;
}

/* All of a file that the kernel writes when it is read, which is one moment's. */
static bool read_file(int folder, const char *name, char text[LONGEST_FILE], struct bytes *content)
{
    DESCRIPTOR_CLEANUP int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, LONGEST_FILE) : -1;
    *content = bytes_of(text, length > 0 ? (size_t)length : 0);
    return length > 0 && length < LONGEST_FILE;
}

/* ---- cgroups ---- */

/* Opens a path step by step: no part of it is followed elsewhere. -1: it is not there, or has another form. */
static int open_cgroup(int root, const char *path)
{
    DESCRIPTOR_CLEANUP int folder = -1;
    while (*path) {
        char name[NAME_MAX + 1];
        size_t length = strcspn(path, "/");
        if (length == 0 || length >= sizeof name || *path == '.') {
            return -1;
        }
        memcpy(name, path, length);
        name[length] = '\0';
        int next = openat(folder >= 0 ? folder : root, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        descriptor_close(&folder);
        folder = next;
        if (folder < 0) {
            return -1;
        }
        path += length + (path[length] == '/');
    }
    int found = folder;
    folder = -1;
    return found;
}

static bool read_memory(const struct cgroup_hierarchy *hierarchy, const char *path, uint64_t *working_set)
{
    char text[LONGEST_FILE];
    struct bytes content;
    uint64_t usage, cache;
    DESCRIPTOR_CLEANUP int cgroup = open_cgroup(hierarchy->root, path);
    if (cgroup < 0 || !read_file(cgroup, hierarchy->usage, text, &content) || !read_digits(first_line(content), &usage) ||
        !read_file(cgroup, hierarchy->stat, text, &content) || !cgroups_find_number(content, hierarchy->cache, &cache)) {
        return false;
    }
    *working_set = usage > cache ? usage - cache : 0; /* the two are not of the same moment */
    return true;
}

/* Most containers of a node have the same place in their lists of paths: that of the last one that was found is tried first. */
static void find_memory(const struct cgroup_hierarchy *hierarchy, struct container_memory *container, size_t *likely)
{
    size_t first = *likely;
    for (size_t i = 0; !container->known && i < container->count; i++) {
        size_t at = (first + i) % container->count;
        container->known = read_memory(hierarchy, container->cgroups[at], &container->working_set);
        *likely = container->known ? at : *likely;
    }
}

void cgroups_read(const struct cgroup_hierarchy *hierarchy, struct container_memory *containers, size_t count)
{
    int64_t end = clock_ns() + MOST_MILLISECONDS * NANOSECONDS_A_MILLISECOND;
    size_t likely = 0;
    for (size_t i = 0; i < count && clock_ns() < end; i++) {
        find_memory(hierarchy, &containers[i], &likely);
    }
}

/* ---- this node ---- */

static bool open_hierarchy(struct cgroup_hierarchy *hierarchy, const char *path, unsigned magic)
{
    struct statfs filesystem;
    hierarchy->root = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (hierarchy->root >= 0 && fstatfs(hierarchy->root, &filesystem) == 0 && (unsigned)filesystem.f_type == magic) {
        return true;
    }
    descriptor_close(&hierarchy->root);
    return false;
}

bool cgroups_open(struct cgroup_hierarchy *hierarchy)
{
    *hierarchy = (struct cgroup_hierarchy){.usage = "memory.current", .stat = "memory.stat", .cache = "inactive_file"};
    if (open_hierarchy(hierarchy, "/sys/fs/cgroup", CGROUP2_SUPER_MAGIC)) {
        return true;
    }
    hierarchy->usage = "memory.usage_in_bytes";
    hierarchy->cache = "total_inactive_file";
    return open_hierarchy(hierarchy, "/sys/fs/cgroup/memory", CGROUP_SUPER_MAGIC);
}

void cgroups_memory_of_containers(void *state, struct container_memory *containers, size_t count)
{
    (void)state;
    struct cgroup_hierarchy hierarchy;
    if (cgroups_open(&hierarchy)) {
        cgroups_read(&hierarchy, containers, count);
        descriptor_close(&hierarchy.root);
    }
}
