#include "core/metrics/sample.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes/shown.h"
#include "base/bytes/utf8.h"

/* Far more than the series of 256 runtimes and as many plugins that are all in use. */
#define MEMORY_CAP ((size_t)64 << 20)

/* At the end of a label that is cut: a tilde and 32 bits, so that two long names stay two series. */
#define HASH_SIZE 9

static const char replacement[] = "\xef\xbf\xbd";

struct metric_samples *metric_samples_new(void)
{
    struct metric_samples *samples = calloc(1, sizeof *samples);
    if (samples && !(samples->memory = arena_new(MEMORY_CAP))) {
        free(samples);
        return NULL;
    }
    return samples;
}

void metric_samples_free(struct metric_samples *samples)
{
    if (samples) {
        arena_unref(samples->memory);
        free(samples);
    }
}

/* Writes as much valid UTF-8 as fits into `size` bytes; false: not all did. */
static bool clean_label(struct bytes text, char *copy, size_t size, size_t *used)
{
    *used = 0;
    while (text.len > 0) {
        size_t taken = utf8_character_size(text);
        bool kept = shown_character(text, taken) || text.data[0] == '\n'; /* which the text escapes */
        struct bytes part = kept ? bytes_of(text.data, taken) : bytes_of_string(replacement);
        if (*used + part.len > size) {
            return false;
        }
        memcpy(copy + *used, part.data, part.len);
        *used += part.len;
        text = bytes_after(text, taken > 0 ? taken : 1);
    }
    return true;
}

/* Of at most METRIC_LABEL_LONGEST bytes; NULL: no memory. */
static const char *copy_label(struct arena *memory, const char *text)
{
    char copy[METRIC_LABEL_LONGEST + 1];
    size_t used;
    if (!clean_label(bytes_of_string(text), copy, METRIC_LABEL_LONGEST, &used)) {
        uint32_t hash = (uint32_t)XXH3_64bits(text, strlen(text));
        clean_label(bytes_of_string(text), copy, METRIC_LABEL_LONGEST - HASH_SIZE, &used);
        used += (size_t)snprintf(copy + used, sizeof copy - used, "~%08" PRIx32, hash);
    }
    return arena_string(memory, bytes_of(copy, used));
}

static struct metric_sample *add(struct metric_samples *samples, enum metric metric, const char *const *labels)
{
    struct metric_sample *sample = arena_zalloc(samples->memory, sizeof *sample);
    bool whole = sample != NULL;
    for (size_t i = 0; whole && i < metric_label_count(metric); i++) {
        sample->labels[i] = copy_label(samples->memory, labels[i] ? labels[i] : "");
        whole = sample->labels[i] != NULL;
    }
    samples->incomplete |= !whole;
    return whole ? sample : NULL;
}

static void append(struct metric_samples *samples, enum metric metric, struct metric_sample *sample)
{
    *(samples->last[metric] ? &samples->last[metric]->next : &samples->first[metric]) = sample;
    samples->last[metric] = sample;
}

void metric_add(struct metric_samples *samples, enum metric metric, double value, const char *const *labels)
{
    struct metric_sample *sample = add(samples, metric, labels);
    if (sample) {
        sample->value = value;
        append(samples, metric, sample);
    }
}

void metric_add_histogram(struct metric_samples *samples, enum metric metric, const struct histogram *histogram,
                          const char *const *labels)
{
    struct metric_sample *sample = add(samples, metric, labels);
    struct histogram *copy = sample ? arena_alloc(samples->memory, sizeof *copy) : NULL;
    samples->incomplete |= !copy;
    if (copy) {
        *copy = *histogram;
        sample->histogram = copy;
        append(samples, metric, sample);
    }
}
