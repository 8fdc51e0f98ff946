/* Changes options of a service's command line where they are: in an environment file or in the unit. Each change is tried on the
   texts that were read, and is kept only if it results in the wanted command line. Writes nothing. */
#pragma once

#include "node/systemd/unit_command.h"

struct flag_editor {
    const struct systemd_unit *systemd_unit;
    struct unit_command *unit;
    struct arena *arena;
    const char *why[COMMAND_MOST_FILES]; /* for each file that was changed, the changes in words */
    const char *repeated;                /* a variable of a package's unit that a drop-in of our own sets again; NULL without */
    struct error *error;
};

/* Gives the option that counts another value: where it is, or, if that file is not the owner's, by flag_editor_outvote.
   FAILED_PRECONDITION, with file and line, if that cannot be done safely. */
bool flag_editor_set(struct flag_editor *editor, const char *name, const char *value);

/* Makes another option of that name count: one that is later on the command line (flag_editor_add), or the same one from a
   variable that a drop-in of our own sets again. false with the error that was there before, if neither can be done. */
bool flag_editor_outvote(struct flag_editor *editor, const char *name, const char *value);

/* Adds an option, so that it is the one that counts, in the best place that the unit reads: in a variable of an environment file,
   else of an Environment= line. */
bool flag_editor_add(struct flag_editor *editor, const char *name, const char *value);

/* Removes an option wherever it is. */
bool flag_editor_remove(struct flag_editor *editor, const char *name);

/* Whether files there belong to the node's owner, not to a package or to a boot. */
bool path_may_be_edited(const char *path);
