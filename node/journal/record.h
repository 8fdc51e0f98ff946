/* What a journal holds, and its form in a file: JSON with a checksum of its own. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "node/files/attributes.h"
#include "node/journal/digest.h"

enum install_phase {
    INSTALL_NONE,       /* nothing of ours is on the node */
    INSTALL_INSTALLING, /* an install was interrupted: it is undone before anything else */
    INSTALL_INSTALLED,
    INSTALL_REMOVING, /* an uninstall was interrupted: it is continued */
    INSTALL_PHASE_COUNT,
};

/* A file that was changed, or is about to be: a step is written, and synced, before the file is touched. */
struct journal_file {
    const char *path;
    bool existed; /* before */
    bool exists;  /* after */
    struct bytes before;
    struct bytes after;
    struct stat status; /* owner, mode and times before */
    const char *why;
};

#define RECORD_MOST_FACTS 32
#define RECORD_MOST_FILES 32
#define RECORD_MOST_EARLIER 8

struct recorded_fact {
    const char *name;
    const char *value;
};

/* A file of the journal. Its texts are in copies, files whose names have its number. */
struct recorded_file {
    struct journal_file file;
    struct file_attributes attributes; /* before */
    unsigned number;                   /* from 1 */
    unsigned folders;                  /* how many were made for it */
    struct digest before, after;
    struct digest earlier[RECORD_MOST_EARLIER]; /* other texts that crigate gave it */
    size_t earlier_count;
};

struct record {
    enum install_phase phase;
    unsigned last_number; /* no number is used twice */
    struct recorded_fact facts[RECORD_MOST_FACTS];
    size_t fact_count;
    struct recorded_file files[RECORD_MOST_FILES];
    size_t file_count;
};

/* The record as a text in the arena, without the texts of its files. */
bool record_encode(const struct record *record, struct arena *arena, struct bytes *text, struct error *error);

/* Reads such a text; strings live in the arena. false: DATA_LOSS, it is damaged; FAILED_PRECONDITION, another version of crigate
   wrote it. */
bool record_decode(struct bytes text, struct arena *arena, struct record *record, struct error *error);
