/* Counting what a conversion could not carry. */
#ifndef CRIGATE_TRANSLATE_WALK_REPORT_H
#define CRIGATE_TRANSLATE_WALK_REPORT_H

#include "translate/convert/convert.h"

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

#endif
