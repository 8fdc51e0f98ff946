/* list_comparison DIRECT THROUGH DIALECT ROUNDS: compares the lists of two sockets as `crigate install` does. Prints the
   difference. Exit status: 0 they are equal, else the code of the error. */
#include <stdio.h>
#include <stdlib.h>

#include "node/preflight/runtime_found.h"

int main(int argc, char **argv)
{
    enum dialect dialect;
    struct error error = {0};
    struct arena *arena = arena_new(1 << 20);
    if (argc != 5 || !arena || !dialect_from_name(bytes_of_string(argv[3]), &dialect)) {
        fputs("Usage: list_comparison DIRECT THROUGH DIALECT ROUNDS\n", stderr);
        return 64;
    }
    const struct runtime_sockets direct = {.endpoint = argv[1]};
    bool equal = runtime_lists_equal(&direct, argv[2], dialect, (unsigned)strtoul(argv[4], NULL, 10), arena, &error);
    arena_unref(arena);
    puts(equal ? "equal" : error.message);
    return equal ? 0 : (int)error.code;
}
