#include "translate/walk/report.h"

#include <stdio.h>
#include <string.h>

void report_drop(struct report *report, uint16_t rule)
{
    if (report) {
        report->dropped++;
        report->rules[rule].dropped++;
    }
}

void report_let_through(struct report *report, uint16_t rule)
{
    if (report) {
        report->dropped++;
        report->let_through++;
        report->rules[rule].let_through++;
    }
}

void report_ignored(struct report *report, uint16_t rule)
{
    if (report) {
        report->ignored++;
        report->rules[rule].ignored++;
    }
}

void report_refused(struct report *report, uint16_t rule)
{
    if (report) {
        report->refused = (uint16_t)(rule + 1);
    }
}

void report_tell(const struct report *report, const struct loss *loss)
{
    if (report && report->tell) {
        report->tell(report->state, loss);
    }
}

void report_item(struct report *report, const char *why)
{
    if (report->items++ == 0) {
        snprintf(report->first_item, sizeof report->first_item, "%s", why);
    }
}

void report_add(struct report *report, const struct report *more)
{
    if (more->items > 0 && report->items == 0) {
        memcpy(report->first_item, more->first_item, sizeof report->first_item);
    }
    report->items += more->items;
    report->unknown_fields += more->unknown_fields;
    report->dropped += more->dropped;
    report->let_through += more->let_through;
    report->ignored += more->ignored;
    report->unsure |= more->unsure;
    for (size_t i = 0; more->dropped + more->ignored > 0 && i < TRANSLATION_RULE_COUNT; i++) {
        report->rules[i].dropped += more->rules[i].dropped;
        report->rules[i].let_through += more->rules[i].let_through;
        report->rules[i].ignored += more->rules[i].ignored;
    }
}
