/* What could not be carried to and from a runtime, as people see it. */
#include <string.h>

#include "core/runtimes/loss_counters.h"
#include "tests/cmocka.h"
#include "translate/walk/report.h"

TEST(what_was_let_through_is_told_once)
{
    struct loss_counters losses = {0};
    struct report report = {0};
    char text[128] = "";
    loss_counters_add(&losses, &report, true);
    report_drop(&report, RULE_ContainerStats_swap);
    loss_counters_add(&losses, &report, true);
    assert_false(loss_counters_log(&losses, text, sizeof text)); /* harmless */
    report_let_through(&report, RULE_Mount_image);
    loss_counters_add(&losses, &report, true);
    assert_true(loss_counters_log(&losses, text, sizeof text));
    assert_string_equal(text, "1 time: Mount.image 1");
    assert_false(loss_counters_log(&losses, text, sizeof text));
    report_let_through(&report, RULE_Protocol_SCTP);
    loss_counters_add(&losses, &report, true);
    loss_counters_add(&losses, &report, true);
    assert_true(loss_counters_log(&losses, text, sizeof text));
    assert_string_equal(text, "4 times: Mount.image 2, Protocol.SCTP 2");
}

/* In a request, nobody knows what they ask for; in an answer they are nobody's loss that could be helped. */
TEST(unknown_fields_of_requests_are_told)
{
    struct loss_counters losses = {0};
    struct report report = {.unknown_fields = 2};
    char text[128] = "";
    loss_counters_add(&losses, &report, false);
    assert_false(loss_counters_log(&losses, text, sizeof text));
    loss_counters_add(&losses, &report, true);
    assert_true(loss_counters_log(&losses, text, sizeof text));
    assert_string_equal(text, "2 times: fields that crigate does not know 2");
    assert_false(loss_counters_log(&losses, text, sizeof text));
    report_let_through(&report, RULE_Mount_image);
    loss_counters_add(&losses, &report, true);
    assert_true(loss_counters_log(&losses, text, sizeof text));
    assert_string_equal(text, "3 times: Mount.image 1, fields that crigate does not know 2");
    assert_int_equal(losses.unknown_fields, 6);
}

TEST(a_long_line_is_cut)
{
    struct loss_counters losses = {0};
    struct report report = {0};
    char text[32];
    for (uint16_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        report_let_through(&report, i);
    }
    loss_counters_add(&losses, &report, true);
    assert_true(loss_counters_log(&losses, text, sizeof text));
    assert_int_equal(strlen(text), sizeof text - 1);
    assert_false(loss_counters_log(&losses, text, sizeof text));
}

TEST(all_is_counted_by_field)
{
    struct loss_counters losses = {0};
    struct report report = {.unknown_fields = 3};
    for (int i = 0; i < 2; i++) {
        report_drop(&report, RULE_LinuxContainerResources_unified);
        report_let_through(&report, RULE_LinuxContainerResources_unified);
    }
    report_let_through(&report, RULE_Mount_image);
    report_ignored(&report, RULE_LinuxContainerResources_hugepage_limits);
    loss_counters_add(&losses, &report, true);
    loss_counters_add(&losses, &report, true);
    struct json_object *found = json_object_new_object();
    loss_counters_describe(&losses, found);
    struct json_object *expected =
        json_tokener_parse("{\"letThrough\": {\"LinuxContainerResources.unified\": 4, \"Mount.image\": "
                           "2}, \"leftOut\": {\"LinuxContainerResources.unified\": 4}, "
                           "\"ignored\": {\"LinuxContainerResources.hugepage_limits\": 2}, "
                           "\"unknownFields\": 6, \"itemsLeftOut\": 0}");
    assert_non_null(expected);
    if (!json_object_equal(found, expected)) {
        fail_msg("%s", json_object_to_json_string(found));
    }
    json_object_put(expected);
    json_object_put(found);
}

/* Nothing was lost, so that the line about losses does not name it. */
TEST(what_is_ignored_is_counted_alone)
{
    struct loss_counters losses = {0};
    struct report report = {0}, more = {0};
    char text[64];
    report_ignored(&more, RULE_LinuxContainerResources_unified);
    report_add(&report, &more);
    loss_counters_add(&losses, &report, true);
    assert_false(loss_counters_log(&losses, text, sizeof text));
    assert_int_equal(losses.rules[RULE_LinuxContainerResources_unified].ignored, 1);
    assert_int_equal(losses.rules[RULE_LinuxContainerResources_unified].dropped, 0);
}

TEST(items_are_counted_with_the_reason_of_the_first)
{
    struct loss_counters losses = {0};
    struct report report = {0}, more = {0};
    report_item(&more, "id\x1b[31m\xff is no text");
    report_add(&report, &more);
    report_item(&report, "another");
    loss_counters_add(&losses, &report, false);
    loss_counters_add(&losses, &(struct report){.items = 3, .first_item = "later"}, false);
    struct json_object *found = json_object_new_object(), *count, *why;
    loss_counters_describe(&losses, found);
    assert_true(json_object_object_get_ex(found, "itemsLeftOut", &count));
    assert_int_equal(json_object_get_int(count), 5);
    assert_true(json_object_object_get_ex(found, "itemsLeftOutBecause", &why));
    assert_string_equal(json_object_get_string(why), "id?[31m? is no text");
    json_object_put(found);
}
