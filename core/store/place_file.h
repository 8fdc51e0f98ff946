/* Where a runtime was, if its endpoint in the map may mean several sockets, and whether it may hold pods: FOLDER/NAME.place. This
   prevents a restart from mistaking one runtime's pods for another's. The file is small, readable by its owner alone, and good
   for this boot of the node only. */
#pragma once

#include "core/store/own_file.h"

/* Writes that it was at file->endpoint: over the file before, if there is no room for another one beside it. false: the file is
   as before, or cannot be read; the error says why. */
bool place_file_write(const struct state_file *file, bool holds, struct error *error);

/* Whether the file is about file->endpoint, and if so, whether pods may be there. false: NOT_FOUND when there is none,
   FAILED_PRECONDITION for one of another endpoint, runtime or boot, DATA_LOSS for one that is damaged, of another version, or no
   file that this process's user alone can have written, UNAVAILABLE. */
bool place_file_read(const struct state_file *file, bool *holds, struct error *error);

/* Removes it. One that is not ours is left alone. NOT_FOUND when there is none. */
bool place_file_remove(const struct state_file *file, struct error *error);
