/* The header Accept of a scraper: any bytes give one of the two formats, and what it names decides. */
#include "core/metrics/text.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes header = bytes_of(data, size);
    enum metric_format format = metric_format_accepted(header);
    must(format == METRIC_FORMAT_TEXT || format == METRIC_FORMAT_OPENMETRICS);
    if (format == METRIC_FORMAT_OPENMETRICS) {
        must(memchr(data, '/', size) != NULL); /* nobody gets it who has not named it */
    }
    return 0;
}
