/* Messages in pieces, for tests: all runs at once, and whether they are the message. */
#pragma once

#include "translate/bytes/pieces.h"

/* Whether they are together the same bytes. */
static inline bool pieces_equal(struct pieces pieces, struct bytes whole)
{
    for (size_t i = 0; i < pieces.count; i++) {
        if (!bytes_start_with(whole, pieces.each[i])) {
            return false;
        }
        whole = bytes_after(whole, pieces.each[i].len);
    }
    return whole.len == 0;
}

/* All runs of a message, in an array in the arena. */
static inline bool pieces_align(struct pieces message, struct arena *room, struct pieces *aligned, struct error *error)
{
    struct pieces_runs runs = pieces_runs_of(message, room);
    struct bytes *each = arena_alloc(room, pieces_most_runs(message) * sizeof *each);
    *aligned = (struct pieces){.each = each};
    if (!each) {
        return error_no_memory(error);
    }
    struct bytes run;
    while (pieces_next_run(&runs, &run, error)) {
        if (run.len == 0) {
            return true;
        }
        each[aligned->count++] = run;
    }
    return false;
}
