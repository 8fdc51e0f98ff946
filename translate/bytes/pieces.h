/* A message that lies in several pieces of memory, as transports hand it over. */
#pragma once

#include "translate/bytes/arena.h"
#include "translate/bytes/bytes.h"
#include "translate/bytes/error.h"

/* Borrowed, one after the other. */
struct pieces {
    const struct bytes *each;
    size_t count;
};

/* A message in one piece, which must stay where it is. */
static inline struct pieces pieces_of(const struct bytes *whole)
{
    return (struct pieces){.each = whole, .count = 1};
}

/* How many bytes they are together. */
size_t pieces_length(struct pieces pieces);

/* Copies them to `out`, which has room for all of them, and answers where the last one ends there. */
uint8_t *pieces_copy(struct pieces pieces, uint8_t *out);

/* Whether a message has more fields on its highest level than that: of a list, items. Stops where it has, or where the bytes are
   no message. */
bool pieces_has_more_fields(struct pieces message, size_t most);

/* A way through a message, run by run: whole fields of its highest level that lie next to each other. Where these fields are all
   repeated, as in a list, each run is a message of its own, which can be read or converted alone. */
struct pieces_runs {
    struct pieces message;
    size_t piece;
    size_t at;     /* in that piece */
    size_t left;   /* bytes of the message */
    size_t fields; /* that the runs so far have */
    struct arena *arena;
};

struct pieces_runs pieces_runs_of(struct pieces message, struct arena *arena);

/* How many runs there can be. */
static inline size_t pieces_most_runs(struct pieces message)
{
    return 2 * message.count;
}

/* The next run; an empty one at the end. What lies in one piece of memory stays there; a field that is scattered over several is
   put together in the arena. Only the highest level is looked at. false: INTERNAL for bytes that are no message,
   RESOURCE_EXHAUSTED when the arena is at its cap. */
bool pieces_next_run(struct pieces_runs *runs, struct bytes *run, struct error *error);
