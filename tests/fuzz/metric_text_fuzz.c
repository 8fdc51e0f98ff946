/* Any bytes as labels of metrics, such as what a runtime reports of itself: each line has the form that both formats have, is
   valid UTF-8 without control characters, and labels have at most 64 bytes. */
#include <string.h>

#include "base/bytes/utf8.h"
#include "core/metrics/text.h"
#include "fuzz.h"

/* One label's value behind its quote. NULL: it has no end on its line. Counts what it means, not how it is written. */
static const char *skip_value(const char *at, const char *end)
{
    size_t len = 0;
    for (; at < end && *at != '"'; at++, len++) {
        if (*at == '\\') {
            at++;
            must(at < end && (*at == '\\' || *at == '"' || *at == 'n'));
        }
    }
    must(len <= METRIC_LABEL_LONGEST);
    return at < end ? at + 1 : NULL;
}

/* `name{a="...",b="..."} value` */
static void check_line(const char *line, const char *end)
{
    const char *at = memchr(line, '{', (size_t)(end - line));
    must(at != NULL);
    do {
        at++;
        size_t name = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
        must(name > 0 && at + name + 2 < end && at[name] == '=' && at[name + 1] == '"');
        at = skip_value(at + name + 2, end);
        must(at && (*at == ',' || *at == '}'));
    } while (*at == ',');
    must(at[1] == ' ' && at + 2 < end && strspn(at + 2, "0123456789.e+-") == (size_t)(end - at - 2));
}

static void check(struct bytes text, enum metric_format format)
{
    const char *at = (const char *)text.data, *end = at + text.len;
    must(utf8_is_valid(text));
    for (const char *next; at < end; at = next + 1) {
        next = memchr(at, '\n', (size_t)(end - at));
        must(next != NULL);
        for (const char *byte = at; byte < next; byte++) {
            must((unsigned char)*byte >= ' ' && *byte != 0x7f);
        }
        if (*at != '#') {
            check_line(at, next);
        }
    }
    must(format != METRIC_FORMAT_OPENMETRICS || (text.len > 6 && memcmp(end - 6, "# EOF\n", 6) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct metric_samples *samples = metric_samples_new();
    char *labels[4];
    struct bytes rest = bytes_of(data, size);
    for (size_t i = 0; i < 4; i++) { /* each ends at a NUL */
        const uint8_t *end = rest.len > 0 ? memchr(rest.data, 0, rest.len) : NULL;
        size_t len = end ? (size_t)(end - rest.data) : rest.len;
        labels[i] = strndup(len > 0 ? (const char *)rest.data : "", len);
        rest = bytes_after(rest, end ? len + 1 : len);
    }
    metric_add(samples, METRIC_RUNTIME_INFO, 1, (const char *const *)labels);
    metric_add_histogram(samples, METRIC_HOOK_DURATION, &(struct histogram){.buckets = {1, 2}, .sum = 3},
                         (const char *const *)labels);
    for (enum metric_format format = METRIC_FORMAT_TEXT; format <= METRIC_FORMAT_OPENMETRICS; format++) {
        struct buffer text = {0};
        must(metric_text_write(samples, format, &text));
        check(buffer_bytes(&text), format);
        buffer_clear(&text);
    }
    for (size_t i = 0; i < 4; i++) {
        free(labels[i]);
    }
    metric_samples_free(samples);
    return 0;
}
