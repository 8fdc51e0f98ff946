#include "base/options/options.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/options/output.h"
#include "base/options/values.h"
#include "base/system/nearest.h"

/* Values of options that have a name alone begin here: below are letters. */
#define FIRST_WITHOUT_LETTER 256

/* Where a line of --help ends at the latest, and where the help of options begins at the latest. */
#define LINE_WIDTH 118
#define MOST_COLUMN 32

static bool has_letter(const struct option_row *row)
{
    return row->key < FIRST_WITHOUT_LETTER;
}

/* ---- reading ---- */

void options_begin(struct options_reader *reader, const struct command_line *line, void *into, int argc, char **argv)
{
    *reader = (struct options_reader){.line = line, .into = into, .argc = argc, .argv = argv, .status = -1};
    if (line->row_count > OPTIONS_MOST) {
        abort(); /* a mistake in a table, not of a user */
    }
    char *letter = reader->letters;
    *letter++ = ':'; /* a missing value is reported as such */
    for (size_t i = 0; i < line->row_count; i++) {
        const struct option_row *row = &line->rows[i];
        reader->known[i] = (struct option){row->name, row->argument ? required_argument : no_argument, NULL, row->key};
        if (has_letter(row)) {
            *letter++ = (char)row->key;
        }
        if (has_letter(row) && row->argument) {
            *letter++ = ':';
        }
    }
    optind = 0; /* another command line may have been read before */
    opterr = 0;
}

static const struct option_row *row_of(const struct command_line *line, int key)
{
    for (size_t i = 0; i < line->row_count; i++) {
        if (line->rows[i].key == key) {
            return &line->rows[i];
        }
    }
    return NULL;
}

static void print_command(const struct command_line *line)
{
    fprintf(stderr, "crigate%s%s", line->command ? " " : "", line->command ? line->command : "");
}

static void print_see_help(const struct command_line *line, const char *word)
{
    fprintf(stderr, "%s ", word);
    print_command(line);
    fputs(" --help\n", stderr);
}

/* A name that getopt does not know, or that begins several. */
static void print_unknown_name(const struct command_line *line, const char *name)
{
    const char *names[OPTIONS_MOST];
    size_t count = 0, beginning = 0;
    for (size_t i = 0; i < line->row_count; i++) {
        if (line->rows[i].help) {
            names[count++] = line->rows[i].name;
            beginning += strncmp(line->rows[i].name, name, strlen(name)) == 0;
        }
    }
    if (beginning > 1) {
        fprintf(stderr, "--%s is ambiguous:", name);
        for (size_t i = 0; i < count; i++) {
            if (strncmp(names[i], name, strlen(name)) == 0) {
                beginning--;
                fprintf(stderr, " --%s%s", names[i], beginning > 1 ? "," : beginning == 1 ? " or" : "");
            }
        }
        print_see_help(line, "; see");
        return;
    }
    const char *meant = options_did_you_mean(name, names, count);
    fprintf(stderr, "unknown option --%s", name);
    if (meant) {
        fprintf(stderr, "; did you mean --%s", meant);
    }
    print_see_help(line, meant ? "? See" : "; see");
}

/* Whether the argument at which getopt stopped has that option by its name, perhaps shortened. */
static bool is_by_name(const struct options_reader *reader, const char **argument)
{
    *argument = reader->argv[optind - 1];
    return strncmp(*argument, "--", 2) == 0;
}

static void print_row(const struct option_row *row, bool by_name)
{
    if (by_name || !has_letter(row)) {
        fprintf(stderr, "--%s", row->name);
    } else {
        fprintf(stderr, "-%c", row->key);
    }
}

static void print_wrong(const struct options_reader *reader)
{
    const struct command_line *line = reader->line;
    const char *argument;
    bool by_name = is_by_name(reader, &argument);
    const struct option_row *row = optopt ? row_of(line, optopt) : NULL;
    print_command(line);
    fputs(": ", stderr);
    if (row) { /* getopt names an option that it knows if that has a value and may not have one */
        print_row(row, true);
        fputs(" takes no value", stderr);
        print_see_help(line, "; see");
    } else if (by_name && !optopt) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
        print_unknown_name(line, name);
    } else {
        fprintf(stderr, "unknown option -%c", optopt);
        print_see_help(line, "; see");
    }
}

static void print_value_missing(const struct options_reader *reader)
{
    const char *argument;
    const struct option_row *row = row_of(reader->line, optopt);
    print_command(reader->line);
    fputs(": ", stderr);
    print_row(row, is_by_name(reader, &argument));
    fprintf(stderr, " needs a value: %s", row->argument);
    print_see_help(reader->line, "; see");
}

/* false: the value is not of the kind. */
static bool put_value(const struct option_row *row, const char *value, void *into)
{
    void *member = row->kind <= OPTION_KIND_HELP ? NULL : (char *)into + row->offset;
    switch (row->kind) {
    case OPTION_KIND_OWN:
    case OPTION_KIND_HELP:
        return true;
    case OPTION_KIND_FLAG:
        *(bool *)member = true;
        return true;
    case OPTION_KIND_TEXT:
        *(const char **)member = value;
        return true;
    case OPTION_KIND_WORD:
        return option_word(value, row->words, member);
    case OPTION_KIND_NUMBER:
        return option_number(value, row->least, row->most, member);
    case OPTION_KIND_PID:
        return option_pid(value, member);
    case OPTION_KIND_TIME:
        return option_time(value, member) && *(unsigned *)member >= (unsigned)row->least;
    case OPTION_KIND_SOCKET:
        return option_socket(value, member);
    }
    return false;
}

static int stop_reading(struct options_reader *reader, int status)
{
    reader->status = status;
    return OPTIONS_END;
}

int options_next(struct options_reader *reader, const char **value)
{
    optarg = NULL;
    int key = getopt_long(reader->argc, reader->argv, reader->letters, reader->known, NULL);
    *value = optarg;
    if (key == OPTIONS_END) {
        return OPTIONS_END;
    }
    if (key == ':') {
        print_value_missing(reader);
        return stop_reading(reader, EX_USAGE);
    }
    if (key == '?') {
        print_wrong(reader);
        return stop_reading(reader, EX_USAGE);
    }
    const struct option_row *row = row_of(reader->line, key);
    if (row->kind == OPTION_KIND_HELP) {
        options_print_help(reader->line, stdout);
        return stop_reading(reader, EXIT_SUCCESS);
    }
    if (!put_value(row, *value, reader->into)) {
        return stop_reading(reader, command_usage_error(reader->line->command, "%s: %s", row->wrong, *value));
    }
    return key;
}

int options_check_operands(const struct command_line *line, int argc, char **argv, int most)
{
    return argc - optind > most ? command_usage_error(line->command, "unexpected argument: %s", argv[optind + most]) : -1;
}

int options_read(const struct command_line *line, void *into, int argc, char **argv, int most)
{
    struct options_reader reader;
    const char *value;
    options_begin(&reader, line, into, argc, argv);
    while (options_next(&reader, &value) != OPTIONS_END) {
    }
    return reader.status < 0 ? options_check_operands(line, argc, argv, most) : reader.status;
}

const char *options_did_you_mean(const char *typed, const char *const *names, size_t count)
{
    struct nearest nearest = nearest_begin(typed);
    const char *beginning = NULL;
    size_t beginnings = 0;
    for (size_t i = 0; i < count; i++) {
        nearest_add(&nearest, names[i]);
        if (*typed && strncmp(names[i], typed, strlen(typed)) == 0) {
            beginning = names[i];
            beginnings++;
        }
    }
    if (nearest.name) {
        return nearest.name;
    }
    return beginnings == 1 ? beginning : NULL;
}

/* ---- --help ---- */

static size_t row_width(const struct command_line *line, const struct option_row *row, bool letters)
{
    size_t width = letters && !line->one_dash ? strlen("  -c, ") : strlen("  ");
    width += strlen(line->one_dash ? "-" : "--") + strlen(row->name);
    return width + (row->argument ? 1 + strlen(row->argument) : 0);
}

static void print_option(const struct command_line *line, const struct option_row *row, bool letters, FILE *out)
{
    if (line->one_dash || !letters) {
        fputs("  ", out);
    } else if (has_letter(row)) {
        fprintf(out, "  -%c, ", row->key);
    } else {
        fputs("      ", out);
    }
    fprintf(out, "%s%s%s%s", line->one_dash ? "-" : "--", row->name, row->argument ? " " : "",
            row->argument ? row->argument : "");
}

/* Prints words in lines that begin at that column, where the first one is to begin, too. */
static void print_words(const char *text, size_t column, FILE *out)
{
    size_t at = column;
    while (*text) {
        size_t len = strcspn(text, " \n");
        bool new_line = at > column && at + 1 + len > LINE_WIDTH;
        if (new_line) {
            fprintf(out, "\n%*s", (int)column, "");
            at = column;
        } else if (at > column) {
            putc(' ', out);
            at++;
        }
        fwrite(text, 1, len, out);
        at += len;
        text += len;
        if (*text == '\n') {
            fprintf(out, "\n%*s", (int)column, "");
            at = column;
        }
        text += *text != '\0';
    }
    putc('\n', out);
}

static void print_rows(const struct command_line *line, FILE *out)
{
    bool letters = false;
    size_t column = 0;
    for (size_t i = 0; i < line->row_count; i++) {
        letters = letters || (line->rows[i].help && has_letter(&line->rows[i]));
    }
    for (size_t i = 0; i < line->row_count; i++) {
        size_t width = row_width(line, &line->rows[i], letters) + 2;
        column = line->rows[i].help && width > column && width <= MOST_COLUMN ? width : column;
    }
    column = column > 0 ? column : MOST_COLUMN;
    for (size_t i = 0; i < line->row_count; i++) {
        const struct option_row *row = &line->rows[i];
        if (!row->help) {
            continue;
        }
        size_t width = row_width(line, row, letters);
        print_option(line, row, letters, out);
        if (width + 2 > column) {
            fprintf(out, "\n%*s", (int)column, "");
        } else {
            fprintf(out, "%*s", (int)(column - width), "");
        }
        print_words(row->help, column, out);
    }
}

/* Prints lines, each but the first after `before`, and the end of the last one. */
static void print_lines(const char *text, const char *before, FILE *out)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        fwrite(text, 1, len, out);
        putc('\n', out);
        text += len + (text[len] == '\n');
        if (*text) {
            fputs(before, out);
        }
    }
}

void options_print_help(const struct command_line *line, FILE *out)
{
    fputs("Usage: ", out);
    print_lines(line->synopsis, "       ", out);
    if (line->about) {
        putc('\n', out);
        print_lines(line->about, "", out);
    }
    if (line->row_count > 0) {
        putc('\n', out);
        print_rows(line, out);
    }
    if (line->after) {
        putc('\n', out);
        print_lines(line->after, "", out);
    }
}
