/* Files of deploy/ and packaging/, built into the program. */
#pragma once

#include "base/bytes/bytes.h"

/* crigate.service */
extern const struct bytes shipped_unit;

/* crigate-docker.service */
extern const struct bytes shipped_docker_unit;

/* crigate.yaml, which a package puts to RUNTIME_MAP_DEFAULT_PATH */
extern const struct bytes shipped_map;

/* packaging/replace-running and packaging/take-over, which belong beside each other into PREFIX/libexec/crigate */
extern const struct bytes shipped_replace_running;
extern const struct bytes shipped_take_over;
