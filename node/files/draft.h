/* A file that is written beside another and takes its place in one step. Its name begins with a dot and ends in ".crigate", so
   that no program that reads all files of a folder takes it for one of its own. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

struct file_draft {
    int file;           /* -1: not open */
    const char *target; /* borrowed: the path that it is for */
    char path[PATH_MAX];
};

#define FILE_DRAFT_NONE                                                                                                          \
    {                                                                                                                            \
        .file = -1                                                                                                               \
    }

/* Makes the draft for a path, with mode 0600; one that a killed process left is removed first. */
bool file_draft_open(struct file_draft *draft, const char *target, struct error *error);

/* Appends to it. */
bool file_draft_write(const struct file_draft *draft, struct bytes text, struct error *error);

/* Waits until its content and attributes are on the disk. */
bool file_draft_sync(const struct file_draft *draft, struct error *error);

/* Gives it the path that it is for, and syncs the folder. With `new`, FAILED_PRECONDITION if there is a file already. */
bool file_draft_place(struct file_draft *draft, bool new, struct error *error);

/* Closes it, and removes it unless it was placed. */
void file_draft_close(struct file_draft *draft);

/* Closes a local variable's draft at the end of its scope. */
#define FILE_DRAFT_CLEANUP __attribute__((cleanup(file_draft_close)))

/* Removes the draft for a path that a killed process left. It is not an error if there is none. */
bool file_draft_remove(const char *target, struct error *error);
