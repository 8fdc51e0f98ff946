/* The options of crigate and its subcommands as tables: getopt_long, --help and the completion of shells all read them, so none
   of these can lack an option that another has. */
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

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

/* What becomes of an option that was given. */
enum option_kind {
    OPTION_KIND_OWN,    /* the command does it, see options_next */
    OPTION_KIND_HELP,   /* --help is printed */
    OPTION_KIND_FLAG,   /* bool: becomes true */
    OPTION_KIND_TEXT,   /* const char *: borrowed from argv */
    OPTION_KIND_WORD,   /* unsigned, or an enum: which one of `words`, from 0 on */
    OPTION_KIND_NUMBER, /* int */
    OPTION_KIND_PID,    /* pid_t */
    OPTION_KIND_TIME,   /* unsigned: milliseconds */
    OPTION_KIND_SOCKET, /* const char *: a path, without a scheme */
};

struct option_row {
    int key;              /* the letter of the short option, or a number from 256 on for one without */
    const char *name;     /* "config" */
    const char *argument; /* "FILE"; NULL: the option has no value */
    const char *help;     /* is broken into lines where it is long; NULL: not shown in --help and not completed */
    enum option_completion complete;
    const char *words; /* of COMPLETE_WORDS, separated by spaces */

    /* One of the macros below sets these. */
    enum option_kind kind;
    size_t offset;     /* of the member for the value, in the struct that options_begin or options_read is given */
    const char *wrong; /* what is printed in front of a value that is not of the kind: "the output must be text or json" */
    int least, most;   /* of a number; `least` also of a time */
};

/* The offset of a member; does not compile for one of another type. */
#define OPTION_MEMBER(member_type, type, member) _Generic(((type *)NULL)->member, member_type : offsetof(type, member))

/* The end of a row: which member of which struct its value goes into. */
#define OPTION_OWN OPTION_KIND_OWN, 0, NULL, 0, 0
#define OPTION_FLAG(type, member) OPTION_KIND_FLAG, OPTION_MEMBER(bool, type, member), NULL, 0, 0
#define OPTION_TEXT(type, member) OPTION_KIND_TEXT, OPTION_MEMBER(const char *, type, member), NULL, 0, 0
#define OPTION_WORD(type, member, wrong) OPTION_KIND_WORD, OPTION_MEMBER(unsigned, type, member), wrong, 0, 0
#define OPTION_NUMBER(type, member, least, most, wrong) OPTION_KIND_NUMBER, OPTION_MEMBER(int, type, member), wrong, least, most
#define OPTION_PID(type, member)                                                                                                 \
    OPTION_KIND_PID, OPTION_MEMBER(pid_t, type, member), "the kubelet must be given by its process ID", 0, 0
#define OPTION_TIME(type, member)                                                                                                \
    OPTION_KIND_TIME, OPTION_MEMBER(unsigned, type, member),                                                                     \
        "a time must be a number above 0 followed by s or m, at most an hour", 1, 0
#define OPTION_TIME_OR_NONE(type, member)                                                                                        \
    OPTION_KIND_TIME, OPTION_MEMBER(unsigned, type, member), "a time must be a number followed by s or m, at most an hour", 0, 0
#define OPTION_SOCKET(type, member)                                                                                              \
    OPTION_KIND_SOCKET, OPTION_MEMBER(const char *, type, member),                                                               \
        "a socket must be unix:///PATH, with at most 107 characters in PATH", 0, 0

/* Rows of several commands. */
#define OPTION_ROW_HELP 'h', "help", NULL, "print this and exit", COMPLETE_NOTHING, NULL, OPTION_KIND_HELP, 0, NULL, 0, 0
#define OPTION_ROW_OUTPUT(type, member)                                                                                          \
    'o', "output", "FORMAT", "text (default) or json", COMPLETE_WORDS, "text json",                                              \
        OPTION_WORD(type, member, "the output must be text or json")

/* One subcommand, or crigate itself. */
struct command_line {
    const char *command;  /* "install"; NULL: crigate itself */
    const char *synopsis; /* what comes after "Usage: ": lines that begin with crigate, each but the last with its end */
    const char *about;    /* the lines between synopsis and options */
    const struct option_row *rows;
    size_t row_count;
    enum option_completion operand; /* what the first argument is that is not an option */
    const char *operand_words;
    const char *after;                     /* after the options: exit status, signals; NULL: nothing */
    enum option_completion operands_after; /* what the other arguments are; never words */
    bool one_dash;                         /* --help and completion write "-name": for options in the style of Go */
};

/* How many rows a table may have. */
#define OPTIONS_MOST 32

struct options_reader {
    const struct command_line *line;
    void *into;
    int argc;
    char **argv; /* argv[0] is the name of the subcommand */
    int status;  /* at OPTIONS_END: -1 to go on, else the exit status */
    struct option known[OPTIONS_MOST + 1];
    char letters[2 * OPTIONS_MOST + 2];
};

/* What options_next returns besides keys. */
#define OPTIONS_END (-1)

/* Reads all options into the struct that the targets of their rows are members of. At most `most` operands may follow, from
   argv[optind] on; argc: any number. -1 to go on, else the exit status: --help or a mistake was printed. */
int options_read(const struct command_line *line, void *into, int argc, char **argv, int most);

/* The same one by one, for a command with options of its own. Starts over, whatever else has used getopt before. The reader
   borrows `line`, `into` and `argv`. */
void options_begin(struct options_reader *reader, const struct command_line *line, void *into, int argc, char **argv);

/* The key of the next option, which is in its target by now; `value` gets its value, NULL for one without. Options may be
   shortened as far as they are clear, and may come behind operands, up to "--". After OPTIONS_END, operands begin at
   argv[optind], unless the reader's status says to exit: --help was printed, or a mistake on standard error, such as "crigate
   install: unknown option --dry-rum; did you mean --dry-run? See crigate install --help". */
int options_next(struct options_reader *reader, const char **value);

/* -1, or the exit status after it has printed which operand is too many. */
int options_check_operands(const struct command_line *line, int argc, char **argv, int most);

/* Prints what --help prints: "Usage: " and the synopsis, the lines about the command, a line or more for each option, and what
   comes after. */
void options_print_help(const struct command_line *line, FILE *out);

/* The name among `count` that a mistyped one most likely means, or NULL. If none is near, it is the only one that begins with
   what was typed. */
const char *options_did_you_mean(const char *typed, const char *const *names, size_t count);
