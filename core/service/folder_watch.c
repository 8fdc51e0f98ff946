#include "core/service/folder_watch.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/system/descriptor.h"

/* How long after the first change it is reported: a file is created before it is written. */
#define DEBOUNCE_MS 80
/* How long until a folder that is not there is looked for again. */
#define RETRY_MS 2000
#define RESCAN_MS 60000

/* IN_ATTRIB: owners and modes count, too. */
#define CHANGES                                                                                                                  \
    (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |          \
     IN_ONLYDIR)

struct folder_watch {
    struct watch watch;
    struct poll_thread *poll_thread;
    void (*changed)(void *state);
    void *state;
    char *path;
    int number;   /* inotify's; -1: the folder is not watched */
    bool pending; /* a change is not reported yet */
};

/* Watches what is at the path now. Returns whether that is a different folder than before, or none any more. */
static bool look(struct folder_watch *folder)
{
    int before = folder->number;
    folder->number = inotify_add_watch(folder->watch.fd, folder->path, CHANGES);
    bool missing = folder->number < 0 && (errno == ENOENT || errno == ENOTDIR);
    if (before >= 0 && before != folder->number) {
        inotify_rm_watch(folder->watch.fd, before);
    }
    /* What is there and cannot be watched may have changed each time. */
    return before != folder->number || (folder->number < 0 && !missing);
}

static void drop_events(const struct folder_watch *folder)
{
    char events[4096];
    while (read(folder->watch.fd, events, sizeof events) > 0) {
    }
}

static void on_event(struct watch *watch, short happened)
{
    struct folder_watch *folder = watch_owner(watch, struct folder_watch, watch);
    if (happened != 0) {
        drop_events(folder);
        if (!folder->pending) {
            folder->pending = true;
            watch_arm(watch, DEBOUNCE_MS);
        }
        return;
    }
    bool other = look(folder);
    bool watched = folder->number >= 0;
    bool report = folder->pending || other || watched; /* without a change, it is the rescan */
    folder->pending = false;
    watch_arm(watch, watched ? RESCAN_MS : RETRY_MS);
    if (report) {
        folder->changed(folder->state);
    }
}

struct folder_watch *folder_watch_open(const char *path, struct poll_thread *poll_thread, void (*changed)(void *state),
                                       void *state, struct error *error)
{
    struct folder_watch *folder = calloc(1, sizeof *folder);
    if (!folder) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    *folder = (struct folder_watch){
        .poll_thread = poll_thread, .changed = changed, .state = state, .path = strdup(path), .number = -1, .pending = true};
    folder->watch = (struct watch){.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), .events = POLLIN, .run = on_event};
    if (!folder->path || folder->watch.fd < 0) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "cannot watch %s: %s", path, strerror(errno));
        folder_watch_close(folder);
        return NULL;
    }
    look(folder);
    watch_arm(&folder->watch, DEBOUNCE_MS);
    poll_thread_add(poll_thread, &folder->watch);
    return folder;
}

void folder_watch_close(struct folder_watch *folder)
{
    if (folder) {
        poll_thread_remove(folder->poll_thread, &folder->watch);
        descriptor_close(&folder->watch.fd);
        free(folder->path);
        free(folder);
    }
}

const char *folder_watch_path(const struct folder_watch *folder)
{
    return folder->path;
}
