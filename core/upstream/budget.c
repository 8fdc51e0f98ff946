#include "budget.h"

#include "core/calls/call.h"
#include "core/memory/stale_answer.h"

static bool has_budget(const struct upstream_call *upstream)
{
    return upstream->call->request.method->away == AWAY_KNOWN || observation_is_one_of_several(&upstream->seen);
}

/* A call that fails early helps where others can be served meanwhile. Callers of an only runtime fare best as they would without
   a gateway: a kubelet takes each early failure for the node's. */
bool budget_is_waived(const struct upstream_call *upstream)
{
    return upstream->seen.runtime->alone && !upstream->call->request.several && !stale_answer_could_be_given(&upstream->seen);
}

bool budget_is_watched(const struct upstream_call *upstream)
{
    return has_budget(upstream) && budget_is_waived(upstream);
}

int64_t budget_of(const struct upstream_call *upstream)
{
    return has_budget(upstream) && !budget_is_waived(upstream)
               ? upstream->call->request.generation->map->runtimes[upstream->seen.position].budget
               : 0;
}
