#include "budget.h"

#include "core/knowledge/stale_answer.h"

static bool has_budget(const struct observation *seen)
{
    return seen->request->method->away == AWAY_KNOWN || observation_is_one_of_several(seen);
}

/* To fail a call early helps if other callers can be served meanwhile. An only runtime is treated as it would be without a
   gateway: a kubelet takes each early failure for a failure of the node. */
bool budget_is_waived(const struct observation *seen)
{
    return seen->runtime->alone && !seen->request->several && !stale_answer_could_be_given(seen);
}

bool budget_is_watched(const struct observation *seen)
{
    return has_budget(seen) && budget_is_waived(seen);
}

int64_t budget_of(const struct observation *seen)
{
    return has_budget(seen) && !budget_is_waived(seen) ? seen->request->generation->map->runtimes[seen->position].budget : 0;
}
