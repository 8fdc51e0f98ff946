/* Writes a runtime map. */
#pragma once

#include <stdio.h>

/* Writes "KEY: TEXT" and the end of the line. KEY has its indentation. Any text is safe. */
void map_text_pair(FILE *out, const char *key, const char *text);

/* Writes the keys `listen` and `state` for a socket. The state folder is beside the socket and named like it, without ".sock" or,
   if that is missing, with ".state". So two gateways with two sockets have two folders. */
void map_text_listen(FILE *out, const char *socket);
