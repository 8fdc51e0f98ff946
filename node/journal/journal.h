/* What an installation changed on this node, so that it can be undone to the byte, even after a crash at any point: a folder
   (0700) with a journal and, for each file, a copy from before and one from after (0600). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "node/files/planned.h"
#include "node/journal/record.h"

#define INSTALL_FOLDER "/var/lib/crigate/install"

struct journal; /* holds the lock of the folder */

/* Opens the folder and takes its lock; makes it if `make`. Otherwise nothing is written. The journal lives in the arena, which
   must outlive it. NULL with NOT_FOUND: there is no folder; PERMISSION_DENIED: users other than root could replace it;
   FAILED_PRECONDITION: another process holds the lock (which one), the folder is a link, belongs to another user or is open to
   others, or another version of crigate wrote it; DATA_LOSS: a checksum is wrong, and which. */
struct journal *journal_open(bool make, struct arena *arena, struct error *error);

/* The same with another folder, which must outlive the journal. Who may write to the folders above it, or to the files that are
   changed, is not checked. */
struct journal *journal_open_in(const char *folder, bool make, struct arena *arena, struct error *error);

/* Gives the lock back. A folder that was made, or cleared, and holds nothing is removed. NULL is allowed. */
void journal_close(struct journal *journal);

/* INSTALL_NONE for a journal that was just made. */
enum install_phase journal_phase(const struct journal *journal);

/* When this returns, it is on the disk. false: the phase is the old one. */
bool journal_set_phase(struct journal *journal, enum install_phase phase, struct error *error);

/* Reserves room on the disk for what an undo writes at a time, so that one can be done while the disk is full. */
bool journal_reserve(struct journal *journal, size_t size, struct error *error);

/* Gives that room back: an undo begins. */
void journal_release(struct journal *journal);

/* Facts that uninstall needs, as text: "unit_enabled_before", "kubelet_unit", "endpoint", "direct_endpoint", … NULL: not set. */
const char *journal_fact(const struct journal *journal, const char *name);

/* When this returns, it is on the disk. false: the fact is as it was. */
bool journal_set_fact(struct journal *journal, const char *name, const char *value, struct error *error);

/* The files that were changed, in the order in which they were first. Pointers are valid until the next journal_change. */
size_t journal_file_count(const struct journal *journal);
const struct journal_file *journal_file_at(const struct journal *journal, size_t index);

/* Records the change with both texts, synced, then makes it. After a failure the file is as before, or the error says that it is
   not, and journal_undo may put it back later; PERMISSION_DENIED: users other than root could write to it. A file that is changed
   again stays one file of the journal: what it was before the first change, or, if it was changed by others in between, before
   this one. A change that changes nothing is not recorded. */
bool journal_change(struct journal *journal, const struct planned_file *file, struct error *error);

enum journal_undo {
    JOURNAL_UNDONE, /* it is restored; or it was not changed */
    JOURNAL_EDITED, /* it was changed, removed or created since: left alone, print the difference from `after` */
    JOURNAL_FAILED, /* the error says why: the system refused, or there is something else than a file at the path by now */
};

/* Puts one file back with owner, mode, time of the last change and extended attributes. A file that was not there goes, and so do
   the folders that were made for it, as far as they are empty. */
enum journal_undo journal_undo(struct journal *journal, size_t index, struct error *error);

/* Removes the journal and its copies: nothing is left to undo. The lock stays until journal_close. A crash leaves the journal
   with its phase and facts but without files, or none. */
bool journal_clear(struct journal *journal, struct error *error);
