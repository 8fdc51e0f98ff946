#include "losses.h"

#include <inttypes.h>
#include <stdio.h>

void losses_add(struct losses *losses, const struct report *report)
{
    losses->unknown_fields += report->unknown_fields;
    for (size_t i = 0; report->dropped > 0 && i < TRANSLATION_RULE_COUNT; i++) {
        losses->rules[i].dropped += report->rules[i].dropped;
        losses->rules[i].let_through += report->rules[i].let_through;
    }
}

bool losses_tell(struct losses *losses, char *text, size_t size)
{
    uint64_t total = 0;
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        total += losses->rules[i].let_through - losses->rules[i].told;
    }
    int length = snprintf(text, size, "%" PRIu64 " time%s:", total, total == 1 ? "" : "s");
    size_t used = length > 0 ? (size_t)length : 0;
    const char *between = " ";
    for (size_t i = 0; total > 0 && i < TRANSLATION_RULE_COUNT; i++) {
        uint64_t fresh = losses->rules[i].let_through - losses->rules[i].told;
        losses->rules[i].told = losses->rules[i].let_through;
        if (fresh > 0 && used < size) {
            length = snprintf(text + used, size - used, "%s%s %" PRIu64, between, translation_rules[i].field, fresh);
            used += length > 0 ? (size_t)length : 0;
            between = ", ";
        }
    }
    return total > 0;
}

static void add_count(struct json_object *counts, size_t rule, uint64_t count)
{
    if (count > 0) {
        json_object_object_add(counts, translation_rules[rule].field, json_object_new_int64((int64_t)count));
    }
}

void losses_describe(const struct losses *losses, struct json_object *runtime)
{
    struct json_object *let_through = json_object_new_object();
    struct json_object *left_out = json_object_new_object();
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        add_count(let_through, i, losses->rules[i].let_through);
        add_count(left_out, i, losses->rules[i].dropped);
    }
    json_object_object_add(runtime, "letThrough", let_through);
    json_object_object_add(runtime, "leftOut", left_out);
    json_object_object_add(runtime, "unknownFields", json_object_new_int64((int64_t)losses->unknown_fields));
}
