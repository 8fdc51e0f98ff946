/* Watches a folder for changes of what is in it. The folder may be missing, and may appear, vanish or be replaced, also by a
   mount. */
#pragma once

#include "base/bytes/error.h"
#include "core/loop/poll_thread.h"

struct folder_watch;

/* Calls `changed` on the poll thread: once soon after startup, shortly after each change, and every minute, because the kernel
   does not report everything (targets of links, mounts). Several changes together cause one call. While the folder cannot be
   watched, tries again every two seconds. */
struct folder_watch *folder_watch_open(const char *path, struct poll_thread *poll_thread, void (*changed)(void *state),
                                       void *state, struct error *error);

/* On the poll thread, or while it is not running. NULL is allowed. */
void folder_watch_close(struct folder_watch *folder);

const char *folder_watch_path(const struct folder_watch *folder);
