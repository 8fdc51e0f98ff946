/* The command line of a service, made from the files of its unit as systemd makes it (systemd.service(5), "Command lines"), with
   the place that each byte of it came from. Pure: the caller reads the files. */
#pragma once

#include "base/bytes/error.h"
#include "node/systemd/environment_file.h"

#define COMMAND_MOST_FILES 128

/* A file with its text; the data of one that is not there are NULL. Files are numbered in this order. */
struct command_file {
    const char *path;
    struct bytes text;
    bool is_environment; /* of EnvironmentFile=, else the unit's own file or a drop-in */
};

/* A variable with the value in force: the last of EnvironmentFile=, else the last of Environment=. */
struct command_variable {
    const char *name;
    struct environment_entry entry; /* `raw_offset` and `raw_length` are 0 for one of Environment= */
    bool of_environment_file;
};

struct command {
    const struct traced_text *words; /* words[0] is the program; each origin's variable counts from 1 in `variables` */
    size_t count;
    const struct command_variable *variables;
    size_t variable_count;
    const char *const *spread; /* names of the variables that are separate words, so that words can be added to them:
                                  "KUBELET_EXTRA_ARGS"; also of those without a value */
    size_t spread_count;
    const char *file; /* with ExecStart=, and its line */
    unsigned line;
    const char
        *unclear; /* what may make the words others than these: "/etc/kubelet.service:5 has the specifier %m"; NULL: nothing */
};

/* Puts the command line of the service `unit` ("kubelet.service") together from its file, which comes first, its drop-ins and its
   environment files, in the order in which they apply. INVALID_ARGUMENT with file and line for a line that systemd would refuse,
   or a unit with no ExecStart= or with several. */
bool command_read(const char *unit, const struct command_file *files, size_t count, struct arena *arena, struct command *command,
                  struct error *error);

/* The variable of that name in force, or NULL. */
const struct command_variable *command_variable(const struct command *command, const char *name);
