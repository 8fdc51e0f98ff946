/* A runtime's facts in a file of the state folder, so that a killed process forgets nothing but environments, which are never
   written to a disk.

   One file a runtime, FOLDER/NAME.facts, readable by its owner alone. Each change is appended at once, with one write; the
   file is written anew when most of it is out of date. A record that was cut off by a kill is the last, and is ignored. It is
   good for this boot of the node, this runtime and this endpoint only. */
#pragma once

#include "core/saved/state_file.h"
#include "core/store/fact_store.h"
#include "translate/bytes/error.h"

struct fact_file;

/* Reads what the file holds into the store, which is empty, and opens the file for changes, anew if there was none or it is not
   believed
   (`error` has the reason then, as of state_file_read; it is STATUS_OK otherwise). NULL, with the reason: it cannot be
   written; what was read is in the store all the same. The strings of `place` are copied. */
struct fact_file *fact_file_open(const struct state_file *place, struct fact_store *store, struct error *error);

/* Appends that this pod or container is as the store knows it now; or that it is gone, if the store does not know it. false,
   with the reason, if it could not be written: the file is then removed, because an older one would be wrong, and writing is
   tried again with the next change. */
bool fact_file_note(struct fact_file *file, const struct fact_store *store, enum id_kind kind, struct bytes id,
                    struct error *error);

/* Writes the file anew, after changes that were not noted one by one. */
bool fact_file_write(struct fact_file *file, const struct fact_store *store, struct error *error);

/* Closes it; the file stays. NULL is allowed. */
void fact_file_close(struct fact_file *file);

/* Removes the file of a runtime that is gone, or whose facts are not wanted any more. One that is not ours is left alone. */
bool fact_file_remove(const struct state_file *place, struct error *error);

/* The environments of a store as bytes, and back, for a process that takes over: in memory only. malloc'ed, the caller frees
   them; NULL data: no memory, or none are known. fact_file_take_environments ignores containers that the store does not know, and
   malformed bytes. */
struct bytes fact_file_environments(const struct fact_store *store);
void fact_file_take_environments(struct fact_store *store, struct bytes environments);
