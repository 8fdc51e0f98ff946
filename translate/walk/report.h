/* Counts what a conversion could not carry, and what the runtime ignores. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "generated/rule_ids.h"

/* One field of a request that was left out, or is ignored. */
struct loss {
    uint16_t rule;
    const char *path;   /* "config.mounts[2].image" */
    const char *reason; /* a sentence */
    bool let_through;   /* it would have been refused without the operator's leniency */
    bool ignored;       /* it is sent, but the runtime is known to ignore it; `reason` continues "the runtime ignores it: " */
};

#define REPORT_TEXT_SIZE 160

/* What a conversion could not carry: how often each rule of rules.yaml dropped something, and the number of unknown fields. */
struct report {
    uint32_t items; /* items of a list response that were dropped: with names of another runtime, or strings that are not UTF-8 */
    char first_item[REPORT_TEXT_SIZE]; /* the reason for the first of them */
    uint32_t unknown_fields;
    uint32_t dropped;     /* in all, by rules */
    uint32_t let_through; /* those that would have been refused without the operator's leniency */
    uint16_t refused;     /* the rule because of which the request was refused, and one more; 0: none */
    uint32_t ignored;     /* values that are sent, and that the runtime is known to ignore */
    uint64_t unsure; /* bits 1 << entry of translate/abilities: of values that are sent to a runtime of which nothing is known */
    struct {
        uint32_t dropped; /* harmless */
        uint32_t let_through;
        uint32_t ignored;
    } rules[TRANSLATION_RULE_COUNT];
    /* Called for each loss in a request when it is counted; usually NULL. */
    void (*tell)(void *state, const struct loss *loss);
    void *state;
};

/* Counts one harmless loss under a rule (index into translation_rules). `report` may be NULL. */
void report_drop(struct report *report, uint16_t rule);

/* The same for a loss that would have been a refusal without the operator's leniency. */
void report_let_through(struct report *report, uint16_t rule);

/* Counts a value that is sent although the runtime ignores it. `report` may be NULL. */
void report_ignored(struct report *report, uint16_t rule);

/* Notes that the request is refused because of that rule. `report` may be NULL. */
void report_refused(struct report *report, uint16_t rule);

/* Passes a loss, which the caller must also count, to the callback. `report` may be NULL. */
void report_tell(const struct report *report, const struct loss *loss);

/* Counts a dropped item of a list, and keeps the reason of the first. */
void report_item(struct report *report, const char *why);

/* Adds the counts of another report. */
void report_add(struct report *report, const struct report *more);
