#include "budget.h"

#include "core/calls/call.h"
#include "core/memory/stale_answer.h"

static bool has_budget(const struct branch *branch)
{
    return branch->call->method->away == AWAY_KNOWN || branch_is_one_of_several(branch);
}

/* A call that fails early helps where others can be served meanwhile. Callers of an only runtime fare best as they would without
   a gateway: a kubelet takes each early failure for the node's. */
bool budget_is_waived(const struct branch *branch)
{
    return branch->runtime->alone && branch->call->route.count == 1 && !recall_could_answer(branch);
}

bool budget_is_watched(const struct branch *branch)
{
    return has_budget(branch) && budget_is_waived(branch);
}

int64_t budget_of(const struct branch *branch)
{
    return has_budget(branch) && !budget_is_waived(branch) ? branch->call->generation->map->runtimes[branch->position].budget : 0;
}
