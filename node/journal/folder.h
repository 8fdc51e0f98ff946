/* The folder of the journal: of this user alone, locked by one process at a time, with files that are whole or not there, even
   after a crash of the node. */
#pragma once

#include <stdbool.h>

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

struct journal_folder {
    int opened; /* -1: not open; holds the lock */
    const char *path;
    bool made; /* by folder_open */
};

/* Opens the folder and takes its lock; makes it, with mode 0700, if `make`. The path is borrowed. false: NOT_FOUND, there is
   none; FAILED_PRECONDITION: another process holds the lock (which one), it is a link, it belongs to another user, or other users
   may read it. */
bool folder_open(struct journal_folder *folder, const char *path, bool make, struct error *error);

/* Removes the folder if it is empty. Call this before folder_close: a process that is waiting for the lock then sees that the
   folder it opened is gone or has been replaced. */
void folder_remove(const struct journal_folder *folder);

/* Gives the lock back. */
void folder_close(struct journal_folder *folder);

/* Reads a file of it into the arena. No data and no error: there is none. */
bool folder_read(const struct journal_folder *folder, const char *name, struct arena *arena, struct bytes *text,
                 struct error *error);

/* Writes a file of it, with mode 0600, in one step: when this returns, it is on the disk. After a failure the old one is there.
 */
bool folder_write(const struct journal_folder *folder, const char *name, struct bytes text, struct error *error);

/* Has a file of it take that much of the disk, until it is removed. */
bool folder_reserve(const struct journal_folder *folder, const char *name, size_t size, struct error *error);

/* Removes a file of it; it is not an error if there is none. Not on the disk before folder_sync. */
bool folder_remove_file(const struct journal_folder *folder, const char *name, struct error *error);

/* Removes all files of it but that one, those of killed processes among them. On the disk when this returns. */
bool folder_remove_others(const struct journal_folder *folder, const char *name, struct error *error);

/* Waits until the names in it are on the disk. */
bool folder_sync(const struct journal_folder *folder, struct error *error);
