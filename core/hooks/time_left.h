/* How much of a caller's time a plugin or a question may use. */
#pragma once

#include <grpc/support/time.h>

#include "core/runtimes/request.h"

/* Half of what is left until the caller's deadline, in milliseconds: at least 1. The other half is the runtime's. */
static inline int64_t time_left_half(const struct request *request)
{
    if (gpr_time_cmp(request->deadline, gpr_inf_future(request->deadline.clock_type)) == 0) {
        return INT32_MAX;
    }
    gpr_timespec left = gpr_time_sub(request->deadline, gpr_now(request->deadline.clock_type));
    int64_t milliseconds = gpr_time_to_millis(left);
    return milliseconds > 2 ? milliseconds / 2 : 1;
}
