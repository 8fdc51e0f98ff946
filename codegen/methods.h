/* The content of translate/methods.yaml. The comment at its beginning explains the words. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "codegen/document.h"
#include "codegen/mistakes.h"
#include "codegen/schema_load.h"

#define PEEK_DEPTH 4

/* The places, as the file names them. */
enum place_word {
    PLACE_POD,
    PLACE_CONTAINER,
    PLACE_IMAGE,
    PLACE_SANDBOX,
    PLACE_HANDLER,
    PLACE_VERBOSE,
    PLACE_COUNT,
};

/* The occasions on which crigate does more than pass on the runtime's first answer, as the file names them. */
enum occasion_word {
    OCCASION_COMPOSE,
    OCCASION_CONFIRM,
    OCCASION_COMPLETE,
    OCCASION_COUNT,
};

struct method_row {
    const char *service; /* "RuntimeService" */
    const char *name;
    const char *route; /* constants of translate/schema/method.h: "ROUTE_POD" */
    const char *merge;
    const char *lacking;
    const char *away;
    const char *remember;
    const char *hook; /* constant of translate/schema/hook_stage.h: "HOOK_RUN_POD" */
    int log_level;
    const char *access;                       /* ACCESS_READ or ACCESS_CHANGE */
    const char *list;                         /* of a streamed list: the row that answers the same in one message, or NULL */
    const char *places[PLACE_COUNT];          /* "filter.id", or NULL */
    const char *compositions[OCCASION_COUNT]; /* "runtime_config", or NULL */
    const char *composed_for[OCCASION_COUNT]; /* the name of the runtimes for which it is: "docker"; NULL: all */
    bool shared;                              /* equal calls that are under way share one call to a runtime */
    bool may_last;                            /* calls take as long as what they wait for: a workload, the network */
    const char *without;                      /* what it means if a dialect lacks it, for people; or NULL */
    struct place place;
};

struct methods {
    const char *file;
    size_t count;
    struct method_row *rows;
};

/* A place: its word, and the type of the field at the end of its path. */
struct method_place {
    const char *word;
    const char *type;
};

extern const struct method_place method_places[PLACE_COUNT];

struct peek_numbers {
    uint8_t depth; /* 0: no such place */
    uint8_t numbers[PEEK_DEPTH];
};

/* Reads the table and reports what is wrong with its form as mistakes. The document keeps the texts. */
void methods_read(struct document *document, struct methods *methods);

/* The row of an RPC, or NULL. */
const struct method_row *methods_row(const struct methods *methods, const char *service, const char *name);

/* The chain of field numbers of a place such as "filter.id" in a message; if `last` is not NULL, it receives the last field.
   Depth 0 if the message has no such place. */
struct peek_numbers methods_resolve(const struct message *request, const char *path, const struct field **last);

/* The RPC of a row in the newest dialect that has it, or NULL. */
const struct rpc *methods_newest(const struct method_row *row, const struct schema *schema);
