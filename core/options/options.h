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
};

struct option_row {
    int key;              /* the letter of the short option, or a number from 256 on for one without */
    const char *name;     /* "config" */
    const char *argument; /* "FILE"; NULL: the option has no value */
    const char *help;     /* may have several lines; NULL: not shown in --help and not completed */
    enum option_completion complete;
    const char *words; /* of COMPLETE_WORDS, separated by blanks */
};

/* One subcommand, or crigate itself. */
struct command_line {
    const char *command;  /* "install"; NULL: crigate itself */
    const char *synopsis; /* lines after "Usage: " */
    const char *about;    /* the paragraph between synopsis and options */
    const struct option_row *rows;
    size_t row_count;
    enum option_completion operand; /* what arguments that are no options are */
    const char *operand_words;
    const char *after; /* after the options: exit status, signals; NULL: nothing */
};

/* The options that follow are read one by one. */
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
#define OPTIONS_WRONG                                                                                                            \
    '?' /* "crigate install: unknown option --foo; did you mean --force? See crigate install --help" was printed */

void options_begin(struct options_reader *reader, const struct command_line *line, int argc, char **argv);

/* The key of the next option; `value` gets its value. After OPTIONS_END, operands begin at argv[optind]. */
int options_next(struct options_reader *reader, const char **value);

/* Prints what --help prints. */
void options_print_help(const struct command_line *line, FILE *out);

/* The name among `count` that a mistyped one most likely means, or NULL. */
const char *options_did_you_mean(const char *typed, const char *const *names, size_t count);
