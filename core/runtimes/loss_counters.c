#include "loss_counters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json/build.h"
#include "translate/walk/text_table.h"

/* What comes from a runtime may hold anything. */
static void copy_printable(char *to, const char *from, size_t size)
{
    size_t i = 0;
    for (; i + 1 < size && from[i]; i++) {
        to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
    }
    to[i] = '\0';
}

void loss_counters_add(struct loss_counters *losses, const struct report *report, bool request)
{
    if (losses->items == 0 && report->items > 0) {
        copy_printable(losses->first_item, report->first_item, sizeof losses->first_item);
    }
    losses->items += report->items;
    losses->unknown_fields += report->unknown_fields;
    losses->unknown_asked += request ? report->unknown_fields : 0;
    for (size_t i = 0; report->dropped + report->ignored > 0 && i < TRANSLATION_RULE_COUNT; i++) {
        losses->rules[i].dropped += report->rules[i].dropped;
        losses->rules[i].let_through += report->rules[i].let_through;
        losses->rules[i].ignored += report->rules[i].ignored;
    }
}

/* Adds ", WHAT COUNT" to a text; the first time with a space in place of the comma. */
static void append(char *text, size_t size, const char *what, uint64_t count)
{
    size_t used = strlen(text);
    bool first = used > 0 && text[used - 1] == ':';
    if (count > 0) {
        snprintf(text + used, size - used, "%s%s %" PRIu64, first ? " " : ", ", what, count);
    }
}

bool loss_counters_log(struct loss_counters *losses, char *text, size_t size)
{
    uint64_t unknown = losses->unknown_asked - losses->unknown_logged;
    uint64_t total = unknown;
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        total += losses->rules[i].let_through - losses->rules[i].logged;
    }
    snprintf(text, size, "%" PRIu64 " time%s:", total, total == 1 ? "" : "s");
    for (size_t i = 0; total > 0 && i < TRANSLATION_RULE_COUNT; i++) {
        append(text, size, translation_rules[i].field, losses->rules[i].let_through - losses->rules[i].logged);
        losses->rules[i].logged = losses->rules[i].let_through;
    }
    append(text, size, "fields that crigate does not know", unknown);
    losses->unknown_logged = losses->unknown_asked;
    return total > 0;
}

static void add_count(struct json_object *counts, size_t rule, uint64_t count)
{
    if (count > 0) {
        json_add(counts, translation_rules[rule].field, json_object_new_int64((int64_t)count));
    }
}

void loss_counters_describe(const struct loss_counters *losses, struct json_object *runtime)
{
    struct json_object *let_through = json_object_new_object();
    struct json_object *left_out = json_object_new_object();
    struct json_object *ignored = json_object_new_object();
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        add_count(let_through, i, losses->rules[i].let_through);
        add_count(left_out, i, losses->rules[i].dropped);
        add_count(ignored, i, losses->rules[i].ignored);
    }
    json_add(runtime, "letThrough", let_through);
    json_add(runtime, "leftOut", left_out);
    json_add(runtime, "ignored", ignored);
    json_add(runtime, "unknownFields", json_object_new_int64((int64_t)losses->unknown_fields));
    json_add(runtime, "itemsLeftOut", json_object_new_int64((int64_t)losses->items));
    if (losses->items > 0) {
        json_add(runtime, "itemsLeftOutBecause", json_object_new_string(losses->first_item));
    }
}
