/* What a merge changed, by the paths of fields. */
#pragma once

#include "base/bytes/bytes.h"

#define HOOK_CHANGES_TEXT 1024

/* What a merge changed. Zero-initialised. */
struct hook_changes {
    bool changed;
    char text[HOOK_CHANGES_TEXT];        /* the fields, with keys of maps, without values of environment variables: for the log */
    bool overwrote;                      /* some of them had been changed by a plugin before */
    char overwritten[HOOK_CHANGES_TEXT]; /* these fields */
};

/* Where a field is, from the configuration down. */
struct hook_path {
    const struct hook_path *outer; /* NULL at the top */
    const char *name;
};

#define HOOK_PATH_TEXT 256

/* Writes "linux.resources.cpu_quota", or with a key "labels[batch]". Long keys are cut; what a line of a log must not contain
   is replaced. A NULL data of the key: there is none. */
void hook_path_text(const struct hook_path *path, struct bytes key, char text[HOOK_PATH_TEXT]);

/* Adds a changed field; `overwritten` if a plugin had changed it before. A list that is full ends in "...". */
void hook_changes_add(struct hook_changes *changes, const char *field, bool overwritten);
