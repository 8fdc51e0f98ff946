/* The engine of hooks: plugins that see and change pods and containers at certain stages of their life. It does not know by which
   protocol they are called (translate/hooks/protocol.h). All of it is on the worker's thread. */
#pragma once

#include "core/hooks/known.h"
#include "core/plugins/after.h"
#include "core/runtimes/generation.h"
#include "core/runtimes/request.h"

enum handover_role {
    HANDOVER_NONE,
    HANDOVER_GIVES, /* another process takes over, or has done so: what this one learns goes there */
    HANDOVER_TAKES, /* this process takes over, or has done so, and the one before it has not ended */
};

/* Memory that two processes have open while one takes over from the other; see handover.h. */
struct handover {
    enum handover_role role;
    int memory;   /* borrowed */
    uint64_t end; /* of what was written or read */
};

struct hooks {
    struct plugin_set plugins;
    struct after_hooks after;
    struct known_list known;
    struct log_limit unknown_logged; /* what plugins must know cannot be found out */
    enum fact_files files;           /* whose those of what is known are */
    struct handover handover;
};

/* Without plugins. The worker must outlive it. `take_over`: another process writes the files of what is known. `idle`: all hooks
   after calls have ended, see core/plugins/after.h. */
void hooks_init(struct hooks *hooks, struct worker *worker, bool take_over, void (*idle)(void *state), void *state);

/* Frees everything; what is known stays in the files. Hooks after calls must have ended. */
void hooks_clear(struct hooks *hooks);

/* Puts these plugins in place of those before. A plugin whose settings are the same keeps its connection and its counters.
   The list stays the caller's; NULL: none. Without a plugin, what is known is forgotten except for changed cgroup parents. */
void hooks_set_plugins(struct hooks *hooks, const struct plugin_list *list);

/* Whether hooks have something to do with a call to that runtime: cheap, except for the first look into the file of what is
 * known.
 */
bool hooks_concern(struct hooks *hooks, const struct request *request, size_t position);

/* A pod or container was removed: the runtime answered OK. The id is the runtime's own. It is forgotten, in the file as well. */
void hooks_removed(struct hooks *hooks, const struct runtime *runtime, enum id_kind kind, struct bytes id);

/* Rewrites the runtime's file if most of it is out of date: for when the caller has its answer. */
void hooks_shorten(struct hooks *hooks, const struct runtime *runtime);

/* A full list of a runtime's pods or containers is about to be asked for, as after each connect: what a file has of the runtime
   is read. And the list has arrived, in the newest dialect of its package. What is not in it is forgotten, unless something was
   made meanwhile. */
void hooks_list_asked(struct hooks *hooks, const struct runtime_map *map, const struct runtime *runtime);
void hooks_listed(struct hooks *hooks, const struct runtime *runtime, enum id_kind kind, struct bytes list);

/* This process writes the files of what is known from now on, also what it learned before. */
void hooks_take_part(struct hooks *hooks, const struct generation *generation);

/* Another process is about to take over, and may read and replace the files at any moment: this one only appends to them. It
   reads those that it has not needed yet, because it cannot do so later. */
void hooks_lend(struct hooks *hooks, const struct generation *generation);

/* The takeover failed: the files are this process's again. */
void hooks_take_back(struct hooks *hooks, const struct generation *generation);

/* The takeover was done: the files are the other process's. */
void hooks_hand_over(struct hooks *hooks);

/* The other process has ended before this one: what this one knows and learns goes to the files. They may be those of another
   process at any moment. */
void hooks_successor_lost(struct hooks *hooks, const struct generation *generation);

/* The other process has taken all that was noted until now. */
void hooks_successor_has_all(struct hooks *hooks);

/* Writes what is in no file until now, before the end of this process; even if another one owns the files, which may be killed
   before it has read what it was given. */
void hooks_save(struct hooks *hooks, const struct generation *generation);

/* The runtime, which that map had, is gone: so is what is known of it, and its file. */
void hooks_forget_runtime(struct hooks *hooks, const struct runtime_map *map, const struct runtime *runtime);

/* Another runtime has its place in the map: what is known of it is not kept, but its file may be the other's. */
void hooks_part_from_runtime(struct hooks *hooks, const struct runtime *runtime);

/* Memory is short: forgets environments. Returns how many bytes that freed. */
size_t hooks_make_room(struct hooks *hooks);
