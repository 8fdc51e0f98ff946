#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/metrics/text.h"

/* One part of a header's value. */
static struct bytes trim(struct bytes part)
{
    while (part.len > 0 && (part.data[0] == ' ' || part.data[0] == '\t')) {
        part = bytes_of(part.data + 1, part.len - 1);
    }
    while (part.len > 0 && (part.data[part.len - 1] == ' ' || part.data[part.len - 1] == '\t')) {
        part.len--;
    }
    return part;
}

/* Takes what is before the separator, and the separator. */
static struct bytes take_part(struct bytes *rest, char separator)
{
    const uint8_t *end = rest->len > 0 ? memchr(rest->data, separator, rest->len) : NULL;
    size_t len = end ? (size_t)(end - rest->data) : rest->len;
    struct bytes part = bytes_of(rest->data, len);
    size_t taken = end ? len + 1 : len;
    *rest = bytes_of(rest->data + taken, rest->len - taken);
    return trim(part);
}

static bool is(struct bytes part, const char *text)
{
    return part.len == strlen(text) && strncasecmp((const char *)part.data, text, part.len) == 0;
}

static bool begins(struct bytes part, const char *text)
{
    return part.len >= strlen(text) && strncasecmp((const char *)part.data, text, strlen(text)) == 0;
}

/* Thousandths, of "0.5", "1", "0.25"; what is not of that form is 0: not wanted. */
static unsigned weight_of(struct bytes text)
{
    unsigned weight = text.len > 0 && text.data[0] == '1' ? 1000 : 0;
    unsigned worth = 100;
    if (text.len == 0 || text.len > 5 || (text.data[0] != '0' && text.data[0] != '1') || (text.len > 1 && text.data[1] != '.')) {
        return 0;
    }
    for (size_t i = 2; i < text.len; i++) {
        if (!isdigit(text.data[i])) {
            return 0;
        }
        weight += (unsigned)(text.data[i] - '0') * worth;
        worth /= 10;
    }
    return weight > 1000 ? 0 : weight;
}

/* Reads the parameters of a media range: its weight; 0 for a version of OpenMetrics that we do not write. */
static unsigned read_parameters(struct bytes rest, bool openmetrics)
{
    unsigned weight = 1000;
    bool known = true;
    while (rest.len > 0) {
        struct bytes parameter = take_part(&rest, ';');
        if (begins(parameter, "q=")) {
            weight = weight_of(bytes_of(parameter.data + 2, parameter.len - 2));
        } else if (openmetrics && begins(parameter, "version=")) {
            struct bytes version = bytes_of(parameter.data + 8, parameter.len - 8);
            known = is(version, "1.0.0") || is(version, "\"1.0.0\"");
        }
    }
    return known ? weight : 0;
}

enum metric_format metric_format_accepted(struct bytes accept)
{
    unsigned openmetrics = 0, text = 0;
    while (accept.len > 0) {
        struct bytes range = take_part(&accept, ',');
        struct bytes type = take_part(&range, ';');
        if (is(type, "application/openmetrics-text")) {
            unsigned weight = read_parameters(range, true);
            openmetrics = weight > openmetrics ? weight : openmetrics;
        } else if (is(type, "text/plain")) {
            unsigned weight = read_parameters(range, false);
            text = weight > text ? weight : text;
        }
    }
    return openmetrics > 0 && openmetrics >= text ? METRIC_FORMAT_OPENMETRICS : METRIC_FORMAT_TEXT;
}
