/* The queue of hooks after calls: what has left it makes room for others. */
#include <string.h>

#include "core/plugins/after.h"
#include "tests/cmocka.h"

#define FACTS ((size_t)1 << 20)

static unsigned idles;

static void on_idle(void *state)
{
    idles++;
}

/* A plugin that is not asked, as it has gone in the meantime: each job ends at once. */
TEST(what_has_run_takes_no_room)
{
    static const struct hook_stage stage = {HOOK_START_CONTAINER, HOOK_AFTER};
    const struct plugin_settings settings = {.name = "a", .stages = hook_stage_bit(stage)};
    struct plugin plugin = {.references = 1, .settings = &settings, .retired = true};
    struct plugin *plugins[] = {&plugin};
    const struct plugin_set set = {.plugins = plugins, .count = 1, .stages = settings.stages};
    struct after_hooks after;
    uint8_t *pod = test_calloc(FACTS, 1);
    const struct hook_facts facts = {.pod_id = bytes_of_string("p"), .pod = bytes_of(pod, FACTS)};
    after_init(&after, on_idle, NULL);
    for (unsigned i = 1; i <= 100; i++) {
        after_add(&after, &set, 0, stage, &facts);
        assert_int_equal(idles, i);
    }
    assert_int_equal(after.dropped, 0);
    assert_int_equal(after.bytes, 0);
    assert_int_equal(after_pending(&after), 0);
    assert_int_equal(plugin.references, 1);
    test_free(pod);
}
