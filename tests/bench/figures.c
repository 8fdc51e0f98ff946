#include "tests/bench/figures.h"

#include <math.h>
#include <string.h>

void measured_add_block(struct measured *measured, const struct block *block)
{
    struct numbers latencies = {0};
    for (size_t i = 0; i < block->latency_count; i++) {
        numbers_add(&latencies, block->latencies[i]);
        numbers_add(&measured->latencies, block->latencies[i]);
    }
    numbers_sort(&latencies);
    double median = numbers_quantile(&latencies, 0.5);
    numbers_free(&latencies);
    numbers_add(&measured->block_medians, median);
    numbers_add(&measured->block_rates, block->calls_per_second);
    stretches_add(&measured->stretches, block, median);
    process_usage_add(&measured->used, (struct process_usage){0}, block->used);
    measured->calls += block->calls;
}

void measured_free(struct measured *measured)
{
    numbers_free(&measured->latencies);
    numbers_free(&measured->block_medians);
    numbers_free(&measured->block_rates);
    stretches_free(&measured->stretches);
    *measured = (struct measured){0};
}

static const struct measured *find(const struct scenario *scenario, const struct measured *measured, const char *name)
{
    for (size_t i = 0; i < scenario->target_count; i++) {
        if (strcmp(scenario->targets[i].name, name) == 0) {
            return &measured[i];
        }
    }
    return NULL;
}

/* How much longer one way's blocks took than another's, at the blocks' medians. NaN without the other. */
static struct spread added_to(const struct measured *other, const struct measured *way)
{
    struct numbers differences = {0};
    for (size_t i = 0; other && i < way->block_medians.count; i++) {
        numbers_add(&differences, way->block_medians.values[i] - other->block_medians.values[i]);
    }
    struct spread spread = numbers_spread(&differences);
    numbers_free(&differences);
    return spread;
}

/* The same way without a plugin, for one with a plugin. */
static const struct measured *without_plugin(const struct scenario *scenario, const struct measured *measured, size_t way)
{
    const char *name = scenario->targets[way].name;
    if (strncmp(name, "echo", strlen("echo")) == 0) {
        return find(scenario, measured, "on");
    }
    return strcmp(name, "bare") == 0 ? find(scenario, measured, "passthrough") : NULL;
}

/* Which way each differs from in one thing only: metrics are on, and scraped; another build of the program. */
static const struct {
    const char *name, *twin;
} twins[] = {{"metrics", "crigate"}, {"scraped", "crigate"}, {"crigate", "before"}};

static const char *twin_of(const char *name)
{
    for (size_t i = 0; i < sizeof twins / sizeof twins[0]; i++) {
        if (strcmp(twins[i].name, name) == 0) {
            return twins[i].twin;
        }
    }
    return NULL;
}

static void compare_with_twin(const struct scenario *scenario, const struct measured *measured, size_t way, struct figures *row)
{
    const char *name = twin_of(scenario->targets[way].name);
    const struct measured *twin = name ? find(scenario, measured, name) : NULL;
    row->twin = twin ? name : NULL;
    row->to_twin = added_to(twin, &measured[way]);
    row->to_twin_part = twin ? row->to_twin.median / numbers_quantile(&twin->latencies, 0.5) : NAN;
}

void figures_compute(const struct scenario *scenario, struct measured *measured, struct figures *rows)
{
    const struct measured *direct = find(scenario, measured, "direct");
    const struct measured *passthrough = find(scenario, measured, "passthrough");
    const struct measured *bare = find(scenario, measured, "bare");
    const struct measured *plugin = find(scenario, measured, "plugin");
    const struct measured *by_hand = find(scenario, measured, "by_hand");
    for (size_t i = 0; i < scenario->target_count; i++) {
        numbers_sort(&measured[i].latencies);
        numbers_sort(&measured[i].block_rates);
    }
    for (size_t i = 0; i < scenario->target_count; i++) {
        const struct measured *way = &measured[i];
        struct figures *row = &rows[i];
        double user = process_user_time(&way->used);
        *row = (struct figures){
            .median = numbers_quantile(&way->latencies, 0.5),
            .p99 = numbers_quantile(&way->latencies, 0.99),
            .rate = numbers_spread_sorted(&way->block_rates),
            .added = added_to(direct, way),
            .hook = added_to(without_plugin(scenario, measured, i), way),
            .cpu_thousand_calls = (double)way->used.total / 1e6 / (double)way->calls,
            .user = user / 1e3 / (double)way->calls,
            .system = ((double)way->used.total - user) / 1e3 / (double)way->calls,
            .calls = way->calls,
            .resident_kib = way->resident_kib,
            .peak_kib = way->peak_kib,
            .failed = way->failed,
        };
        compare_with_twin(scenario, measured, i, row);
        row->added_p99 = direct ? row->p99 - numbers_quantile(&direct->latencies, 0.99) : NAN;
        row->to_direct = direct ? row->median / numbers_quantile(&direct->latencies, 0.5) : NAN;
        row->hook_to_plugin = plugin ? row->hook.median / numbers_quantile(&plugin->latencies, 0.5) : NAN;
        row->hook_to_by_hand = by_hand ? row->hook.median / added_to(direct, by_hand).median : NAN;
        row->hook_to_bare = bare && passthrough ? row->hook.median / added_to(passthrough, bare).median : NAN;
        row->to_passthrough = passthrough && way != direct ? row->added.median / added_to(direct, passthrough).median : NAN;
    }
}

void figures_print(FILE *out, const struct scenario *scenario, const char *rpc, size_t callers, const struct figures *rows)
{
    fprintf(out, "\n%s: %s, %zu caller%s\n", scenario->title, rpc, callers, callers == 1 ? "" : "s");
    fprintf(out, "  %-12s %9s %9s %9s %9s %15s %9s %9s %9s %10s %8s %8s %7s\n", "", "median", "p99", "calls", "added",
            "(quartiles)", "added", "by", "by pass-", "CPU s by", "user us", "system", "peak");
    fprintf(out, "  %-12s %9s %9s %9s %9s %15s %9s %9s %9s %10s %8s %8s %7s\n", "", "us", "us", "a second", "us", "us", "p99 us",
            "direct", "through's", "1000 calls", "a call", "us", "MiB");
    for (size_t i = 0; i < scenario->target_count; i++) {
        const struct figures *row = &rows[i];
        if (row->failed) {
            fprintf(out, "  %-12s calls failed\n", scenario->targets[i].name);
            continue;
        }
        fprintf(out, "  %-12s %9.1f %9.1f %9.0f", scenario->targets[i].name, row->median, row->p99, row->rate.median);
        if (isnan(row->to_passthrough)) {
            fprintf(out, " %9s %15s %9s %9s %9s", "", "", "", "", "");
        } else {
            char quartiles[40];
            snprintf(quartiles, sizeof quartiles, "(%.1f..%.1f)", row->added.low, row->added.high);
            fprintf(out, " %+9.1f %15s %+9.1f %9.2f %9.2f", row->added.median, quartiles, row->added_p99, row->to_direct,
                    row->to_passthrough);
        }
        fprintf(out, " %10.3f %8.1f %8.1f %7.1f\n", row->cpu_thousand_calls, row->user, row->system,
                (double)row->peak_kib / 1024);
        if (row->twin) {
            fprintf(out, "  %-12s %+9.1f us (%.1f..%.1f) to %s, %+.1f %%\n", "", row->to_twin.median, row->to_twin.low,
                    row->to_twin.high, row->twin, row->to_twin_part * 100);
        }
        if (!isnan(row->hook_to_plugin)) {
            fprintf(out, "  %-12s %+9.1f us (%.1f..%.1f), %.2f times the plugin alone, %.2f by hand, %.2f the bare one\n",
                    "  its hook:", row->hook.median, row->hook.low, row->hook.high, row->hook_to_plugin, row->hook_to_by_hand,
                    row->hook_to_bare);
        }
    }
    fflush(out);
}

static json_object *row_json(const struct target *target, const struct figures *row)
{
    json_object *object = json_object_new_object();
    json_object_object_add(object, "name", json_object_new_string(target->name));
    json_object_object_add(object, "package", json_object_new_string(target->package));
    json_object_object_add(object, "failed", json_object_new_boolean(row->failed));
    json_object_object_add(object, "calls", json_object_new_uint64(row->calls));
    numbers_add_member(object, "median_us", row->median);
    numbers_add_member(object, "p99_us", row->p99);
    numbers_add_spread(object, "calls_per_second", row->rate);
    numbers_add_spread(object, "added_us", row->added);
    numbers_add_member(object, "added_p99_us", row->added_p99);
    numbers_add_member(object, "ratio_to_direct", row->to_direct);
    numbers_add_member(object, "added_ratio_to_passthrough", row->to_passthrough);
    json_object_object_add(object, "twin", row->twin ? json_object_new_string(row->twin) : NULL);
    numbers_add_spread(object, "added_to_twin_us", row->to_twin);
    numbers_add_member(object, "added_by_median_of_twin", row->to_twin_part);
    numbers_add_spread(object, "hook_added_us", row->hook);
    numbers_add_member(object, "hook_ratio_to_plugin_call", row->hook_to_plugin);
    numbers_add_member(object, "hook_ratio_to_call_by_hand", row->hook_to_by_hand);
    numbers_add_member(object, "hook_ratio_to_bare", row->hook_to_bare);
    numbers_add_member(object, "cpu_seconds_per_1000_calls", row->cpu_thousand_calls);
    numbers_add_member(object, "user_us", row->user);
    numbers_add_member(object, "system_us", row->system);
    json_object_object_add(object, "resident_kib", json_object_new_uint64(row->resident_kib));
    json_object_object_add(object, "peak_kib", json_object_new_uint64(row->peak_kib));
    return object;
}

json_object *figures_json(const struct scenario *scenario, const char *rpc, size_t callers, const struct figures *rows)
{
    json_object *object = json_object_new_object(), *targets = json_object_new_array();
    json_object_object_add(object, "scenario", json_object_new_string(scenario->name));
    json_object_object_add(object, "title", json_object_new_string(scenario->title));
    json_object_object_add(object, "containers", json_object_new_uint64(scenario->containers));
    json_object_object_add(object, "rpc", json_object_new_string(rpc));
    json_object_object_add(object, "callers", json_object_new_uint64(callers));
    for (size_t i = 0; i < scenario->target_count; i++) {
        json_object_array_add(targets, row_json(&scenario->targets[i], &rows[i]));
    }
    json_object_object_add(object, "targets", targets);
    return object;
}
