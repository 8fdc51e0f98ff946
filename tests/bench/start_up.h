/* How long a program takes from its start to its first answer. */
#pragma once

#include <json-c/json.h>

#include "tests/bench/figures.h"

/* Starts the program `rounds` times, calls Version as soon as its socket takes connections, and ends it again. Prints a row and
   adds it to `report`. False after a message on stderr. */
bool start_up_measure(struct load *load, struct start *start, size_t rounds, json_object *report);
