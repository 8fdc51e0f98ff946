/* The simulated plugin: a server of hooks, for tests. See docs/hooksim.md. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/common/journal_line.h"
#include "sim/hooks/server.h"

static int run(struct hook_options *options)
{
    FILE *journal = options->journal ? journal_open(options->journal) : NULL;
    if (options->journal && !journal) {
        return EXIT_FAILURE;
    }
    struct error error = {0};
    bool good = hook_server_run(options, journal, wishes_catch(false), &error);
    if (!good) {
        fprintf(stderr, "hooksim: %s\n", error.message);
    }
    if (journal) {
        fclose(journal);
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct hook_options options;
    int exit_status = hook_options_parse(argc, argv, &options);
    if (exit_status < 0) {
        exit_status = run(&options);
    }
    hook_options_clear(&options);
    return exit_status;
}
