/* The program on a node where no package has installed it. */
#pragma once

#include <stdbool.h>

#include "base/bytes/error.h"

/* Where the program goes, with its scripts beside it. A node that has only PACKAGED_PROGRAM keeps that, and nothing is copied. */
#define HOST_PREFIX "/opt/crigate"
#define HOST_PROGRAM HOST_PREFIX "/bin/crigate"
#define PACKAGED_PROGRAM "/usr/bin/crigate"

/* Copies the program `self`, an open file, to HOST_PROGRAM, and the scripts that it needs for upgrades beside it; each in one
   step, and only if it differs. Two processes may do so at once. false: users other than root could replace it, or the system
   refused. */
bool host_program_place(int self, struct error *error);

/* Removes what host_program_place has copied, and folders that are empty then. It is not an error if there is none. */
bool host_program_remove(struct error *error);
