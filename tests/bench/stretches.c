#include "tests/bench/stretches.h"

#include <math.h>
#include <string.h>

#include "tests/bench/figures.h"

void stretches_add(struct stretches *stretches, const struct block *block, double median)
{
    process_usage_add(&stretches->used, (struct process_usage){0}, block->used);
    stretches->calls += block->calls;
    stretches->rate_sum += block->calls_per_second;
    stretches->median_sum += median;
    if (++stretches->blocks < STRETCH_BLOCKS) {
        return;
    }
    numbers_add(&stretches->users, process_user_time(&stretches->used) / 1e3 / (double)stretches->calls);
    numbers_add(&stretches->rates, stretches->rate_sum / STRETCH_BLOCKS);
    numbers_add(&stretches->medians, stretches->median_sum / STRETCH_BLOCKS);
    stretches->used = (struct process_usage){0};
    stretches->calls = stretches->blocks = 0;
    stretches->rate_sum = stretches->median_sum = 0;
}

void stretches_free(struct stretches *stretches)
{
    numbers_free(&stretches->users);
    numbers_free(&stretches->rates);
    numbers_free(&stretches->medians);
}

/* Of one stretch of each; `less`, if there is one, is taken from both before. */
static struct spread ratio(const struct numbers *way, const struct numbers *other, const struct numbers *less)
{
    struct numbers ratios = {0};
    for (size_t i = 0; i < way->count && i < other->count; i++) {
        double from = less ? less->values[i] : 0;
        numbers_add(&ratios, (way->values[i] - from) / (other->values[i] - from));
    }
    struct spread spread = numbers_spread(&ratios);
    numbers_free(&ratios);
    return spread;
}

static const struct stretches *direct_stretches(const struct scenario *scenario, const struct measured *measured)
{
    for (size_t i = 0; i < scenario->target_count; i++) {
        if (strcmp(scenario->targets[i].name, "direct") == 0) {
            return &measured[i].stretches;
        }
    }
    return NULL;
}

json_object *stretches_ratios(const struct scenario *scenario, const struct measured *measured, size_t way)
{
    json_object *ratios = json_object_new_object();
    const struct stretches *mine = &measured[way].stretches, *direct = direct_stretches(scenario, measured);
    struct spread unknown = {NAN, NAN, NAN};
    for (size_t i = 0; i < scenario->target_count; i++) {
        const struct stretches *other = &measured[i].stretches;
        if (i == way || other == direct || measured[i].failed) {
            continue;
        }
        json_object *to = json_object_new_object();
        numbers_add_spread(to, "user", ratio(&mine->users, &other->users, NULL));
        numbers_add_spread(to, "calls_per_second", ratio(&mine->rates, &other->rates, NULL));
        numbers_add_spread(to, "added", direct ? ratio(&mine->medians, &other->medians, &direct->medians) : unknown);
        json_object_object_add(ratios, scenario->targets[i].name, to);
    }
    return ratios;
}
