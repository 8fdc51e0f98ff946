/* Bytes that a test has appended to answers. */
#pragma once

#include <grpc/slice.h>
#include <stdbool.h>
#include <stddef.h>

struct appendix {
    const char *digits; /* two lowercase hex digits a byte, not terminated; borrowed */
    size_t bytes;
    unsigned copies;
};

/* Reads "HEX" or "HEX*TIMES", the value of `option`. false: the mistake was reported on stderr. */
bool appendix_parse(const char *option, const char *text, struct appendix *appendix);

/* The message with the bytes appended, as often as it says. Takes over the message's reference. */
grpc_slice appendix_add(grpc_slice message, const struct appendix *appendix);
