/* Stages: where hooks are called in the life of pods and containers. Which RPC has them is said in methods.yaml (column `hook`).
 */
#pragma once

#include <stdint.h>

/* A call that has hooks. */
enum hook_point {
    HOOK_NONE,
    HOOK_RUN_POD,
    HOOK_STOP_POD,
    HOOK_CREATE_CONTAINER,
    HOOK_START_CONTAINER,
    HOOK_UPDATE_CONTAINER,
    HOOK_STOP_CONTAINER,
    HOOK_POINT_COUNT,
};

/* Before the call goes to the runtime, or after the caller has its answer. */
enum hook_time {
    HOOK_BEFORE,
    HOOK_AFTER,
};

/* A stage: a point and a time. */
struct hook_stage {
    enum hook_point point;
    enum hook_time time;
};

/* The stage as one bit of a set of stages; the macro is a constant expression. */
#define HOOK_STAGE_BIT(point, time) (UINT32_C(1) << (2 * (unsigned)(point) + (unsigned)(time)))

static inline uint32_t hook_stage_bit(struct hook_stage stage)
{
    return HOOK_STAGE_BIT(stage.point, stage.time);
}
