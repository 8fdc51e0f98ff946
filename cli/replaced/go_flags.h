/* Options in the style of programs in Go: one dash or two, -NAME VALUE or -NAME=VALUE, and switches, which have a value only
   after
   "=". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum go_flag_kind {
    GO_FLAG_TEXT,   /* has a value */
    GO_FLAG_SWITCH, /* true or false, in the spellings of Go; without a value it is true */
};

/* What happens to an option. */
enum go_flag_use {
    GO_FLAG_USED,
    GO_FLAG_IGNORED, /* accepted, with a warning in the log */
    GO_FLAG_GONE,    /* an error: `note` says what replaces it */
};

struct go_flag {
    const char *name;
    enum go_flag_kind kind;
    enum go_flag_use use;
    const char *value; /* the default; for a switch "true" or "false". NULL for what is not used */
    const char *note;  /* only for GO_FLAG_GONE */
};

/* Options that belong together, and their values, one for each; those of switches become "true" or "false". */
struct go_flag_set {
    const struct go_flag *flags;
    size_t count;
    const char **values;
};

/* Fills the values of all sets: defaults, then what the arguments after argv[0] say. -v4 means -v=4. Values borrow from `flags`
   and `argv`. -1 to continue, else the exit status, after the mistake was printed for the subcommand `program`. */
int go_flags_read(const char *program, const struct go_flag_set *sets, size_t count, int argc, char **argv);
