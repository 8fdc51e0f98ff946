/* Releases of kubelets and of runtimes, and the dialect that each speaks. Where two dialects share a package, crigate recognises
   runtimes by them (release_dialect_of). Pure. */
#pragma once

#include <stddef.h>

#include "generated/dialects.h"
#include "translate/abilities/version.h"

enum release_side {
    RELEASE_CALLER,
    RELEASE_RUNTIME,
};

/* The releases of a program from `first` on, up to the next row of the same program. */
struct release {
    const char *program; /* "kubelet"; a runtime by its name in translate/runtimes.yaml */
    enum release_side side;
    struct version first;
    enum dialect dialect;  /* that it speaks; a kubelet's is that which it tries first */
    enum dialect fallback; /* that a kubelet tries if the runtime lacks the package of the first; else equal to it */
};

/* Sorted by program, then by version. */
extern const struct release releases[];
extern const size_t release_count;

/* The row for that version of the program; NULL if there is no such program, or the version is older than its first row. A
   version that is newer than all known ones is in the program's last row. */
const struct release *release_of(const char *program, const struct version *version);

/* The first row of the program; NULL if there is no such program. */
const struct release *release_first(const char *program);

/* The dialect of a runtime that answered in a package's newest dialect: an older one of the same package when its name and
   version are known to be of that time. */
enum dialect release_dialect_of(enum dialect answered, const char *name, const char *version);
