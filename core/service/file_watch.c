#include "core/service/file_watch.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/bytes/bytes.h"
#include "base/system/descriptor.h"

/* A change is reported once nothing has happened for this long: files are changed together, and written in pieces. */
#define DEBOUNCE_MS 200
/* How long until a missing folder is looked for again. */
#define RETRY_MS 2000
#define RESCAN_MS 60000

#define CHANGES (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF)

/* Folders are watched, not files, because files get replaced. */
enum folder {
    FOLDER_OF_FILE,
    FOLDER_OF_TARGET, /* that of the file's target, if it is a symbolic link */
    FOLDER_OF_DROP_INS,
    FOLDER_COUNT,
};

struct file_watch {
    struct watch watch;
    struct poll_thread *poll_thread;
    void (*changed)(void *state, bool seen);
    void *state;
    char *file;
    char *drop_ins; /* NULL: none */
    char target[PATH_MAX];
    int folders[FOLDER_COUNT]; /* inotify's numbers; -1: not there */
    bool pending;              /* a change is not reported yet */
};

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int watch_folder_of(int notifier, const char *path)
{
    char copy[PATH_MAX];
    if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy) {
        return -1;
    }
    return inotify_add_watch(notifier, dirname(copy), CHANGES | IN_ONLYDIR);
}

static void watch_folders(struct file_watch *files)
{
    int notifier = files->watch.fd;
    files->folders[FOLDER_OF_FILE] = watch_folder_of(notifier, files->file);
    if (!realpath(files->file, files->target)) {
        files->target[0] = '\0';
    }
    files->folders[FOLDER_OF_TARGET] = files->target[0] ? watch_folder_of(notifier, files->target) : -1;
    files->folders[FOLDER_OF_DROP_INS] =
        files->drop_ins ? inotify_add_watch(notifier, files->drop_ins, CHANGES | IN_ONLYDIR) : -1;
}

/* Whether an event is about a file of the map. "..data" is the link that the kubelet exchanges. */
static bool is_relevant(const struct file_watch *files, int folder, const char *name)
{
    bool exchanged = strcmp(name, "..data") == 0;
    if (folder == files->folders[FOLDER_OF_FILE] && (exchanged || strcmp(name, name_of(files->file)) == 0 ||
                                                     (files->drop_ins && strcmp(name, name_of(files->drop_ins)) == 0))) {
        return true;
    }
    if (folder == files->folders[FOLDER_OF_TARGET] && strcmp(name, name_of(files->target)) == 0) {
        return true;
    }
    return folder == files->folders[FOLDER_OF_DROP_INS] && (exchanged || string_ends_with(name, ".yaml"));
}

static bool read_events(const struct file_watch *files)
{
    _Alignas(struct inotify_event) char events[8192];
    bool found = false;
    ssize_t size;
    while ((size = read(files->watch.fd, events, sizeof events)) > 0) {
        for (char *at = events; at < events + size;) {
            const struct inotify_event *event = (const struct inotify_event *)(const void *)at;
            bool lost = event->mask & (IN_Q_OVERFLOW | IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF);
            found = found || lost || is_relevant(files, event->wd, event->len > 0 ? event->name : "");
            at += sizeof *event + event->len;
        }
    }
    return found;
}

static void on_event(struct watch *watch, short happened)
{
    struct file_watch *files = watch_owner(watch, struct file_watch, watch);
    if (happened != 0) {
        if (read_events(files)) {
            files->pending = true;
            watch_arm(watch, DEBOUNCE_MS);
        }
        return;
    }
    bool was_there = files->folders[FOLDER_OF_FILE] >= 0;
    watch_folders(files);
    bool is_there = files->folders[FOLDER_OF_FILE] >= 0;
    bool seen = files->pending || (is_there && !was_there);
    files->pending = false;
    watch_arm(watch, is_there ? RESCAN_MS : RETRY_MS);
    if (seen || is_there) {
        files->changed(files->state, seen);
    }
}

struct file_watch *file_watch_open(const char *file, const char *drop_ins, struct poll_thread *poll_thread,
                                   void (*changed)(void *state, bool seen), void *state, struct error *error)
{
    struct file_watch *files = calloc(1, sizeof *files);
    if (!files) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    files->poll_thread = poll_thread;
    files->changed = changed;
    files->state = state;
    files->file = strdup(file);
    files->drop_ins = drop_ins ? strdup(drop_ins) : NULL;
    files->watch = (struct watch){.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), .events = POLLIN, .run = on_event};
    if (!files->file || (drop_ins && !files->drop_ins) || files->watch.fd < 0) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "cannot watch %s: %s", file, strerror(errno));
        file_watch_close(files);
        return NULL;
    }
    watch_folders(files);
    watch_arm(&files->watch, 0);
    poll_thread_add(poll_thread, &files->watch);
    return files;
}

void file_watch_close(struct file_watch *files)
{
    if (files) {
        poll_thread_remove(files->poll_thread, &files->watch);
        descriptor_close(&files->watch.fd);
        free(files->file);
        free(files->drop_ins);
        free(files);
    }
}
