/* Undoes what an installation changed, according to its journal: after an install that failed or was interrupted, and for
   uninstall. Each step can be repeated, so that this can be interrupted as well. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "node/journal/journal.h"

enum undo_outcome {
    UNDO_COMPLETE, /* the node is restored, and the journal is empty */
    UNDO_ALMOST,   /* the same, but a file of crigate's own that was changed since is left as it is; that was printed */
    UNDO_EDITED,   /* a file of the kubelet's was changed since and still names crigate: printed with what to do. crigate keeps
                      serving, and the journal keeps what is left to do */
    UNDO_KUBELET_DOWN, /* the kubelet's files are restored, but it does not become healthy; the same */
    UNDO_FAILED,       /* the reason was printed; the same */
};

struct undo {
    struct journal *journal;
    struct arena *arena;
    bool without_kubelet; /* continues even if the kubelet does not become healthy within 90 s */
};

/* What is done, one after another. */
enum undo_kind {
    UNDO_KUBELET_FILE, /* with its number in the journal */
    UNDO_KUBELET,      /* restarted, if its process began with the files as they were changed, and waited for */
    UNDO_STOP,         /* crigate's units */
    UNDO_BYPASS,       /* the link of `crigate bypass on`, if there is one */
    UNDO_OWN_FILE,     /* with its number: the map, the unit */
    UNDO_RESUME,       /* crigate's units */
    UNDO_CLEAR,        /* the journal */
};

struct undo_action {
    enum undo_kind kind;
    size_t file;
};

/* Files of many installs, each of which may change more, and the rest. */
#define UNDO_MOST_ACTIONS 128

/* Lists the actions for files with these paths, in the order in which they were changed. Returns how many, at most
   UNDO_MOST_ACTIONS; 0: too many files. Pure. */
size_t undo_order(const char *const *paths, size_t count, struct undo_action *actions);

/* Whether the file is crigate's own, not the kubelet's. */
bool undo_is_own(const char *path);

/* Does it, with a line for each action. */
enum undo_outcome undo_all(const struct undo *undo);

/* What is left to do with a journal that cannot be read: printed if the error, of journal_open, says that it is damaged. */
void undo_explain_damage(const struct error *error);
