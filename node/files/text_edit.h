/* Edits of configuration files that keep every other byte: what is replaced is a run of bytes whose place a reader found. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

/* A run of bytes in a file. */
struct text_place {
    const char *file; /* absolute path; NULL: nowhere */
    size_t offset;
    size_t length;
    unsigned line; /* from 1 */
};

/* The text with `length` bytes from `offset` replaced. Lives in the arena, followed by a NUL that does not count; no data: no
   memory, or the text has no such bytes. */
struct bytes text_replace(struct bytes text, size_t offset, size_t length, struct bytes by, struct arena *arena);

/* Prints the difference of two texts in unified form, with three lines around each change, as `diff -u` does, without times;
   nothing for equal ones. `name` is in both headings. Control characters other than tabs, and bytes that are not UTF-8, are shown
   as "?", the user name and password of a URL, and values of settings that are secret by their name (setting_secret.h), as
   "(hidden)"; a line that is longer than 4 KiB is cut. An absent text (data NULL) is /dev/null. */
void text_diff_print(const char *name, struct bytes before, struct bytes after, FILE *out);
