/* translate/methods.yaml, read, and held against the RPCs of the dialects. Its head comment says what the words mean. */
#ifndef CRIGATE_CODEGEN_METHODS_H
#define CRIGATE_CODEGEN_METHODS_H

#include <stddef.h>
#include <stdint.h>

#include "codegen/document.h"
#include "codegen/mistakes.h"
#include "codegen/rules.h"
#include "codegen/schema_load.h"

#define PEEK_DEPTH 4

/* The places as the file spells them. */
enum place_word {
    PLACE_POD,
    PLACE_CONTAINER,
    PLACE_IMAGE,
    PLACE_SANDBOX,
    PLACE_HANDLER,
    PLACE_VERBOSE,
    PLACE_COUNT,
};

/* On which occasions crigate looks further than the runtime's first answer, as the file spells them. */
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
    int log_level;
    const char *list;                         /* of a streamed list: the row that answers the same at once, or NULL */
    const char *places[PLACE_COUNT];          /* "filter.id", or NULL */
    const char *compositions[OCCASION_COUNT]; /* "runtime_config", or NULL */
    const char *without;                      /* what the lack of it means, for people; or NULL */
    struct place place;
};

struct methods {
    const char *file;
    size_t count;
    struct method_row *rows;
};

struct peek_numbers {
    uint8_t depth; /* 0: no such place */
    uint8_t numbers[PEEK_DEPTH];
};

/* Reads the table; what is wrong with its form is told as mistakes. The texts stay the document's. */
void methods_read(struct document *document, struct methods *methods);

/* Tells where table and dialects disagree: RPCs without a row, rows without an RPC, places that do not exist, a route or a merge
   that cannot be. `rules` tells which fields are names. */
void methods_check(const struct methods *methods, const struct schema *schema, const struct rules *rules);

/* For methods_check: whether the row and the list that it names go together. */
void methods_check_list(const struct methods *methods, const struct method_row *row, const struct schema *schema);

/* The chain of numbers of a place such as "filter.id" in a message; when `last` is not NULL, it is the field at its end.
   Depth 0 when the message has no such place. */
struct peek_numbers methods_resolve(const struct message *request, const char *path, const struct field **last);

/* The RPC of a row in the newest dialect that has it, or NULL. */
const struct rpc *methods_newest(const struct method_row *row, const struct schema *schema);

#endif
