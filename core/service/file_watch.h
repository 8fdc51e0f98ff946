/* Watches the runtime map's file and its drop-ins for changes: written in place, replaced by a rename as editors do, or exchanged
   by a symbolic link as the kubelet does with config maps. */
#pragma once

#include "base/bytes/error.h"
#include "core/loop/poll_thread.h"

struct file_watch;

/* Calls `changed` on the poll thread shortly after the last of several changes, with `seen`. Without, calls it once soon after
   the start, as what was read before may have changed before it was watched, and every minute, because the kernel does not report
   everything (targets of links, mounts): then it may be that nothing has changed. The file and the folder of drop-ins (files in
   .yaml; NULL: none) need not exist; the folder that holds each of them should. */
struct file_watch *file_watch_open(const char *file, const char *drop_ins, struct poll_thread *poll_thread,
                                   void (*changed)(void *state, bool seen), void *state, struct error *error);

/* NULL is allowed. */
void file_watch_close(struct file_watch *files);
