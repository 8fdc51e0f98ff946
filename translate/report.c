#include "report.h"

#include <string.h>

void report_drop(struct report *report, uint16_t rule)
{
    if (!report) {
        return;
    }
    report->dropped++;
    for (uint32_t i = 0; i < report->rule_count; i++) {
        if (report->rules[i].rule == rule) {
            report->rules[i].times++;
            return;
        }
    }
    if (report->rule_count < REPORT_RULES) {
        report->rules[report->rule_count].rule = rule;
        report->rules[report->rule_count].times = 1;
        report->rule_count++;
    }
}

void report_drop_field(struct report *report, const char *field)
{
    for (uint16_t i = 0; i < translation_rule_count; i++) {
        if (strcmp(translation_rules[i].field, field) == 0) {
            report_drop(report, i);
            return;
        }
    }
}
