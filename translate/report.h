/* Counting what a conversion could not carry. */
#ifndef CRIGATE_TRANSLATE_REPORT_H
#define CRIGATE_TRANSLATE_REPORT_H

#include "convert.h"

/* Counts one loss under a rule (index into translation_rules). `report` may be NULL. */
void report_drop(struct report *report, uint16_t rule);

/* The same by the rule's field, such as "FilesystemUsage.fs_id"; for the rare case that has no index at hand. */
void report_drop_field(struct report *report, const char *field);

#endif
