/* What an operator may let through, and by which names. */
#include <string.h>

#include "tests/cmocka.h"
#include "translate/walk/leniency.h"
#include "translate/walk/report.h"
#include "translate/walk/text_table.h"

static size_t count_of(const struct leniency *leniency)
{
    size_t count = 0;
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        count += leniency->rules[i];
    }
    return count;
}

TEST(every_rule_that_refuses_has_its_name_and_no_other)
{
    size_t refusing = 0;
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        struct leniency leniency = {0};
        struct error error = {0};
        bool added = leniency_add(&leniency, translation_rules[i].field, &error);
        assert_int_equal(added, translation_rules[i].refuses);
        assert_int_equal(count_of(&leniency), added ? 1 : 0);
        assert_int_equal(leniency.rules[i], added);
        assert_int_equal(error.code, added ? STATUS_OK : STATUS_INVALID_ARGUMENT);
        refusing += added;
    }
    assert_true(refusing > 30);
}

TEST(a_path_stands_for_the_rules_of_its_field)
{
    static const struct {
        const char *path;
        int rules[3]; /* one more than the rule's id; 0 for none */
    } rows[] = {
        {"config.mounts[2].image", {RULE_Mount_image + 1}},
        {"config.mounts.image", {RULE_Mount_image + 1}},
        {"config.mounts[0].image.annotations", {RULE_Mount_image + 1}},
        {"config.mounts[0].uidMappings", {RULE_Mount_uidMappings + 1}},
        {"config.mounts[0].uidMappings[1].host_id", {RULE_Mount_uidMappings + 1}},
        {"config.linux.security_context.run_as_group",
         {RULE_LinuxContainerSecurityContext_run_as_group + 1, RULE_LinuxSandboxSecurityContext_run_as_group + 1}},
        {"sandbox_config.linux.security_context.run_as_group", {RULE_LinuxSandboxSecurityContext_run_as_group + 1}},
        {"config.linux.security_context.capabilities.add_ambient_capabilities[0]",
         {RULE_Capability_add_ambient_capabilities + 1}},
        /* v1_9 has no shared pid namespace, v1_12 no target: both are that field's. */
        {"config.linux.security_context.namespace_options.pid", {RULE_NamespaceOption_pid + 1, RULE_NamespaceMode_TARGET + 1}},
        {"config.linux.security_context.namespace_options.userns_options.mode", {RULE_NamespaceOption_userns_options + 1}},
        {"config.CDI_devices[0].name", {RULE_ContainerConfig_CDI_devices + 1}},
        {"config.port_mappings[1].protocol", {RULE_Protocol_SCTP + 1}},
        {"linux.hugepage_limits", {RULE_LinuxContainerResources_hugepage_limits + 1}},
        {"config.linux.resources.hugepage_limits[0].limit", {RULE_LinuxContainerResources_hugepage_limits + 1}},
        {"runtime_handler", {RULE_RunPodSandboxRequest_runtime_handler + 1}},
        {"sandbox_config.windows.security_context.host_process", {RULE_PodSandboxConfig_windows + 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct leniency leniency = {0};
        struct error error = {0};
        if (!leniency_add(&leniency, rows[i].path, &error)) {
            fail_msg("%s: %s", rows[i].path, error.message);
        }
        size_t expected = 0;
        for (size_t j = 0; j < 3 && rows[i].rules[j] > 0; j++) {
            if (!leniency.rules[rows[i].rules[j] - 1]) {
                fail_msg("%s does not stand for %s", rows[i].path, translation_rules[rows[i].rules[j] - 1].field);
            }
            expected++;
        }
        if (count_of(&leniency) != expected) {
            fail_msg("%s stands for %zu rules", rows[i].path, count_of(&leniency));
        }
    }
}

TEST(a_name_that_nothing_is_refused_by_is_a_mistake)
{
    static const struct {
        const char *name, *start;
    } rows[] = {
        {"", "there is no field \"\"; a refusal contains the name"},
        {".", "there is no field \".\"; "},
        {"config", "no request is refused because of config: "},
        {"config.mounts[0].readonly",
         "no request is refused because of config.mounts[0].readonly: it never needs to be let through"},
        {"Mount.readonly", "no request is refused because of Mount.readonly: it never needs to be let through"},
        {"Image.pinned", "no request is refused because of Image.pinned: what a dialect lacks of it is left out"},
        {"NamespaceOption.target_id", "no request is refused because of NamespaceOption.target_id: "},
        {"Mount.imagee", "there is no field \"Mount.imagee\"; a refusal contains the name"},
        {"config.image_sub_path", "there is no field \"config.image_sub_path\"; did you mean \"Mount.image_sub_path\"?"},
        {"config.mounts[0", "no request is refused because of config.mounts[0: "},
        {"config..mounts", "there is no field \"config..mounts\"; "},
        {"config.mounts[0]image", "there is no field \"config.mounts[0]image\"; "},
        {"auth.password.x", "there is no field \"auth.password.x\"; "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct leniency leniency = {0};
        struct error error = {0};
        bool added = leniency_add(&leniency, rows[i].name, &error);
        if (added || strncmp(error.message, rows[i].start, strlen(rows[i].start)) != 0) {
            fail_msg("\"%s\" is told \"%s\"", rows[i].name, error.message);
        }
        assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
        assert_int_equal(count_of(&leniency), 0);
    }
}

TEST(what_passes_by_itself_may_be_made_strict_and_nothing_else)
{
    size_t strict = 0;
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        struct leniency leniency = {0};
        struct error error = {0};
        bool added = leniency_add_strict(&leniency, translation_rules[i].field, &error);
        assert_int_equal(added, translation_rules[i].tuning);
        assert_int_equal(leniency.strict[i], added);
        assert_int_equal(leniency_is_strict(&leniency, (uint16_t)i), added);
        assert_int_equal(count_of(&leniency), 0);
        strict += added;
    }
    assert_true(strict > 3);
    assert_false(leniency_is_strict(NULL, 0));
    struct leniency leniency = {0};
    struct error error = {0};
    assert_true(leniency_add_strict(&leniency, "linux.hugepage_limits[2].limit", &error));
    assert_true(leniency.strict[RULE_LinuxContainerResources_hugepage_limits]);
    assert_false(leniency_add_strict(&leniency, "hugepage_limits", &error));
    assert_string_equal(error.message,
                        "there is no field \"hugepage_limits\"; did you mean \"LinuxContainerResources.hugepage_limits\"?");
}

TEST(what_is_let_through_is_counted_and_the_rest_refused)
{
    struct leniency one = {0};
    const struct leniency all = {.all = true};
    struct report report = {0};
    struct error error = {0};
    one.rules[RULE_Mount_image] = true;
    assert_true(leniency_refuse(&one, &report, DIALECT_V1_9, RULE_Mount_image, "config.mounts[0].image", "lacks it", &error));
    assert_true(leniency_refuse(&all, &report, DIALECT_V1_9, RULE_Protocol_SCTP, "protocol", "lacks it", &error));
    assert_true(leniency_refuse(&all, NULL, DIALECT_V1_9, RULE_Protocol_SCTP, "protocol", "lacks it", &error));
    assert_int_equal(error.code, STATUS_OK);
    assert_int_equal(report.dropped, 2);
    assert_int_equal(report.let_through, 2);
    assert_int_equal(report.rules[RULE_Mount_image].let_through, 1);
    assert_int_equal(report.rules[RULE_Mount_image].dropped, 0);
    assert_int_equal(report.rules[RULE_Protocol_SCTP].let_through, 1);
    assert_false(leniency_refuse(&one, &report, DIALECT_V1_9, RULE_Protocol_SCTP, "config.port_mappings[0].protocol",
                                 "lacks it: so", &error));
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    assert_string_equal(
        error.message,
        "config.port_mappings[0].protocol: the runtime's dialect v1_9 lacks it: so; to send the request without it, set "
        "\"translation: {lenient: [Protocol.SCTP]}\" for this runtime in the runtime map");
    assert_false(leniency_refuse(NULL, &report, DIALECT_V1_9, RULE_Protocol_SCTP, "protocol", "lacks it", &error));
    assert_int_equal(report.dropped, 2);
}
