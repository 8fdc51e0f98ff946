/* Files of deploy/, built into the program. */
#pragma once

#include "translate/bytes/bytes.h"

/* crigate.service */
extern const struct bytes shipped_unit;

/* crigate.yaml, which a package puts to RUNTIME_MAP_DEFAULT_PATH */
extern const struct bytes shipped_map;
