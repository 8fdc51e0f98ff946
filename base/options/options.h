/* The options of crigate and its subcommands as tables: getopt_long, --help and the completion of shells all read them, so none
   of these can lack an option that another has. */
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What a shell offers for a value. */
enum option_completion {
    COMPLETE_NOTHING,
    COMPLETE_FILE,
    COMPLETE_FOLDER,
    COMPLETE_WORDS,   /* those of `words` */
    COMPLETE_RUNTIME, /* names in the runtime map */
    COMPLETE_METHOD,  /* CRI methods */
    COMPLETE_ID,      /* of a pod or container, asked live */
    COMPLETE_COMMAND, /* a subcommand */
};

struct option_row {
    int key;              /* the letter of the short option, or a number from 256 on for one without */
    const char *name;     /* "config" */
    const char *argument; /* "FILE"; NULL: the option has no value */
    const char *help;     /* is broken into lines where it is long; NULL: not shown in --help and not completed */
    enum option_completion complete;
    const char *words; /* of COMPLETE_WORDS, separated by blanks */
};

/* One subcommand, or crigate itself. */
struct command_line {
    const char *command;  /* "install"; NULL: crigate itself */
    const char *synopsis; /* what comes after "Usage: ": lines that begin with crigate, each but the last with its end */
    const char *about;    /* the lines between synopsis and options */
    const struct option_row *rows;
    size_t row_count;
    enum option_completion operand; /* what the first argument is that is no option */
    const char *operand_words;
    const char *after;                     /* after the options: exit status, signals; NULL: nothing */
    enum option_completion operands_after; /* what the other arguments are; never words */
    bool one_dash;                         /* --help and completion write "-name": for options in the style of Go */
};

/* How many rows a table may have. */
#define OPTIONS_MOST 32

struct options_reader {
    const struct command_line *line;
    int argc;
    char **argv; /* argv[0] is the name of the subcommand */
    struct option known[OPTIONS_MOST + 1];
    char letters[2 * OPTIONS_MOST + 2];
};

/* What options_next returns besides keys. */
#define OPTIONS_END (-1)
#define OPTIONS_WRONG '?' /* the mistake was printed; exit with EX_USAGE */

/* Starts anew whatever else has used getopt before. The reader borrows `line` and `argv`. */
void options_begin(struct options_reader *reader, const struct command_line *line, int argc, char **argv);

/* The key of the next option; `value` gets its value, NULL for one without. Options may be shortened as far as they are clear,
   and may come behind operands, up to "--". After OPTIONS_END, operands begin at argv[optind]. OPTIONS_WRONG: "crigate install:
   unknown option --dry-rum; did you mean --dry-run? See crigate install --help" or the like was printed on standard error. */
int options_next(struct options_reader *reader, const char **value);

/* Prints what --help prints: "Usage: " and the synopsis, the lines about the command, a line or more for each option, and what
   comes after. */
void options_print_help(const struct command_line *line, FILE *out);

/* The name among `count` that a mistyped one most likely means, or NULL. If none is near, it is the only one that begins so. */
const char *options_did_you_mean(const char *typed, const char *const *names, size_t count);
