/* What many tests need for as long as they run: memory, a folder, and files in it. For the one file of a test program that has
 * its main(). */
#ifndef CRIGATE_TESTS_UNIT_FIXTURE_H
#define CRIGATE_TESTS_UNIT_FIXTURE_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes/arena.h"
#include "tests/cmocka.h"

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

/* Writes a file, anew where there is one. */
static inline void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#endif
