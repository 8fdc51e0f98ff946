/* A runtime's facts in a file of the state folder, so that a killed process forgets nothing but environments, which are never
   written to a file.

   One file a runtime, FOLDER/NAME.facts, readable by its owner alone. Each change is appended at once, with one write, because a
   caller waits for it; when most of the file is out of date, it is rewritten after that. A record that was cut off by a kill
   is the last, and is ignored. If anything else does not fit, nothing is believed: a record that cannot be read may have replaced
   one that can. The file is good for this boot of the node, this runtime and this endpoint only, and is not meant to survive a
   crash of the node, so nothing is synchronised to a disk. One process at a time may replace it; while one takes over from
   another, the other may still append, to what may have been replaced. The facts in it are not looked at. */
#pragma once

#include "core/store/fact_store.h"
#include "core/store/own_file.h"

struct fact_file;

/* Reads what the file holds into the store, which is empty. If it is not believed, `error` has the reason (as for
   state_file_read; NOT_FOUND if there is none), the store stays empty, and the next change rewrites the file. Otherwise
   `error` is as it was. The strings of `place` are copied. NULL: RESOURCE_EXHAUSTED, out of memory. */
struct fact_file *fact_file_open(const struct state_file *place, struct fact_store *store, struct error *error);

/* Appends that this pod or container is as the store knows it now; or that it is gone, a pod with its containers, if the store
   does not know it. false, with the reason, if it could not be written: the file is then removed, because an older one would be
   wrong, and the next change rewrites all of it. */
bool fact_file_note(struct fact_file *file, const struct fact_store *store, enum id_kind kind, struct bytes id,
                    struct error *error);

/* Whether there is a file that the next change is appended to. */
bool fact_file_is_open(const struct fact_file *file);

/* Opens what is there now under its name, which another process may have put there, instead of what it had open. As
   fact_file_open. */
void fact_file_reopen(struct fact_file *file, struct fact_store *store, struct error *error);

/* Rewrites the file if most of it is out of date; to be called now and then, after notes. If it cannot be written, it stays as
   it is, and is right. */
void fact_file_shorten(struct fact_file *file, const struct fact_store *store);

/* Rewrites the file, after changes that were not noted one by one. false as for fact_file_note. */
bool fact_file_write(struct fact_file *file, const struct fact_store *store, struct error *error);

/* Closes it; the file stays. NULL is allowed. */
void fact_file_close(struct fact_file *file);

/* Removes the file of a runtime that is gone, or whose facts are not wanted any more; it must not be open. One that is not ours
   is left alone. NOT_FOUND if there is none. */
bool fact_file_remove(const struct state_file *place, struct error *error);

/* The same without a file, for tests and the fuzzer: the content as malloc'ed bytes that the caller frees (NULL data: out of
   memory); and back, into an empty store. `whole` is the length of the content without a record that is cut off. false: it is not
   believed, and the store is empty. */
struct bytes fact_file_encode(const struct state_file *place, struct bytes boot, const struct fact_store *store);
bool fact_file_decode(const struct state_file *place, struct bytes boot, struct bytes content, struct fact_store *store,
                      size_t *whole, struct error *error);

/* The environments of a store as bytes, and back, for a process that takes over: in memory only. malloc'ed, the caller frees
   them; NULL data: out of memory, or none are known. fact_file_take_environments ignores containers that the store does not know,
   and what follows malformed bytes. */
struct bytes fact_file_environments(const struct fact_store *store);
void fact_file_take_environments(struct fact_store *store, struct bytes environments);
