/* A message in several pieces of memory, as transports deliver it. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

/* Borrowed, in order. */
struct pieces {
    const struct bytes *each;
    size_t count;
};

/* A message in one piece. `piece` must not move. */
static inline struct pieces pieces_of(const struct bytes *whole)
{
    return (struct pieces){.each = whole, .count = 1};
}

/* The total number of bytes. */
size_t pieces_length(struct pieces pieces);

/* Copies them to `out`, which must have room for all of them. Returns the end of the copy. */
uint8_t *pieces_copy(struct pieces pieces, uint8_t *out);

/* Whether a message has more than that number of fields at its top level: in a list, items. Stops counting there, or at malformed
   bytes. */
bool pieces_has_more_fields(struct pieces message, size_t most);

/* Iterates over a message, run by run: whole top-level fields that are adjacent in memory. If all these fields are repeated, as
   in a list, each run is a message of its own, which can be read or converted alone. */
struct pieces_runs {
    struct pieces message;
    size_t piece;
    size_t at;     /* in that piece */
    size_t left;   /* bytes of the message */
    size_t fields; /* that the runs so far have */
    struct arena *arena;
};

struct pieces_runs pieces_runs_of(struct pieces message, struct arena *arena);

/* The largest possible number of runs. */
static inline size_t pieces_most_runs(struct pieces message)
{
    return 2 * message.count;
}

/* The next run; an empty one at the end. A run in one piece of memory is not copied; a field that is split over several pieces is
   joined in the arena. Reads the top level only. false: INTERNAL for bytes that are not a message, RESOURCE_EXHAUSTED if the
   arena is at its cap. */
bool pieces_next_run(struct pieces_runs *runs, struct bytes *run, struct error *error);
