/* Values that kubelets send to every runtime by default: they request nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/bytes.h"

/* An entry of LinuxContainerResources.unified. */
struct usual_setting {
    const char *key;
    const char *value;
    bool counted; /* its loss does no harm, but is counted */
};

/* The usual entry of that key and value, or NULL. */
const struct usual_setting *usual_setting_of(struct bytes key, struct bytes value);

/* Whether a limit for memory and swap together means no swap, or none at all: it is 0, or the memory limit. */
bool usual_swap_limit(int64_t swap, int64_t memory);

/* Whether the mode of a user namespace means the node's. */
bool usual_user_namespace(int32_t mode);

/* Whether the protocol of a port is SCTP, which came after the others. */
bool usual_is_sctp(int32_t protocol);

/* Whether a profile of a pod's own process is the runtime's default, or none: not one that is installed on the node. */
bool usual_sandbox_profile(int32_t type);
