#include "cli/help/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/options/output.h"

static const struct option_row rows[] = {
    {OPTION_ROW_HELP},
};

const struct command_line help_command_line = {
    .command = "help",
    .synopsis = "crigate help [COMMAND]",
    .about = "Prints what `crigate --help` or, with a COMMAND, `crigate COMMAND --help` prints.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .operand = COMPLETE_COMMAND,
    .after = "Exit status: 0 success, 64 wrong arguments, such as a command that does not exist.",
};

void help_print(const struct command_table *table, FILE *out)
{
    size_t column = 0;
    for (size_t i = 0; i < table->count; i++) {
        size_t width = strlen(table->commands[i].name);
        column = table->commands[i].summary && width > column ? width : column;
    }
    options_print_help(table->itself, out);
    fputs("\nCommands, each with its own --help:\n", out);
    for (size_t i = 0; i < table->count; i++) {
        if (table->commands[i].summary) {
            fprintf(out, "  %-*s  %s\n", (int)column, table->commands[i].name, table->commands[i].summary);
        }
    }
}

int help_no_command(const struct command_table *table, const char *typed)
{
    const char *meant = command_did_you_mean(table, typed);
    fputs("crigate: no command '", stderr);
    command_print_text(typed, stderr);
    if (meant) {
        fprintf(stderr, "'; did you mean '%s'? See crigate --help\n", meant);
    } else {
        fputs("'; see crigate --help\n", stderr);
    }
    return EX_USAGE;
}

int help_command(const struct command_table *table, int argc, char **argv)
{
    const struct command_line *line = NULL;
    int status = options_read(&help_command_line, NULL, argc, argv, 1);
    if (status >= 0) {
        return command_is_printed() ? status : EXIT_FAILURE;
    }
    if (optind < argc) {
        const struct command *command = command_find(table, argv[optind]);
        line = command ? command->line : NULL;
        if (!line) {
            return help_no_command(table, argv[optind]);
        }
    }
    if (line) {
        options_print_help(line, stdout);
    } else {
        help_print(table, stdout);
    }
    return command_is_printed() ? EXIT_SUCCESS : EXIT_FAILURE;
}
