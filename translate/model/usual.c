#include "translate/model/usual.h"

#include "model/api.pb-c.h"

static const struct usual_setting settings[] = {
    {"memory.swap.max", "0", false},
    /* For every container on nodes with cgroup v2 since 1.28. Without it the kernel kills one process, as it did before. */
    {"memory.oom.group", "1", true},
};

const struct usual_setting *usual_setting_of(struct bytes key, struct bytes value)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (bytes_equal(key, bytes_of_string(settings[i].key)) && bytes_equal(value, bytes_of_string(settings[i].value))) {
            return &settings[i];
        }
    }
    return NULL;
}

bool usual_swap_limit(int64_t swap, int64_t memory)
{
    return swap == 0 || swap == memory;
}

bool usual_user_namespace(int32_t mode)
{
    return mode == MODEL__NAMESPACE_MODE__NODE;
}

bool usual_is_sctp(int32_t protocol)
{
    return protocol == MODEL__PROTOCOL__SCTP;
}

bool usual_sandbox_profile(int32_t type)
{
    return type == MODEL__SECURITY_PROFILE__PROFILE_TYPE__RuntimeDefault ||
           type == MODEL__SECURITY_PROFILE__PROFILE_TYPE__Unconfined;
}
