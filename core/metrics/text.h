/* Metrics as text: Prometheus' format 0.0.4, and OpenMetrics 1.0. */
#pragma once

#include "base/system/buffer.h"
#include "core/metrics/sample.h"

enum metric_format {
    METRIC_FORMAT_TEXT,
    METRIC_FORMAT_OPENMETRICS,
};

/* The media type, for Content-Type. */
const char *metric_format_type(enum metric_format format);

/* The format for a value of the header Accept: OpenMetrics if it is named, and not less wanted than plain text; else the text
   format, which every scraper reads, whatever the header says. */
enum metric_format metric_format_accepted(struct bytes accept);

/* Appends the text. false: out of memory, or samples are missing; the text is incomplete then. */
bool metric_text_write(const struct metric_samples *samples, enum metric_format format, struct buffer *out);
