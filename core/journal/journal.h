/* What an installation changed on this node, so that it can be undone to the byte, also after a crash at any point: a folder
   (0700) with a journal and, for each file, a copy of before and one of after. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/kubelet/plan.h"

#define INSTALL_FOLDER "/var/lib/crigate/install"

enum install_phase {
    INSTALL_NONE,       /* nothing of ours is on the node */
    INSTALL_INSTALLING, /* an install was cut off: it is undone before anything else */
    INSTALL_INSTALLED,
    INSTALL_REMOVING, /* an uninstall was cut off: it is gone on with */
};

/* A file that was changed, or is about to be: a step is written, and synced, before the file is touched. */
struct journal_file {
    const char *path;
    bool existed; /* before */
    bool exists;  /* after */
    struct bytes before;
    struct bytes after;
    struct stat status; /* owner, mode and times before */
    const char *why;
};

struct journal; /* holds the lock of the folder */

/* Opens the folder and takes its lock; makes it if `make`. NULL with NOT_FOUND: there is no folder; FAILED_PRECONDITION: another
   process holds the lock (which one), or the folder belongs to somebody else; DATA_LOSS: a checksum is wrong, and which. */
struct journal *journal_open(bool make, struct arena *arena, struct error *error);
void journal_close(struct journal *journal);

enum install_phase journal_phase(const struct journal *journal);
bool journal_set_phase(struct journal *journal, enum install_phase phase, struct error *error);

/* Facts that uninstall needs, as text: "unit_enabled_before", "kubelet_unit", "endpoint", "direct_endpoint", … NULL: not set. */
const char *journal_fact(const struct journal *journal, const char *name);
bool journal_set_fact(struct journal *journal, const char *name, const char *value, struct error *error);

size_t journal_file_count(const struct journal *journal);
const struct journal_file *journal_file_at(const struct journal *journal, size_t index);

/* Records the change with both texts, synced, then makes it. After a failure the file is as before. */
bool journal_change(struct journal *journal, const struct planned_file *file, struct error *error);

enum journal_undo {
    JOURNAL_UNDONE, /* it is as before; or it was already */
    JOURNAL_EDITED, /* somebody changed it since: left alone, print the difference to `after` */
    JOURNAL_FAILED, /* the error says why */
};

/* Puts one file back with owner, mode, times and extended attributes. */
enum journal_undo journal_undo(struct journal *journal, size_t index, struct error *error);

/* Removes the journal and its copies: nothing is left to undo. The lock stays until journal_close. */
bool journal_clear(struct journal *journal, struct error *error);
