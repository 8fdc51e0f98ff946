#include "base/system/nearest.h"

#include <stdint.h>
#include <string.h>

#define LONGEST_NAME 64

/* How many letters must be changed, added or removed to turn one word into the other. */
static size_t edit_distance(const char *from, const char *to)
{
    size_t from_len = strlen(from);
    size_t to_len = strlen(to);
    size_t row[LONGEST_NAME + 1];
    if (from_len > LONGEST_NAME || to_len > LONGEST_NAME) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i <= from_len; i++) {
        row[i] = i;
    }
    for (size_t j = 1; j <= to_len; j++) {
        size_t diagonal = row[0];
        row[0] = j;
        for (size_t i = 1; i <= from_len; i++) {
            size_t changed = diagonal + (from[i - 1] != to[j - 1]);
            size_t moved = (row[i] < row[i - 1] ? row[i] : row[i - 1]) + 1;
            diagonal = row[i];
            row[i] = changed < moved ? changed : moved;
        }
    }
    return row[from_len];
}

struct nearest nearest_begin(const char *typed)
{
    return (struct nearest){.typed = typed, .distance = strlen(typed) / 3 + 2};
}

void nearest_add(struct nearest *nearest, const char *name)
{
    size_t distance = edit_distance(nearest->typed, name);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->name = name;
    }
}
