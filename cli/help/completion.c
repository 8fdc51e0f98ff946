#include "cli/help/completion.h"

#include <stdlib.h>
#include <string.h>

#include "base/options/output.h"
#include "cli/help/bash.h"
#include "cli/help/zsh.h"

static const struct option_row rows[] = {
    {OPTION_ROW_HELP},
};

const struct command_line completion_command_line = {
    .command = "completion",
    .synopsis = "crigate completion bash|zsh",
    .about = "Prints a script that completes commands, options and their values in that shell. The names of runtimes, methods, "
             "pods\nand containers are read from this node when they are needed, if its files and sockets allow it.\n"
             "\n"
             "  bash: source <(crigate completion bash), or as a file in /usr/share/bash-completion/completions/crigate\n"
             "  zsh:  source <(crigate completion zsh) after compinit, or as a file _crigate in a folder of fpath",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .operand = COMPLETE_WORDS,
    .operand_words = "bash zsh",
    .after = "Exit status: 0 success, 64 wrong arguments.",
};

int completion_command(const struct command_table *table, int argc, char **argv)
{
    int status = options_read(&completion_command_line, NULL, argc, argv, argc);
    if (status >= 0) {
        return command_is_printed() ? status : EXIT_FAILURE;
    }
    if (argc - optind != 1) {
        return command_usage_error("completion", "name one shell, bash or zsh");
    }
    if (strcmp(argv[optind], "bash") == 0) {
        bash_print(table, stdout);
    } else if (strcmp(argv[optind], "zsh") == 0) {
        zsh_print(table, stdout);
    } else {
        return command_usage_error("completion", "there is no completion for %s, only for bash and zsh", argv[optind]);
    }
    return command_is_printed() ? EXIT_SUCCESS : EXIT_FAILURE;
}
