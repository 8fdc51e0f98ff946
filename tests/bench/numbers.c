#include "tests/bench/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void numbers_add(struct numbers *numbers, double value)
{
    if (numbers->count == numbers->capacity) {
        size_t capacity = numbers->capacity * 2 + 64;
        double *grown = reallocarray(numbers->values, capacity, sizeof *grown);
        if (!grown) {
            fputs("bench: out of memory\n", stderr);
            exit(1);
        }
        numbers->values = grown;
        numbers->capacity = capacity;
    }
    numbers->values[numbers->count++] = value;
}

void numbers_free(struct numbers *numbers)
{
    free(numbers->values);
    *numbers = (struct numbers){0};
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void numbers_sort(struct numbers *numbers)
{
    if (numbers->count > 0) {
        qsort(numbers->values, numbers->count, sizeof *numbers->values, compare);
    }
}

double numbers_quantile(const struct numbers *sorted, double part)
{
    if (sorted->count == 0) {
        return NAN;
    }
    double place = part * (double)(sorted->count - 1);
    size_t below = (size_t)place;
    size_t above = below + 1 < sorted->count ? below + 1 : below;
    return sorted->values[below] + (place - (double)below) * (sorted->values[above] - sorted->values[below]);
}

struct spread numbers_spread_sorted(const struct numbers *sorted)
{
    return (struct spread){
        .median = numbers_quantile(sorted, 0.5), .low = numbers_quantile(sorted, 0.25), .high = numbers_quantile(sorted, 0.75)};
}

struct spread numbers_spread(struct numbers *numbers)
{
    numbers_sort(numbers);
    return numbers_spread_sorted(numbers);
}

void numbers_add_member(json_object *object, const char *key, double value)
{
    json_object_object_add(object, key, isfinite(value) ? json_object_new_double(value) : NULL);
}

void numbers_add_spread(json_object *object, const char *key, struct spread spread)
{
    json_object *value = json_object_new_object();
    numbers_add_member(value, "median", spread.median);
    numbers_add_member(value, "low_quartile", spread.low);
    numbers_add_member(value, "high_quartile", spread.high);
    json_object_object_add(object, key, value);
}
