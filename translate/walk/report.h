/* Counting what a conversion could not carry. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "generated/rule_ids.h"

/* One field of a request that was left out. */
struct loss {
    uint16_t rule;
    const char *path;   /* "config.mounts[2].image" */
    const char *reason; /* a sentence */
    bool let_through;   /* it would have been refused without the operator's leniency */
};

#define REPORT_TEXT_SIZE 160

/* What a conversion could not carry: how often each rule of rules.yaml dropped something, and unknown fields taken out. */
struct report {
    uint32_t items;                    /* of a list in a response, that were taken out: of names that are another's, or no text */
    char first_item[REPORT_TEXT_SIZE]; /* why, of the first of them */
    uint32_t unknown_fields;
    uint32_t dropped;     /* in all, by rules */
    uint32_t let_through; /* of them, what would have been refused without the operator's leniency */
    struct {
        uint32_t dropped; /* harmless */
        uint32_t let_through;
    } rules[TRANSLATION_RULE_COUNT];
    /* Is told of each loss in a request as it is counted; NULL, as usual: nobody wants to know. */
    void (*tell)(void *state, const struct loss *loss);
    void *state;
};

/* Counts one harmless loss under a rule (index into translation_rules). `report` may be NULL. */
void report_drop(struct report *report, uint16_t rule);

/* The same for what would have been refused without the operator's leniency. */
void report_let_through(struct report *report, uint16_t rule);

/* Tells of a loss, which has to be counted besides, to whoever wants to know. `report` may be NULL. */
void report_tell(const struct report *report, const struct loss *loss);

/* Counts an item of a list that was taken out, and keeps the reason of the first. */
void report_item(struct report *report, const char *why);

/* Adds what another counted. */
void report_add(struct report *report, const struct report *more);
