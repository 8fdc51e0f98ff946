#include "sim/common/rules.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/memory.h"

/* More than any test needs; with a message's size, still within an int. */
#define NUMBER_MOST (INT_MAX / 2)

static bool read_count(const char *option, const char *text, struct rule *rule)
{
    unsigned count;
    bool good = option_unsigned(option, text, &count);
    rule->times = good ? (long)count : 0;
    return good;
}

/* Reads "CODE" or "CODE:COUNT". */
static bool read_failure(const char *option, const char *text, struct rule *rule)
{
    char name[32];
    const char *count = strchr(text, ':');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    if (!status_code_from_name(name, &rule->code) || rule->code == STATUS_OK) {
        return option_wrong(option, name, "the name of a gRPC status code, such as UNAVAILABLE");
    }
    return !count || read_count(option, count + 1, rule);
}

static bool read_number(const char *option, const char *text, struct rule *rule)
{
    return option_unsigned(option, text, &rule->number) &&
           (rule->number <= NUMBER_MOST || option_wrong(option, text, "a smaller number"));
}

/* Reads "NUMBER:CODE". */
static bool read_number_and_failure(const char *option, const char *text, struct rule *rule)
{
    char number[32];
    size_t length = strcspn(text, ":");
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    return read_number(option, number, rule) &&
           (text[length] ? read_failure(option, text + length + 1, rule) : option_wrong(option, text, "NUMBER:CODE"));
}

static bool read_value(const struct option_row *row, const char *text, struct rule *rule)
{
    switch (row->value) {
    case VALUE_NONE:
        break;
    case VALUE_FAILURE:
        return read_failure(row->name, text, rule);
    case VALUE_NUMBER:
    case VALUE_NUMBER_OR_NONE:
        return read_number(row->name, text, rule);
    case VALUE_NUMBER_AND_FAILURE:
        return read_number_and_failure(row->name, text, rule);
    case VALUE_COUNT_OR_NONE:
        return read_count(row->name, text, rule);
    case VALUE_APPENDIX:
        return appendix_parse(row->name, text, &rule->appendix);
    case VALUE_FILE:
        rule->file = text;
        return true;
    }
    return option_wrong(row->name, text, "METHOD");
}

size_t rule_method_length(const char *text)
{
    return strcspn(text, "=");
}

bool rules_add(struct rules *rules, const struct option_row *row, const void *method, const char *text)
{
    struct rule rule = {.method = method, .kind = row->target, .times = -1};
    bool may_lack = row->value == VALUE_NONE || row->value == VALUE_NUMBER_OR_NONE || row->value == VALUE_COUNT_OR_NONE;
    const char *equals = strchr(text, '=');
    if (!equals && !may_lack) {
        return option_wrong(row->name, text, "METHOD=VALUE");
    }
    if (equals && !read_value(row, equals + 1, &rule)) {
        return false;
    }
    rules->list = sim_grown(rules->list, rules->count, sizeof rule);
    rules->list[rules->count++] = rule;
    return true;
}

void rules_clear(struct rules *rules)
{
    free(rules->list);
}

struct rule *rules_use(struct rules *rules, const void *method, size_t kind)
{
    for (size_t i = 0; i < rules->count; i++) {
        struct rule *rule = &rules->list[i];
        if ((!rule->method || rule->method == method) && rule->kind == kind && rule->times != 0) {
            rule->times -= rule->times > 0;
            return rule;
        }
    }
    return NULL;
}
