/* `crigate complete KIND [WORD]...`: what the completion of shells asks for names that only a node knows. Not meant to be typed.
 */
#pragma once

/* Runs the subcommand; argv[0] is its name. KIND is `runtime`, `method` or `id`; the WORDs are the command line so far, without
   `crigate`, from which it takes --config, --endpoint, --api and --from. Prints one name a line on standard output, and nothing
   else, whatever fails. It ends within half a second, and always with EXIT_SUCCESS. Changes nothing, and needs only the
   privileges that the files and sockets require. */
int live_command(int argc, char **argv);
