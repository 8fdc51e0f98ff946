/* What the engine knows of the pods and containers of each runtime: in memory (core/store/fact_store.h), and in files of the
   state folder, so that a restart forgets nothing but environments. On the worker's thread. */
#pragma once

#include <sys/queue.h>

#include "base/system/buffer.h"
#include "core/map/map.h"
#include "core/runtimes/runtime.h"
#include "core/store/fact_file.h"
#include "core/store/fact_store.h"
#include "translate/hooks/facts.h"

/* Whose the files of what is known are, while one process takes over from another. */
enum fact_files {
    FILES_OURS,
    FILES_LENT,   /* this process's, and at any moment those of the process that is taking over, which then rewrites them:
                     changes only go behind what is there, and all else waits until the files are this process's own again */
    FILES_OTHERS, /* those of the process before this one, or after it: all waits */
    FILES_LEFT,   /* the process after this one is lost, and another one may start at any moment: changes go behind what is there
                     under the name, or create a file, but replace none */
};

/* Of one runtime. */
struct known {
    LIST_ENTRY(known) link;
    unsigned slot;                /* of the runtime */
    char name[RUNTIME_TEXT_SIZE]; /* the same, for the log */
    struct fact_store *store;
    struct fact_file *file; /* NULL: it cannot be written, or another process writes it */
    enum fact_files files;
    bool unwritten;        /* the file lacks something, or may do so: it was lent, another process's, or could not be written */
    struct buffer pending; /* kinds and ids of what was noted since it was not this process's alone */
    bool missing_logged;   /* that something cannot be found out */
    bool failure_logged;   /* that the file cannot be written */
    bool changed;          /* something was made since a list was asked for */
};

LIST_HEAD(known_list, known);

/* That of a runtime: opened now if it was not, and read from its file. While that is lent or another process's, only memory is
   used, until it is opened once more. NULL: out of memory. */
struct known *known_open(struct known_list *list, const struct runtime_map *map, const struct runtime *runtime,
                         enum fact_files files);

/* Where a runtime's file is. */
struct state_file known_place(const struct runtime_map *map, const struct runtime *runtime);

/* Adds what another process has learned, in place of what is known of the same. An environment is kept if the other process has
   none. What was stopped stays so. */
void known_add(struct known *known, const struct fact_store *from);

/* That of a runtime, or NULL if it was not opened. */
struct known *known_find(const struct known_list *list, const struct runtime *runtime);

/* Stores what is known now, also in the file. What cannot be kept due to a lack of memory is asked for when it is needed. */
void known_pod(struct known *known, struct bytes id, const struct known_pod *pod);
void known_container(struct known *known, struct bytes id, const struct known_container *container);

/* The hook after its stop is about to be called. false: it already was, or it is not known. */
bool known_stop(struct known *known, enum id_kind kind, struct bytes id);

void known_remove(struct known *known, enum id_kind kind, struct bytes id);

/* Keeps the file short, after changes, when nobody waits. */
void known_shorten(struct known *known);

/* Rewrites the file, after changes of the store that were not noted one by one. */
void known_rewrite(struct known *known);

/* Whose the file is from now on. */
void known_set_files(struct known *known, enum fact_files files);

/* Writes what could not be written before, if the file is this process's, or was left to it. */
void known_save(struct known *known);

/* What was noted meanwhile is in the other process's file. */
void known_forget_pending(struct known *known);

/* Closes it; the file stays. */
void known_close(struct known *known);

/* Removes the file of a runtime of that map that is gone. */
void known_remove_file(const struct runtime_map *map, const struct runtime *runtime);
