#include "node/kubelet/process.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "base/system/file.h"

#define LARGEST_FILE ((size_t)2 << 20) /* a command line may have this many bytes and more, but no kubelet's */
#define MOST_PROCESSES 65536
#define PATH_SIZE 64

/* The folder of the process in /proc; what is read in it is of that process, never of a later one with the same number. -1: there
   is no such process. */
static int open_process(pid_t pid)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/proc/%ld", (long)pid);
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* A file of the process, and a NUL. No data: it cannot be read. */
static struct bytes read_whole(int folder, const char *name, struct arena *arena)
{
    DESCRIPTOR_CLEANUP int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
    struct buffer content = {0};
    bool good = file >= 0 && file_read_whole(file, LARGEST_FILE, &content);
    const char *text = good ? arena_string(arena, buffer_bytes(&content)) : NULL;
    size_t len = text ? content.len : 0;
    buffer_clear(&content);
    return bytes_of(text, len);
}

/* Where a link of the process leads to. */
static const char *read_link(int folder, const char *name, struct arena *arena)
{
    char target[PATH_MAX];
    ssize_t len = readlinkat(folder, name, target, sizeof target);
    return len > 0 && (size_t)len < sizeof target ? arena_string(arena, bytes_of(target, (size_t)len)) : NULL;
}

static const char *read_program(int folder, struct arena *arena)
{
    static const char mark[] = " (deleted)";
    const char *program = read_link(folder, "exe", arena);
    if (program && string_ends_with(program, mark)) {
        return arena_string(arena, bytes_of(program, strlen(program) - strlen(mark)));
    }
    return program;
}

static bool is_other(int folder, const char *name, struct arena *arena)
{
    DESCRIPTOR_CLEANUP int own = open_process(getpid());
    const char *theirs = read_link(folder, name, arena), *ours = read_link(own, name, arena);
    return !theirs || !ours || strcmp(theirs, ours) != 0;
}

static bool has_other_etc(int folder)
{
    struct stat theirs, ours;
    return fstatat(folder, "root/etc/.", &theirs, 0) != 0 || stat("/etc/.", &ours) != 0 || theirs.st_dev != ours.st_dev ||
           theirs.st_ino != ours.st_ino;
}

/* The number after "NAME:" and `skip` others. */
static long status_number(const char *status, const char *name, int skip)
{
    const char *line = strstr(status, name);
    char *end = NULL;
    long number = -1;
    for (const char *at = line ? line + strlen(name) : NULL; at && skip >= 0; skip--, at = end) {
        number = strtol(at, &end, 10);
    }
    return number;
}

/* Which user controls what the process does. Of real, effective, saved and file system uid, one that is not root's. */
static uid_t uid_of(const char *status)
{
    long uid = 0;
    for (int i = 0; i < 4 && uid == 0; i++) {
        uid = status_number(status, "\nUid:", i);
    }
    return (uid_t)uid;
}

static bool split_arguments(struct bytes text, struct arena *arena, struct process *process)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        count += text.data[i] == '\0' || i + 1 == text.len;
    }
    const char **arguments = arena_zalloc(arena, (count + 1) * sizeof *arguments);
    for (size_t i = 0, at = 0; arguments && i < count; i++) {
        arguments[i] = (const char *)text.data + at; /* the text is followed by a NUL */
        at += strlen(arguments[i]) + 1;
    }
    process->arguments = arguments;
    process->argument_count = count;
    return arguments != NULL;
}

/* The path of the line that systemd made: "0::PATH", or "1:name=systemd:PATH". */
static struct bytes systemd_path(struct bytes text)
{
    static const char *const marks[] = {":name=systemd:", "0::"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const uint8_t *at = text.len > 0 ? memmem(text.data, text.len, marks[i], strlen(marks[i])) : NULL;
        if (at) {
            struct bytes rest = bytes_after(text, (size_t)(at - text.data) + strlen(marks[i]));
            const uint8_t *end = rest.len > 0 ? memchr(rest.data, '\n', rest.len) : NULL;
            rest.len = end ? (size_t)(end - rest.data) : rest.len;
            if (rest.len > 1) {
                return rest;
            }
        }
    }
    return bytes_of(NULL, 0);
}

const char *process_unit_of_cgroup(struct bytes text, struct arena *arena)
{
    static const char suffix[] = ".service", users[] = "/user@";
    struct bytes path = systemd_path(text), unit = {.len = 0};
    if (path.len == 0 || memmem(path.data, path.len, users, strlen(users))) {
        return NULL;
    }
    while (path.len > 0) {
        const uint8_t *end = memchr(path.data, '/', path.len);
        struct bytes part = bytes_of(path.data, end ? (size_t)(end - path.data) : path.len);
        if (part.len > strlen(suffix) && bytes_equal(bytes_after(part, part.len - strlen(suffix)), bytes_of_string(suffix))) {
            unit = part;
        }
        path = bytes_after(path, end ? part.len + 1 : part.len);
    }
    unit = bytes_after(unit, unit.len > 0 && unit.data[0] == '_'); /* before names that could be files of the kernel */
    return unit.len > 0 ? arena_string(arena, unit) : NULL;
}

bool process_read(pid_t pid, struct arena *arena, struct process *process)
{
    DESCRIPTOR_CLEANUP int folder = open_process(pid);
    *process = (struct process){.pid = pid, .program = read_program(folder, arena)};
    struct bytes status = read_whole(folder, "status", arena), words = read_whole(folder, "cmdline", arena);
    if (!process->program || !status.data || !words.data || !split_arguments(words, arena, process)) {
        return false;
    }
    process->parent = (pid_t)status_number((const char *)status.data, "\nPPid:", 0);
    process->uid = uid_of((const char *)status.data);
    process->unit = process_unit_of_cgroup(read_whole(folder, "cgroup", arena), arena);
    process->other_user_namespace = is_other(folder, "ns/user", arena);
    process->other_mount_namespace = is_other(folder, "ns/mnt", arena);
    process->other_pid_namespace = is_other(folder, "ns/pid", arena);
    process->other_root = is_other(folder, "root", arena);
    process->other_etc = has_other_etc(folder);
    /* One that becomes another program meanwhile would have the name of the one and the rights of the other. */
    const char *program = read_program(folder, arena);
    return program && strcmp(program, process->program) == 0;
}

bool process_is_there(pid_t pid)
{
    char target[PATH_MAX];
    DESCRIPTOR_CLEANUP int folder = open_process(pid);
    return folder >= 0 && readlinkat(folder, "exe", target, sizeof target) > 0; /* a zombie has none */
}

const pid_t *process_list(struct arena *arena, size_t *count)
{
    pid_t *list = arena_alloc(arena, MOST_PROCESSES * sizeof *list);
    DIR *folder = list ? opendir("/proc") : NULL;
    *count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder)) && *count < MOST_PROCESSES;) {
        if (isdigit((unsigned char)entry->d_name[0])) {
            list[(*count)++] = (pid_t)strtol(entry->d_name, NULL, 10);
        }
    }
    if (!folder) {
        return NULL;
    }
    closedir(folder);
    arena_trim(arena, list, MOST_PROCESSES * sizeof *list, *count * sizeof *list);
    return list;
}
