/* `crigate explain`: what becomes of calls between two dialects, and of one given request. Needs no running crigate. */
#ifndef CRIGATE_COMMANDS_EXPLAIN_H
#define CRIGATE_COMMANDS_EXPLAIN_H

/* The exit statuses of the subcommand. With a request they tell what becomes of it; without one, EXPLAIN_WHOLE. EX_USAGE (64) for
   wrong arguments, or a request that is not one. */
enum explain_status {
    EXPLAIN_WHOLE = 0,
    EXPLAIN_LOSS = 1,
    EXPLAIN_REFUSED = 2,
};

/* Runs the subcommand; argv[0] is its name, what follows are its arguments. The exit status of the process. */
int explain_command(int argc, char **argv);

#endif
