/* The abilities of one runtime: which fields of its dialect it accepts but ignores. Known from its name and version and
   translate/runtimes.yaml; what the runtime reports of itself wins. Pure. */
#pragma once

#include "base/bytes/arena.h"
#include "translate/abilities/table.h"

/* Handlers of which reports are kept, and the longest name of one: a DNS label. */
#define ABILITY_HANDLERS_MAX 32
#define ABILITY_HANDLER_SIZE 64

#define ABILITY_NAME_SIZE 128

/* What a runtime ignores. Zero-initialised: nothing. Plain data. */
struct ability_set {
    char name[ABILITY_NAME_SIZE]; /* for texts, printable: "containerd 1.6.20"; "cri-dockerd", whose version is not its own */
    const struct ability_runtime *runtime; /* as which the file knows it; NULL: not at all */
    bool unread;                           /* its version cannot be read: it has the entries of all releases */
    uint64_t entries;                      /* known to be ignored, by its version */
    uint64_t unsure;                       /* of a runtime that the file does not know: all that would weaken confinement */
    uint64_t reported;                     /* of these, what the runtime as a whole reports that it honours */
    /* Of these, what a handler reports. RuntimeClass handlers in the runtime's names, "" is its default. */
    struct {
        char handler[ABILITY_HANDLER_SIZE];
        uint64_t reported;
    } handlers[ABILITY_HANDLERS_MAX];
    size_t handler_count;
    uint64_t reported_by_any; /* of the entries, what at least one handler reports */
};

/* The set of a runtime that answered Version like that and speaks this dialect. For a version without numbers, it is as if all
   that any release ignores were ignored, unless versions of that runtime do not matter. For an unknown name nothing is ignored,
   but much is `unsure`. */
void ability_set_make(struct ability_set *set, const char *name, const char *version, enum dialect dialect);

/* Whether an answer to Status could take something out of the set: one entry names a feature of Status, and the answer has a
   place for it in that dialect. */
bool ability_set_is_reported(const struct ability_set *set, enum dialect dialect);

/* Learns what the runtime reports in its answer to Status, of that dialect, that it honours. A feature of the whole runtime
   (RuntimeFeatures) counts for all requests. A feature of a handler (RuntimeHandlerFeatures) counts for pods of that handler, see
   ability_set_for. That a feature is false, or not there, changes nothing: a runtime that says so refuses by
   itself what it does not honour, and one that does not know the feature cannot report it. Malformed bytes change nothing from
   there on. What was learned from an earlier answer is forgotten. */
void ability_set_learn(struct ability_set *set, enum dialect dialect, struct bytes status);

/* The entries that a request is judged by. `handler`: the one that it names for its pod, in the runtime's name; NULL if its form
   has none, as in all requests but RunPodSandbox. A request without a handler is about a pod that the runtime has taken; a
   feature that any handler reports counts there, because a runtime that reports features knows the field, and refuses by itself
   what the pod's own handler lacks. */
uint64_t ability_set_for(const struct ability_set *set, const struct bytes *handler);
