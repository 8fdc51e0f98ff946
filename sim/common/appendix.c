#include "sim/common/appendix.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/options.h"

bool appendix_parse(const char *option, const char *text, struct appendix *appendix)
{
    const char *times = strchr(text, '*');
    *appendix = (struct appendix){.digits = text, .bytes = strspn(text, "0123456789abcdef") / 2, .copies = 1};
    if (appendix->bytes == 0 || appendix->bytes * 2 != strcspn(text, "*")) {
        return option_wrong(option, text, "METHOD=HEX or METHOD=HEX*TIMES");
    }
    return !times || option_unsigned(option, times + 1, &appendix->copies);
}

grpc_slice appendix_add(grpc_slice message, const struct appendix *appendix)
{
    size_t size = GRPC_SLICE_LENGTH(message), more = appendix->bytes * appendix->copies;
    grpc_slice whole = grpc_slice_malloc(size + more);
    uint8_t *out = GRPC_SLICE_START_PTR(whole);
    memcpy(out, GRPC_SLICE_START_PTR(message), size);
    for (size_t i = 0; i < more; i++) {
        char digits[3];
        snprintf(digits, sizeof digits, "%.2s", appendix->digits + 2 * (i % appendix->bytes));
        out[size + i] = i < appendix->bytes ? (uint8_t)strtoul(digits, NULL, 16) : out[size + i - appendix->bytes];
    }
    grpc_slice_unref(message);
    return whole;
}
