#include <stdio.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/model/model_fixture.h"

#define RULE "LinuxContainerResources.unified"

static const struct resource_case {
    uint64_t hugepages[2]; /* limits */
    size_t hugepage_count;
    const char *unified[2][2];
    size_t unified_count;
    int64_t memory;
    int64_t swap;
    const char *refused; /* the field of LinuxContainerResources, or NULL */
    uint32_t losses;
} cases[] = {
    {.memory = 0},
    {.memory = 1 << 20},
    {.hugepages = {0, 0}, .hugepage_count = 2},
    {.hugepages = {0, 1}, .hugepage_count = 2, .refused = "hugepage_limits"},
    {.hugepages = {UINT64_MAX}, .hugepage_count = 1, .refused = "hugepage_limits"},
    {.unified = {{"memory.swap.max", "0"}}, .unified_count = 1},
    {.unified = {{"memory.swap.max", "1"}}, .unified_count = 1, .refused = "unified"},
    {.unified = {{"memory.swap.max", ""}}, .unified_count = 1, .refused = "unified"},
    {.unified = {{"memory.oom.group", "1"}, {"memory.swap.max", "0"}}, .unified_count = 2, .losses = 1},
    {.unified = {{"memory.oom.group", "0"}}, .unified_count = 1, .refused = "unified"},
    {.unified = {{"memory.swap.max", "0"}, {"memory.high", "1048576"}}, .unified_count = 2, .refused = "unified"},
    {.memory = 1 << 20, .swap = 1 << 20},
    {.memory = 1 << 20, .swap = 1 << 21, .refused = "memory_swap_limit_in_bytes"},
    {.memory = 1 << 20, .swap = -1, .refused = "memory_swap_limit_in_bytes"},
    {.memory = 0, .swap = 1 << 20, .refused = "memory_swap_limit_in_bytes"},
};
#define CASES (sizeof cases / sizeof cases[0])

struct parts {
    Model__LinuxContainerResources resources;
    Model__HugepageLimit hugepages[2];
    Model__HugepageLimit *hugepage_list[2];
    Model__LinuxContainerResources__UnifiedEntry unified[2];
    Model__LinuxContainerResources__UnifiedEntry *unified_list[2];
};

static void build(struct parts *parts, const struct resource_case *row)
{
    model__linux_container_resources__init(&parts->resources);
    for (size_t i = 0; i < 2; i++) {
        model__hugepage_limit__init(&parts->hugepages[i]);
        parts->hugepages[i].limit = row->hugepages[i];
        parts->hugepage_list[i] = &parts->hugepages[i];
        model__linux_container_resources__unified_entry__init(&parts->unified[i]);
        parts->unified[i].key = (char *)(uintptr_t)row->unified[i][0];
        parts->unified[i].value = (char *)(uintptr_t)row->unified[i][1];
        parts->unified_list[i] = &parts->unified[i];
    }
    parts->resources.hugepage_limits = parts->hugepage_list;
    parts->resources.n_hugepage_limits = row->hugepage_count;
    parts->resources.unified = parts->unified_list;
    parts->resources.n_unified = row->unified_count;
    parts->resources.memory_limit_in_bytes = row->memory;
    parts->resources.memory_swap_limit_in_bytes = row->swap;
    parts->resources.cpu_shares = 512;
}

static void expect_case(const struct parts *parts, const struct resource_case *row, const char *prefix)
{
    if (row->refused) {
        char field[128];
        snprintf(field, sizeof field, "%s%s", prefix, row->refused);
        fixture_expect_refusal(normalise_resources, field);
        return;
    }
    assert_true(fixture_run(normalise_resources));
    assert_int_equal(parts->resources.n_hugepage_limits, 0);
    assert_int_equal(parts->resources.n_unified, 0);
    assert_int_equal(parts->resources.memory_swap_limit_in_bytes, 0);
    assert_int_equal(parts->resources.memory_limit_in_bytes, row->memory);
    assert_int_equal(parts->resources.cpu_shares, 512);
    assert_int_equal(fixture_losses(RULE), row->losses);
    assert_int_equal(fixture.report.dropped, row->losses);
}

ALL_TESTS(NULL, fixture_end)

TEST(resources_of_a_container_are_judged)
{
    for (size_t i = 0; i < CASES; i++) {
        struct parts parts;
        build(&parts, &cases[i]);
        fixture_begin_container(LEVEL_LINUX);
        fixture.container_linux.resources = &parts.resources;
        expect_case(&parts, &cases[i], "linux.resources.");
    }
}

TEST(resources_of_an_update_are_judged)
{
    for (size_t i = 0; i < CASES; i++) {
        struct parts parts;
        build(&parts, &cases[i]);
        fixture_begin_container(LEVEL_EMPTY);
        fixture.model.container = NULL;
        fixture.model.resources = &parts.resources;
        expect_case(&parts, &cases[i], "");
    }
}

TEST(absent_resources_are_fine)
{
    for (enum level level = LEVEL_EMPTY; level < LEVEL_COUNT; level++) {
        fixture_begin_container(level);
        fixture_expect_untouched(normalise_resources);
        fixture_begin_pod(level);
        fixture_expect_untouched(normalise_resources);
    }
}
