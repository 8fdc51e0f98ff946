#include "translate/rebuild/resources.h"

#include "translate/bytes/packing.h"
#include "translate/json/scan.h"

static void overlay_number(int64_t *number, int64_t newer)
{
    *number = newer != 0 ? newer : *number;
}

static void overlay_text(char **text, char *newer)
{
    *text = newer && *newer ? newer : *text;
}

static void overlay(Model__LinuxContainerResources *resources, const Model__LinuxContainerResources *newer)
{
    overlay_number(&resources->cpu_period, newer->cpu_period);
    overlay_number(&resources->cpu_quota, newer->cpu_quota);
    overlay_number(&resources->cpu_shares, newer->cpu_shares);
    overlay_number(&resources->memory_limit_in_bytes, newer->memory_limit_in_bytes);
    overlay_number(&resources->oom_score_adj, newer->oom_score_adj);
    overlay_text(&resources->cpuset_cpus, newer->cpuset_cpus);
    overlay_text(&resources->cpuset_mems, newer->cpuset_mems);
    overlay_number(&resources->memory_swap_limit_in_bytes, newer->memory_swap_limit_in_bytes);
    if (newer->n_hugepage_limits > 0) {
        resources->n_hugepage_limits = newer->n_hugepage_limits;
        resources->hugepage_limits = newer->hugepage_limits;
    }
    if (newer->n_unified > 0) {
        resources->n_unified = newer->n_unified;
        resources->unified = newer->unified;
    }
}

/* ---- JSON ---- */

static void read_number(struct bytes json, int64_t *number)
{
    int64_t read;
    if (json_scan_int64(json, &read)) {
        *number = read;
    }
}

static bool read_text(struct bytes json, struct arena *arena, char **text)
{
    struct bytes decoded;
    char *copy = json_scan_string(json, arena, &decoded) ? arena_string(arena, decoded) : NULL;
    *text = copy ? copy : *text;
    return copy != NULL;
}

/* The number of items, or 0 if they cannot all be read. */
static size_t count_items(struct bytes json, bool object)
{
    struct json_scan scan;
    struct bytes key, value;
    size_t count = 0;
    if (!json_scan_open(json, object, &scan)) {
        return 0;
    }
    while (json_scan_next(&scan, &key, &value)) {
        count++;
    }
    return scan.malformed ? 0 : count;
}

static void read_hugepages(struct bytes json, const char *size_key, struct arena *arena,
                           Model__LinuxContainerResources *resources)
{
    size_t count = count_items(json, false);
    Model__HugepageLimit **limits = count > 0 ? arena_alloc(arena, count * sizeof(Model__HugepageLimit *)) : NULL;
    struct json_scan scan;
    struct bytes key, item;
    if (!limits || !json_scan_open(json, false, &scan)) {
        return;
    }
    while (json_scan_next(&scan, &key, &item)) {
        struct bytes values[2];
        Model__HugepageLimit *limit = arena_alloc(arena, sizeof *limit);
        if (!limit) {
            return;
        }
        model__hugepage_limit__init(limit);
        if (json_scan_pick(item, (const char *const[]){size_key, "limit"}, 2, values) &&
            read_text(values[0], arena, &limit->page_size)) {
            json_scan_uint64(values[1], &limit->limit);
            limits[resources->n_hugepage_limits++] = limit;
        }
    }
    resources->hugepage_limits = limits;
}

static void read_unified(struct bytes json, struct arena *arena, Model__LinuxContainerResources *resources)
{
    size_t count = count_items(json, true);
    typedef Model__LinuxContainerResources__UnifiedEntry entry_type;
    entry_type **entries = count > 0 ? arena_alloc(arena, count * sizeof(entry_type *)) : NULL;
    struct json_scan scan;
    struct bytes key, value, quoted;
    if (!entries || !json_scan_open(json, true, &scan)) {
        return;
    }
    while (json_scan_next(&scan, &key, &value)) {
        entry_type *entry = arena_alloc(arena, sizeof *entry);
        if (!entry) {
            return;
        }
        model__linux_container_resources__unified_entry__init(entry);
        quoted = bytes_of(key.data - 1, key.len + 2);
        if (read_text(quoted, arena, &entry->key) && read_text(value, arena, &entry->value)) {
            entries[resources->n_unified++] = entry;
        }
    }
    resources->unified = entries;
}

bool rebuild_resources_of_config(struct bytes json, struct arena *arena, Model__LinuxContainerResources *resources)
{
    enum { PERIOD, QUOTA, SHARES, MEMORY, SWAP, OOM, CPUS, MEMS, HUGEPAGES, UNIFIED, COUNT };
    static const char *const keys[COUNT] = {
        "cpu_period",    "cpu_quota",   "cpu_shares",  "memory_limit_in_bytes", "memory_swap_limit_in_bytes",
        "oom_score_adj", "cpuset_cpus", "cpuset_mems", "hugepage_limits",       "unified"};
    struct bytes values[COUNT];
    Model__LinuxContainerResources read = MODEL__LINUX_CONTAINER_RESOURCES__INIT;
    if (!json_scan_pick(json, keys, COUNT, values)) {
        return false;
    }
    read_number(values[PERIOD], &read.cpu_period);
    read_number(values[QUOTA], &read.cpu_quota);
    read_number(values[SHARES], &read.cpu_shares);
    read_number(values[MEMORY], &read.memory_limit_in_bytes);
    read_number(values[SWAP], &read.memory_swap_limit_in_bytes);
    read_number(values[OOM], &read.oom_score_adj);
    read_text(values[CPUS], arena, &read.cpuset_cpus);
    read_text(values[MEMS], arena, &read.cpuset_mems);
    read_hugepages(values[HUGEPAGES], "page_size", arena, &read);
    read_unified(values[UNIFIED], arena, &read);
    overlay(resources, &read);
    return true;
}

static void read_cpu(struct bytes json, struct arena *arena, Model__LinuxContainerResources *read)
{
    enum { PERIOD, QUOTA, SHARES, CPUS, MEMS, COUNT };
    struct bytes values[COUNT];
    json_scan_pick(json, (const char *const[COUNT]){"period", "quota", "shares", "cpus", "mems"}, COUNT, values);
    read_number(values[PERIOD], &read->cpu_period);
    read_number(values[QUOTA], &read->cpu_quota);
    read_number(values[SHARES], &read->cpu_shares);
    read_text(values[CPUS], arena, &read->cpuset_cpus);
    read_text(values[MEMS], arena, &read->cpuset_mems);
}

static void read_memory(struct bytes json, Model__LinuxContainerResources *read)
{
    struct bytes values[2];
    json_scan_pick(json, (const char *const[]){"limit", "swap"}, 2, values);
    read_number(values[0], &read->memory_limit_in_bytes);
    read_number(values[1], &read->memory_swap_limit_in_bytes);
}

bool rebuild_resources_of_specification(struct bytes json, struct arena *arena, Model__LinuxContainerResources *resources)
{
    enum { CPU, MEMORY, HUGEPAGES, UNIFIED, COUNT };
    struct bytes parts[2], limits, oom, values[COUNT];
    Model__LinuxContainerResources read = MODEL__LINUX_CONTAINER_RESOURCES__INIT;
    json_scan_pick(json, (const char *const[]){"linux", "process"}, 2, parts);
    json_scan_pick(parts[0], (const char *const[]){"resources"}, 1, &limits);
    json_scan_pick(parts[1], (const char *const[]){"oomScoreAdj"}, 1, &oom);
    if (!json_scan_pick(limits, (const char *const[COUNT]){"cpu", "memory", "hugepageLimits", "unified"}, COUNT, values)) {
        return false;
    }
    read_cpu(values[CPU], arena, &read);
    read_memory(values[MEMORY], &read);
    read_hugepages(values[HUGEPAGES], "pageSize", arena, &read);
    read_unified(values[UNIFIED], arena, &read);
    read_number(oom, &read.oom_score_adj);
    overlay(resources, &read);
    return true;
}

bool rebuild_resources_of_message(struct bytes message, struct arena *arena, Model__LinuxContainerResources *resources)
{
    const Model__LinuxContainerResources *read = arena_unpack(arena, &model__linux_container_resources__descriptor, message);
    if (read) {
        overlay(resources, read);
    }
    return read != NULL;
}
