/* A script of a shell that is one simple command, such as "exec kubelet $ARGS >>/var/log/kubelet.log 2>&1". Pure. */
#pragma once

#include "node/systemd/command.h"

struct shell_command {
    const struct traced_text *words; /* without "exec" and redirections */
    size_t count;
    const char *const *spread; /* names of variables that are separate words, without quotes */
    size_t spread_count;
    const char *strange; /* what is not read, in words: "a command substitution"; then the rest is empty. NULL: nothing */
};

/* Reads the script as a shell does that has the variables of `command` in its environment. The bytes keep their places. false:
   out of memory. */
bool shell_read(const struct command *command, struct traced_text script, struct arena *arena, struct shell_command *read,
                struct error *error);
