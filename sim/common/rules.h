/* Misbehaviour that a test requests of one method, or of all: "--fail ListContainers=UNAVAILABLE:2". */
#pragma once

#include "base/bytes/error.h"
#include "sim/common/appendix.h"
#include "sim/common/options.h"

struct rule {
    const void *method; /* by its address; NULL: all */
    size_t kind;        /* of the server's own kinds */
    long times;         /* still to come; negative: always */
    enum status_code code;
    unsigned number;
    struct appendix appendix;
    const char *file;
};

/* Zero-initialised are none. */
struct rules {
    struct rule *list;
    size_t count;
};

/* The length of METHOD in the value of a rule's option. */
size_t rule_method_length(const char *text);

/* Adds a rule for the method with the kind that the row has as its target, and the value in `text`, "METHOD" or "METHOD=VALUE".
   false: it has reported a mistake. */
bool rules_add(struct rules *rules, const struct option_row *row, const void *method, const char *text);

void rules_clear(struct rules *rules);

/* The rule of that kind for the method, or NULL; counts as one use of it. */
struct rule *rules_use(struct rules *rules, const void *method, size_t kind);
