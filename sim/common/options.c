#include "sim/common/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options/values.h"
#include "base/system/unix_socket.h"

/* Where the help of options begins. */
#define HELP_COLUMN 32

enum option_key { KEY_HELP = 256, KEY_VERSION, KEY_FIRST_ROW };

bool option_wrong(const char *option, const char *value, const char *right)
{
    fprintf(stderr, "%s: --%s %s: expected %s\n", program_invocation_short_name, option, value, right);
    return false;
}

bool option_unsigned(const char *option, const char *text, unsigned *number)
{
    int value;
    if (!option_number(text, 0, INT_MAX, &value)) {
        return option_wrong(option, text, "a number");
    }
    *number = (unsigned)value;
    return true;
}

static void *member_of(const struct option_row *row, void *into)
{
    return (char *)into + row->target;
}

bool option_read_flag(const struct option_row *row, const char *value, void *into)
{
    (void)value;
    *(bool *)member_of(row, into) = true;
    return true;
}

bool option_read_text(const struct option_row *row, const char *value, void *into)
{
    *(const char **)member_of(row, into) = value;
    return true;
}

bool option_read_unsigned(const struct option_row *row, const char *value, void *into)
{
    return option_unsigned(row->name, value, member_of(row, into));
}

bool option_read_address(const struct option_row *row, const char *value, void *into)
{
    const char *path = unix_socket_path(value);
    *(const char **)member_of(row, into) = path;
    return (path != value && *path == '/') || option_wrong(row->name, value, "unix:///absolute/path");
}

bool option_read_word(const struct option_row *row, const char *value, void *into)
{
    char right[128];
    snprintf(right, sizeof right, "one of: %s", row->words);
    return option_word(value, row->words, member_of(row, into)) || option_wrong(row->name, value, right);
}

static void print_help(const struct option_table *table)
{
    fputs(table->about, stdout);
    for (const struct option_row *row = table->rows; row < table->rows + table->count; row++) {
        int width = printf("  --%s%s%s", row->name, row->argument ? " " : "", row->argument ? row->argument : "");
        for (const char *line = row->help; *line; line += strspn(line, "\n")) {
            size_t length = strcspn(line, "\n");
            printf("%*s%.*s\n", HELP_COLUMN - (line == row->help ? width : 0), "", (int)length, line);
            line += length;
        }
    }
    printf("  --help, --version\n%s", table->after ? table->after : "");
}

int options_read(const struct option_table *table, int argc, char **argv, void *into)
{
    struct option known[OPTION_ROWS_MOST + 3] = {{"help", no_argument, NULL, KEY_HELP},
                                                 {"version", no_argument, NULL, KEY_VERSION}};
    if (table->count > OPTION_ROWS_MOST) {
        abort();
    }
    for (size_t i = 0; i < table->count; i++) {
        const struct option_row *row = &table->rows[i];
        known[2 + i] = (struct option){row->name, row->argument ? required_argument : no_argument, NULL, KEY_FIRST_ROW + (int)i};
    }
    int key;
    while ((key = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (key == KEY_HELP) {
            print_help(table);
            return EXIT_SUCCESS;
        }
        if (key == KEY_VERSION) {
            printf("%s " CRIGATE_VERSION "\n", program_invocation_short_name);
            return EXIT_SUCCESS;
        }
        const struct option_row *row = &table->rows[key - KEY_FIRST_ROW];
        if (key < KEY_FIRST_ROW || !row->read(row, optarg, into)) {
            return OPTIONS_WRONG; /* getopt has reported an option that does not exist */
        }
    }
    if (argc - optind == table->operands) {
        return -1;
    }
    const char *extra = argc - optind > table->operands ? argv[optind + table->operands] : NULL;
    fprintf(stderr, "%s: %s%s; see --help\n", program_invocation_short_name, extra ? extra : "",
            extra ? ": not an option" : "a word is missing after the options");
    return OPTIONS_WRONG;
}
