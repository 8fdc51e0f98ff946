/* What was last known of a runtime, kept in a file so that a restart of the gateway loses nothing while that runtime is
   unavailable.

   One file a runtime, FOLDER/NAME.lists, readable by its owner alone. It is written whole and takes the old one's place at once.
   It is good for this boot of the node only.

   A file that lags behind would hide pods. So before a request that makes something goes out, state_file_doubt empties the file;
   it is written again (state_file_write) when the answer is there. Whoever is killed in between leaves an empty file, which says
   that there was something, but not what. last_known_version tells whether there is anything new to write. */
#pragma once

#include "core/store/last_known.h"
#include "core/store/own_file.h"

/* Writes what the store knows. false: the old file, if any, is still there; the error says why. */
bool state_file_write(const struct state_file *file, struct last_known *store, struct error *error);

/* What the file tells, as a store of its own that the caller owns. `limit` is as in last_known_new. NULL: NOT_FOUND when there is
   none; otherwise why it is not believed: FAILED_PRECONDITION for a file of another runtime, version, boot or owner, DATA_LOSS
   for one that is damaged, RESOURCE_EXHAUSTED for one that is too big, UNAVAILABLE when it cannot be read. `now` is the time as
   in last_known.h: nothing can be younger. */
struct last_known *state_file_read(const struct state_file *file, size_t limit, int64_t now, struct error *error);

/* Leaves an empty file, which state_file_read answers with DATA_LOSS. One that is not ours is left alone. */
bool state_file_doubt(const struct state_file *file, struct error *error);

/* Removes it. One that is not ours is left alone. NOT_FOUND when there is none. */
bool state_file_remove(const struct state_file *file, struct error *error);

/* The same without a file, for tests and the fuzzer: the content as malloc'ed bytes that the caller frees (NULL data: out of
   memory), and the store that it describes. `boot` is the id of the node's boot. */
struct bytes state_file_encode(const struct state_file *file, struct bytes boot, struct last_known *store);
struct last_known *state_file_decode(const struct state_file *file, struct bytes boot, struct bytes content, size_t limit,
                                     int64_t now, struct error *error);
