/* Where a runtime was, if its endpoint in the map may mean several sockets, and whether it may hold pods: FOLDER/NAME.place. So a
   restart does not take one runtime's pods for another's. The file is small, readable by its owner alone, and good for this boot
   of the node only. */
#pragma once

#include "core/saved/own_file.h"

/* Writes that it was at file->endpoint. false: the file before, if any, is still there; the error says why. */
bool place_file_write(const struct state_file *file, bool holds, struct error *error);

/* Whether the file is about file->endpoint, and if so, whether pods may be there. false: NOT_FOUND when there is none,
   FAILED_PRECONDITION for one of another endpoint, runtime, version, boot or owner, DATA_LOSS for one that is damaged. */
bool place_file_read(const struct state_file *file, bool *holds, struct error *error);

/* Removes it. One that is not ours is left alone. NOT_FOUND when there is none. */
bool place_file_remove(const struct state_file *file, struct error *error);
