#include "core/metrics/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Longer than what all series of a node with 256 busy runtimes take. */
#define TEXT_LARGEST ((size_t)128 << 20)

#define TOTAL "_total"

/* Of one line: its name, and labels that are cut, all of whose characters may be escaped. */
#define LINE_LONGEST (128 + METRIC_LABELS * (2 * METRIC_LABEL_LONGEST + 32))

struct writing {
    struct buffer *out;
    enum metric_format format;
    bool good;
};

/* A part of a line, before it is copied to the end of the text. */
struct line {
    char text[LINE_LONGEST];
    size_t len;
};

const char *metric_format_type(enum metric_format format)
{
    return format == METRIC_FORMAT_OPENMETRICS ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                               : "text/plain; version=0.0.4; charset=utf-8";
}

static void put(struct writing *writing, const char *text, size_t len)
{
    writing->good = writing->good && buffer_append(writing->out, bytes_of(text, len), TEXT_LARGEST);
}

static void put_text(struct writing *writing, const char *text)
{
    put(writing, text, strlen(text));
}

static void add_character(struct line *line, char character)
{
    if (line->len < sizeof line->text) {
        line->text[line->len++] = character;
    }
}

static void add_text(struct line *line, const char *text)
{
    while (*text != '\0') {
        add_character(line, *text++);
    }
}

/* The value of a label. */
static void add_escaped(struct line *line, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n' || *text == '"' || *text == '\\') {
            add_character(line, '\\');
        }
        add_character(line, *text == '\n' ? 'n' : *text);
    }
}

/* A space, the number, and the end of the line. */
static void add_number(struct line *line, double value)
{
    char text[40];
    if (value == trunc(value) && fabs(value) < 9e15) {
        snprintf(text, sizeof text, " %" PRId64 "\n", (int64_t)value);
    } else {
        snprintf(text, sizeof text, " %.15g\n", value);
    }
    add_text(line, text);
}

/* `method="Version",runtime="main"`; those of a histogram are written many times. */
static void add_labels(struct line *line, enum metric metric, const struct metric_sample *sample)
{
    for (size_t i = 0; i < metric_label_count(metric); i++) {
        add_text(line, i == 0 ? "" : ",");
        add_text(line, metric_rows[metric].labels[i]);
        add_text(line, "=\"");
        add_escaped(line, sample->labels[i]);
        add_text(line, "\"");
    }
}

/* `end` belongs to the name; `bound` is the label le of a bucket, or NULL. */
static void put_line(struct writing *writing, enum metric metric, const char *end, const struct line *labels, const char *bound,
                     double value)
{
    struct line line;
    line.len = 0;
    add_text(&line, metric_rows[metric].name);
    add_text(&line, end);
    add_text(&line, labels->len > 0 || bound ? "{" : "");
    for (size_t i = 0; i < labels->len; i++) {
        add_character(&line, labels->text[i]);
    }
    if (bound) {
        add_text(&line, labels->len > 0 ? ",le=\"" : "le=\"");
        add_text(&line, bound);
        add_text(&line, "\"");
    }
    add_text(&line, labels->len > 0 || bound ? "}" : "");
    add_number(&line, value);
    put(writing, line.text, line.len);
}

static void put_sample(struct writing *writing, enum metric metric, const struct metric_sample *sample)
{
    const struct histogram *histogram = sample->histogram;
    struct line labels;
    labels.len = 0;
    add_labels(&labels, metric, sample);
    if (!histogram) {
        put_line(writing, metric, "", &labels, NULL, sample->value);
        return;
    }
    uint64_t below = 0;
    for (unsigned i = 0; i <= HISTOGRAM_BOUNDS; i++) {
        below += histogram->buckets[i];
        put_line(writing, metric, "_bucket", &labels, i < HISTOGRAM_BOUNDS ? histogram_bounds[i].text : "+Inf", (double)below);
    }
    put_line(writing, metric, "_sum", &labels, NULL, (double)histogram->sum / 1e9);
    put_line(writing, metric, "_count", &labels, NULL, (double)below);
}

/* OpenMetrics names the family of a counter without its end. */
static size_t family_length(enum metric metric, enum metric_format format)
{
    size_t len = strlen(metric_rows[metric].name);
    bool cut = format == METRIC_FORMAT_OPENMETRICS && metric_rows[metric].type == METRIC_COUNTER;
    return cut ? len - strlen(TOTAL) : len;
}

static void put_head(struct writing *writing, enum metric metric)
{
    const struct metric_row *row = &metric_rows[metric];
    size_t family = family_length(metric, writing->format);
    put_text(writing, "# HELP ");
    put(writing, row->name, family);
    put_text(writing, " ");
    put_text(writing, row->help);
    put_text(writing, "\n# TYPE ");
    put(writing, row->name, family);
    put_text(writing, " ");
    put_text(writing, metric_type_name(row->type));
    put_text(writing, "\n");
}

bool metric_text_write(const struct metric_samples *samples, enum metric_format format, struct buffer *out)
{
    struct writing writing = {.out = out, .format = format, .good = true};
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        enum metric metric = (enum metric)i;
        if (samples->first[metric]) {
            put_head(&writing, metric);
        }
        for (const struct metric_sample *sample = samples->first[metric]; sample; sample = sample->next) {
            put_sample(&writing, metric, sample);
        }
    }
    if (format == METRIC_FORMAT_OPENMETRICS) {
        put_text(&writing, "# EOF\n");
    }
    return writing.good && !samples->incomplete;
}
