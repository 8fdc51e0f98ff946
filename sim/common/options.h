/* The options of a simulated server, or of a program for tests, as a table, which getopt_long and --help read. Mistakes are
   reported on stderr after the name of the program. Texts are borrowed from argv. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes/error.h"

/* What follows METHOD in the value of a rule, see rules.h. */
enum rule_value {
    VALUE_NONE,
    VALUE_FAILURE,            /* =CODE[:COUNT] */
    VALUE_NUMBER,             /* =NUMBER */
    VALUE_NUMBER_OR_NONE,     /* [=NUMBER] */
    VALUE_NUMBER_AND_FAILURE, /* =NUMBER:CODE */
    VALUE_COUNT_OR_NONE,      /* [=COUNT]: how often; without it, always */
    VALUE_APPENDIX,           /* =HEX[*TIMES] */
    VALUE_FILE,               /* =FILE */
};

struct option_row;

/* Reads an option, whose value is NULL if it has none, into what options_read is given. false: it has reported a mistake. */
typedef bool option_reader(const struct option_row *row, const char *value, void *into);

struct option_row {
    const char *name;      /* "listen" */
    const char *argument;  /* "unix:///PATH"; NULL: the option has no value */
    const char *help;      /* "\n" begins another line of it */
    option_reader *read;   /* one of the macros below, or the program's own */
    size_t target;         /* the offset of the member for the value; else as the reader wants it */
    const char *words;     /* those of OPTION_WORD, separated by spaces */
    enum rule_value value; /* of a rule */
};

/* The offset of a member; does not compile for one of another type. */
#define OPTION_MEMBER(member_type, type, member) _Generic(((type *)NULL)->member, member_type : offsetof(type, member))

/* The end of a row: how its value is read into which member of which struct. */
#define OPTION_FLAG(type, member) .read = option_read_flag, .target = OPTION_MEMBER(bool, type, member)
#define OPTION_TEXT(type, member) .read = option_read_text, .target = OPTION_MEMBER(const char *, type, member)
#define OPTION_UNSIGNED(type, member) .read = option_read_unsigned, .target = OPTION_MEMBER(unsigned, type, member)
#define OPTION_ADDRESS(type, member) .read = option_read_address, .target = OPTION_MEMBER(const char *, type, member)
#define OPTION_WORD(type, member, of_words)                                                                                      \
    .read = option_read_word, .target = OPTION_MEMBER(unsigned, type, member), .words = of_words

option_reader option_read_flag;     /* bool: becomes true */
option_reader option_read_text;     /* const char * */
option_reader option_read_unsigned; /* unsigned: a decimal number from 0 to INT_MAX */
option_reader option_read_address;  /* const char *: the path in unix:///absolute/path */
option_reader option_read_word;     /* unsigned, or an enum: which one of `words`, from 0 on */

/* How many rows a table may have. */
#define OPTION_ROWS_MOST 64

struct option_table {
    const char *about; /* the lines before the options in --help */
    const struct option_row *rows;
    size_t count;
    const char *after; /* the lines after them; NULL: none */
    int operands;      /* how many words follow the options: from argv[optind] on */
};

/* The exit status after a mistake. */
#define OPTIONS_WRONG 2

/* Reads all options. -1 to go on, else the exit status: --help, --version or a mistake was printed. */
int options_read(const struct option_table *table, int argc, char **argv, void *into);

/* Reports that `option` has this value instead of what is `right`, and returns false. */
bool option_wrong(const char *option, const char *value, const char *right);

/* A decimal number from 0 to INT_MAX. false: reported. */
bool option_unsigned(const char *option, const char *text, unsigned *number);
