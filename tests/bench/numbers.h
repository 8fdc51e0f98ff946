/* Lists of numbers that were measured, and what is in their middle. */
#pragma once

#include <stddef.h>

#include <json-c/json.h>

/* A growing list of numbers. Zeroed is empty. */
struct numbers {
    double *values;
    size_t count;
    size_t capacity;
};

/* Exits when out of memory: a bench has nothing else to do then. */
void numbers_add(struct numbers *numbers, double value);

void numbers_free(struct numbers *numbers);

/* A middle with the quartiles around it. */
struct spread {
    double median, low, high;
};

/* NaN without numbers. Sorts them. */
struct spread numbers_spread(struct numbers *numbers);

void numbers_sort(struct numbers *numbers);

/* Of sorted numbers: the one at that part of their count (0.5 is the median), between neighbours in proportion. NaN without
 * numbers. */
double numbers_quantile(const struct numbers *sorted, double part);

/* As numbers_spread, of numbers that are sorted already. */
struct spread numbers_spread_sorted(const struct numbers *sorted);

/* Adds a member to a JSON object. JSON knows no NaN: null then. */
void numbers_add_member(json_object *object, const char *key, double value);

/* Adds the three as an object: median, low_quartile, high_quartile. */
void numbers_add_spread(json_object *object, const char *key, struct spread spread);
