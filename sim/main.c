/* The simulated runtime: a CRI server that keeps everything in memory, for tests, the bench and the demo. See docs/crisim.md. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/common/journal_line.h"
#include "sim/common/memory.h"
#include "sim/server.h"

static int run(struct options *options, FILE *journal, FILE *event_journal)
{
    struct wishes *wishes = wishes_catch(true);
    struct cri_service *service = sim_zeroed(1, sizeof *service);
    struct error error = {0};
    bool good = service_init(service, options, &error) && server_run(service, journal, event_journal, wishes, &error);
    if (!good) {
        fprintf(stderr, "crisim: %s\n", error.message);
    }
    service_clear(service);
    free(service);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* NULL, with `good` unchanged, if no journal is wanted. */
static FILE *open_journal(const char *path, bool *good)
{
    FILE *journal = path ? journal_open(path) : NULL;
    *good = *good && (journal || !path);
    return journal;
}

static int open_and_run(struct options *options)
{
    bool good = true;
    FILE *journal = open_journal(options->journal, &good);
    FILE *event_journal = open_journal(options->event_journal, &good);
    int exit_status = EXIT_FAILURE;
    if (good) {
        exit_status = run(options, journal, event_journal);
    }
    if (journal) {
        fclose(journal);
    }
    if (event_journal) {
        fclose(event_journal);
    }
    return exit_status;
}

int main(int argc, char **argv)
{
    struct options options;
    int exit_status = options_parse(argc, argv, &options);
    if (exit_status < 0) {
        exit_status = open_and_run(&options);
    }
    options_clear(&options);
    return exit_status;
}
