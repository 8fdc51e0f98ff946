/* What many tests need for as long as they run: memory, and a folder. For the one file of a test program that has its main(). */
#ifndef CRIGATE_TESTS_UNIT_FIXTURE_H
#define CRIGATE_TESTS_UNIT_FIXTURE_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes/arena.h"

#define FOLDER_SIZE 64

/* Of the test that runs; see arena_begin. */
__attribute__((unused)) static struct arena *arena;

/* Setup and teardown for cmocka: `arena` is new, and so is what the test gets as its state. */
static inline int arena_begin(void **state)
{
    *state = arena = arena_new((size_t)1 << 26);
    return arena ? 0 : -1;
}

static inline int arena_end(void **state)
{
    (void)state;
    arena_unref(arena);
    return 0;
}

/* Makes an empty folder that only this user may enter. Returns 0, or -1. */
static inline int make_folder(char folder[static FOLDER_SIZE])
{
    snprintf(folder, FOLDER_SIZE, "/tmp/crigate-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

/* Removes a folder with all that is in it. Returns 0, or something else. */
static inline int remove_folder(const char *folder)
{
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
