/* The numbers in the version that a runtime reports. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct version {
    uint32_t major, minor, patch;
};

/* From the first up to, but not including, the second. */
struct version_range {
    struct version from;
    struct version before;
};

/* Reads two or three numbers with dots at the beginning of the text, after a "v" or "V": "v1.6.20", "1.6.20~ds1" (Debian),
   "1.7.24-k3s1", "20.10.24+dfsg1", "2.0". Whatever follows does not count, so that a pre-release ("2.0.0-rc.1") counts as its
   release. false: there are no such numbers, one has more than nine digits, or all are 0, as in builds that know no version. */
bool version_read(const char *text, struct version *version);

bool version_is_before(const struct version *a, const struct version *b);

/* Whether it is in one of the ranges. */
bool version_is_in(const struct version *version, const struct version_range *ranges, size_t count);
