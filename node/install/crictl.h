/* crictl's configuration file, which names the runtime's socket on many nodes. */
#pragma once

#include "node/files/planned.h"

#define CRICTL_FILE "/etc/crictl.yaml"

struct crictl_plan {
    bool writes; /* the file, as planned */
    struct planned_file file;
    const char *warning; /* why the file is left as it is though it may name the runtime; NULL: no reason */
};

/* Plans to lead crictl to `endpoint`: where the file names `direct` or `images` (may be NULL), and with `creates`, where there is
   no file, or none that names a runtime. A file that is not crictl's own text is left alone, with a warning. In the arena. false:
   out of memory. */
bool crictl_plan(struct crictl_plan *plan, const char *endpoint, const char *direct, const char *images, bool creates,
                 struct arena *arena, struct error *error);
