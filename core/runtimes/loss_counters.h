/* What could not be carried to a runtime, and from it, and what it ignores: counted by rule since crigate knows it, for people to
   see. Pure. */
#pragma once

#include <json-c/json.h>

#include "translate/walk/report.h"

/* Zero-initialised: nothing yet. */
struct loss_counters {
    uint64_t unknown_fields;           /* taken out between two packages, of both ways */
    uint64_t unknown_asked;            /* of them, in requests: what they ask for is unknown */
    uint64_t unknown_logged;           /* of these, that loss_counters_log returned */
    uint64_t items;                    /* of its lists and events, left out: names of another runtime, or no text */
    char first_item[REPORT_TEXT_SIZE]; /* why, of the first; printable */
    struct {
        uint64_t dropped;     /* left out as harmless */
        uint64_t let_through; /* left out because the runtime map allows it, instead of a refusal */
        uint64_t logged;      /* of let_through, that loss_counters_log returned */
        uint64_t refused;     /* requests, because of it */
        uint64_t ignored;     /* values in requests that were sent, and that it is known to ignore */
    } rules[TRANSLATION_RULE_COUNT];
};

/* Of a request, or of an answer. */
void loss_counters_add(struct loss_counters *losses, const struct report *report, bool request);

/* What requests lost since the last time that could matter, "3 times: Mount.image 2, fields that crigate does not know 1", cut to
   `size`. false: nothing. */
bool loss_counters_log(struct loss_counters *losses, char *text, size_t size);

/* Adds members to the description of a runtime: `letThrough`, `leftOut` and `ignored`, objects of fields with their counts,
   `unknownFields`, `itemsLeftOut`, and `itemsLeftOutBecause` where there are any. */
void loss_counters_describe(const struct loss_counters *losses, struct json_object *runtime);
