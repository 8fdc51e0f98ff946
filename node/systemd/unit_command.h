/* The command line that a unit makes of its files, with the files read. */
#pragma once

#include "node/files/node_file.h"
#include "node/files/text_edit.h"
#include "node/systemd/command.h"
#include "node/systemd/flags.h"
#include "node/systemd/systemd.h"

struct unit_command {
    const char *name; /* "kubelet.service" */
    size_t count;
    struct command_file files[COMMAND_MOST_FILES]; /* the texts in force: an editor replaces them, and calls unit_command_parse */
    struct node_file read[COMMAND_MOST_FILES];     /* as they were read; of a link, what it leads to */
    bool is_link[COMMAND_MOST_FILES];              /* the path is a symbolic link, so crigate does not edit the file */
    struct command command;   /* without a shell and a program like nice that starts it: then with the words of that */
    const char *const *words; /* of the command, as strings */
    size_t program;           /* the word that is the program: what is before it only starts that */
    struct kubelet_flags flags;
};

/* Reads the files of a unit, and makes its command line. The result lives in the arena. NULL with the failures of node_file_read
   and command_read. */
struct unit_command *unit_command_read(const struct systemd_unit *unit, struct arena *arena, struct error *error);

/* Makes the command line again. */
bool unit_command_parse(struct unit_command *unit, struct arena *arena, struct error *error);

/* Where a part of a word comes from: file and line of its first byte that is in a file, and offset and length if it is there as
   one piece (else the length is 0). `variable` gets the variable, NULL without one. The file is NULL if none of it stands in a
   file. */
struct text_place unit_command_place(const struct unit_command *unit, size_t word, size_t at, const char **variable);

/* Reads a file also through a symbolic link; `is_link` reports that. Else like node_file_read. */
bool read_through_link(const char *path, struct arena *arena, struct node_file *file, bool *is_link, struct error *error);
