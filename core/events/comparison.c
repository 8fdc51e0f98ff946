#include <stdlib.h>

#include "core/events/table.h"

/* The position of a tale among those of its pod. */
static int rank_of(const struct event_tale *tale)
{
    static const int ranks[ID_KIND_COUNT][STAGE_COUNT] = {
        [ID_POD] = {[STAGE_CREATED] = 0, [STAGE_STARTED] = 1, [STAGE_STOPPED] = 6, [STAGE_DELETED] = 7},
        [ID_CONTAINER] = {[STAGE_CREATED] = 2, [STAGE_STARTED] = 3, [STAGE_STOPPED] = 4, [STAGE_DELETED] = 5},
    };
    return ranks[tale->kind][tale->stage];
}

static int compare_tales(const void *a, const void *b)
{
    const struct event_tale *left = a;
    const struct event_tale *right = b;
    int order = bytes_compare(left->pod, right->pod);
    order = order != 0 ? order : rank_of(left) - rank_of(right);
    return order != 0 ? order : bytes_compare(left->id, right->id);
}

static int compare_members(const void *a, const void *b)
{
    const struct event_member *left = a;
    const struct event_member *right = b;
    int order = bytes_compare(left->pod, right->pod);
    return order != 0 ? order : bytes_compare(left->id, right->id);
}

void event_comparison_sort(struct event_comparison *comparison)
{
    if (comparison->tale_count > 0) {
        qsort(comparison->tales, comparison->tale_count, sizeof *comparison->tales, compare_tales);
    }
    if (comparison->member_count > 0) {
        qsort(comparison->members, comparison->member_count, sizeof *comparison->members, compare_members);
    }
}

const struct event_member *event_comparison_members(const struct event_comparison *comparison, struct bytes pod, size_t *count)
{
    size_t low = 0;
    size_t high = comparison->member_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (bytes_compare(comparison->members[middle].pod, pod) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *count = 0;
    while (low + *count < comparison->member_count && bytes_equal(comparison->members[low + *count].pod, pod)) {
        ++*count;
    }
    return *count > 0 ? &comparison->members[low] : NULL;
}
