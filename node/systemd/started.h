/* Command lines that start a program by way of others: "nice -n 5 kubelet …", "/bin/sh -c 'exec kubelet …'", "hyperkube kubelet
   …". Pure. */
#pragma once

#include "node/systemd/command.h"

/* Replaces a shell and its script ("sh -c SCRIPT", also behind programs like nice) by the words that the shell makes of it, if
   that is one simple command. false: out of memory. */
bool started_read_shell(struct command *command, struct arena *arena, struct error *error);

/* The number of the word that is the program: behind programs that only start a kubelet, or one with a kubelet in it; else 0. */
size_t started_program(const struct command *command);

/* Whether that is a kubelet: a program of that name, one with a kubelet in it such as k3s, or one whose first argument is
 * "kubelet". */
bool started_is_kubelet(const struct command *command, size_t program);

/* Sets `unclear` if it is not. false: out of memory. */
bool started_explain(struct command *command, size_t program, struct arena *arena, struct error *error);
