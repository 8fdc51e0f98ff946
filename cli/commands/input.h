/* The input of subcommands: files, standard input, messages as JSON. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "translate/schema/schema.h"

/* Reads a whole file into the arena; "-" is standard input. false with "NAME: why". */
bool command_read_file(const char *name, struct arena *arena, struct bytes *bytes, struct error *error);

/* Encodes the message in a JSON text. false with what is wrong, and where in the message. */
bool command_read_message(const struct schema_message *message, struct bytes text, struct arena *arena, struct bytes *bytes,
                          struct error *error);
