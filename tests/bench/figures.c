#include "tests/bench/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void numbers_add(struct numbers *numbers, double value)
{
    if (numbers->count == numbers->capacity) {
        size_t capacity = numbers->capacity * 2 + 64;
        double *grown = reallocarray(numbers->values, capacity, sizeof *grown);
        if (!grown) {
            fputs("bench: out of memory\n", stderr);
            exit(1);
        }
        numbers->values = grown;
        numbers->capacity = capacity;
    }
    numbers->values[numbers->count++] = value;
}

void numbers_free(struct numbers *numbers)
{
    free(numbers->values);
    *numbers = (struct numbers){0};
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void sort(struct numbers *numbers)
{
    if (numbers->count > 0) {
        qsort(numbers->values, numbers->count, sizeof *numbers->values, compare);
    }
}

/* Of sorted numbers, between neighbours in proportion. */
static double quantile(const struct numbers *sorted, double part)
{
    if (sorted->count == 0) {
        return NAN;
    }
    double place = part * (double)(sorted->count - 1);
    size_t below = (size_t)place;
    size_t above = below + 1 < sorted->count ? below + 1 : below;
    return sorted->values[below] + (place - (double)below) * (sorted->values[above] - sorted->values[below]);
}

static struct spread spread_of(const struct numbers *sorted)
{
    return (struct spread){.median = quantile(sorted, 0.5), .low = quantile(sorted, 0.25), .high = quantile(sorted, 0.75)};
}

struct spread numbers_spread(struct numbers *numbers)
{
    sort(numbers);
    return spread_of(numbers);
}

void measured_add_block(struct measured *measured, const struct block *block)
{
    struct numbers latencies = {0};
    for (size_t i = 0; i < block->latency_count; i++) {
        numbers_add(&latencies, block->latencies[i]);
        numbers_add(&measured->latencies, block->latencies[i]);
    }
    sort(&latencies);
    numbers_add(&measured->block_medians, quantile(&latencies, 0.5));
    numbers_free(&latencies);
    numbers_add(&measured->block_rates, block->calls_per_second);
    measured->cpu_seconds += block->cpu_seconds;
    measured->calls += block->calls;
}

void measured_free(struct measured *measured)
{
    numbers_free(&measured->latencies);
    numbers_free(&measured->block_medians);
    numbers_free(&measured->block_rates);
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

void figures_compute(const struct scenario *scenario, struct measured *measured, struct figures *rows)
{
    const struct measured *direct = find(scenario, measured, "direct");
    const struct measured *passthrough = find(scenario, measured, "passthrough");
    const struct measured *bare = find(scenario, measured, "bare");
    const struct measured *plugin = find(scenario, measured, "plugin");
    for (size_t i = 0; i < scenario->target_count; i++) {
        sort(&measured[i].latencies);
        sort(&measured[i].block_rates);
    }
    for (size_t i = 0; i < scenario->target_count; i++) {
        const struct measured *way = &measured[i];
        struct figures *row = &rows[i];
        *row = (struct figures){
            .median = quantile(&way->latencies, 0.5),
            .p99 = quantile(&way->latencies, 0.99),
            .rate = spread_of(&way->block_rates),
            .added = added_to(direct, way),
            .hook = added_to(without_plugin(scenario, measured, i), way),
            .cpu_thousand_calls = way->cpu_seconds * 1000 / (double)way->calls,
            .calls = way->calls,
            .resident_kib = way->resident_kib,
            .peak_kib = way->peak_kib,
            .failed = way->failed,
        };
        row->added_p99 = direct ? row->p99 - quantile(&direct->latencies, 0.99) : NAN;
        row->to_direct = direct ? row->median / quantile(&direct->latencies, 0.5) : NAN;
        row->hook_to_plugin = plugin ? row->hook.median / quantile(&plugin->latencies, 0.5) : NAN;
        row->hook_to_bare = bare && passthrough ? row->hook.median / added_to(passthrough, bare).median : NAN;
        row->to_passthrough = passthrough && way != direct ? row->added.median / added_to(direct, passthrough).median : NAN;
    }
}

void figures_print(FILE *out, const struct scenario *scenario, const char *rpc, size_t callers, const struct figures *rows)
{
    fprintf(out, "\n%s: %s, %zu caller%s\n", scenario->title, rpc, callers, callers == 1 ? "" : "s");
    fprintf(out, "  %-12s %9s %9s %9s %9s %15s %9s %9s %9s %10s %7s\n", "", "median", "p99", "calls", "added", "(quartiles)",
            "added", "by", "by pass-", "CPU s by", "peak");
    fprintf(out, "  %-12s %9s %9s %9s %9s %15s %9s %9s %9s %10s %7s\n", "", "us", "us", "a second", "us", "us", "p99 us",
            "direct", "through's", "1000 calls", "MiB");
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
        fprintf(out, " %10.3f %7.1f\n", row->cpu_thousand_calls, (double)row->peak_kib / 1024);
        if (!isnan(row->hook_to_plugin)) {
            fprintf(out, "  %-12s %+9.1f us (%.1f..%.1f), %.2f times a call of the plugin, %.2f times the bare one\n",
                    "  its hook:", row->hook.median, row->hook.low, row->hook.high, row->hook_to_plugin, row->hook_to_bare);
        }
    }
    fflush(out);
}

/* JSON knows no NaN: null then. */
static void add_number(json_object *object, const char *key, double value)
{
    json_object_object_add(object, key, isfinite(value) ? json_object_new_double(value) : NULL);
}

static void add_spread(json_object *object, const char *key, struct spread spread)
{
    json_object *value = json_object_new_object();
    add_number(value, "median", spread.median);
    add_number(value, "low_quartile", spread.low);
    add_number(value, "high_quartile", spread.high);
    json_object_object_add(object, key, value);
}

static json_object *row_json(const struct target *target, const struct figures *row)
{
    json_object *object = json_object_new_object();
    json_object_object_add(object, "name", json_object_new_string(target->name));
    json_object_object_add(object, "package", json_object_new_string(target->package));
    json_object_object_add(object, "failed", json_object_new_boolean(row->failed));
    json_object_object_add(object, "calls", json_object_new_uint64(row->calls));
    add_number(object, "median_us", row->median);
    add_number(object, "p99_us", row->p99);
    add_spread(object, "calls_per_second", row->rate);
    add_spread(object, "added_us", row->added);
    add_number(object, "added_p99_us", row->added_p99);
    add_number(object, "ratio_to_direct", row->to_direct);
    add_number(object, "added_ratio_to_passthrough", row->to_passthrough);
    add_spread(object, "hook_added_us", row->hook);
    add_number(object, "hook_ratio_to_plugin_call", row->hook_to_plugin);
    add_number(object, "hook_ratio_to_bare", row->hook_to_bare);
    add_number(object, "cpu_seconds_per_1000_calls", row->cpu_thousand_calls);
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
