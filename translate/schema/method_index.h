/* Sorted indexes over the generated table of methods, for method.c alone. Generated. */
#pragma once

#include <stdint.h>

#include "generated/dialects.h"

/* A path and what it leads to. */
struct method_path {
    const char *path; /* "/runtime.v1.RuntimeService/Version" */
    uint16_t method;  /* index into methods */
    enum dialect caller;
};

/* Sorted by path, bytewise. */
extern const struct method_path method_paths[];
extern const uint16_t method_path_count;

/* Indexes into methods, sorted by the methods' names; method_count of them. */
extern const uint16_t methods_by_name[];

/* A service of a package. */
struct method_service {
    const char *prefix; /* "/runtime.v1.RuntimeService/" */
    enum dialect caller;
    uint8_t service; /* enum service */
};

extern const struct method_service method_services[];
extern const uint16_t method_service_count;
