/* Specifiers in files of units: "%n" and the like (systemd.unit(5), "Specifiers"). */
#pragma once

#include "base/bytes/arena.h"

/* The meaning of the letter after "%" in a service of the system's manager. `unit` is the service's full name, `fragment` the
   path of its file. Lives in the arena. NULL: it is not replaced here (machine and boot ids, credentials, the system's release),
   or memory is short. */
const char *specifier_value(char letter, const char *unit, const char *fragment, struct arena *arena);
