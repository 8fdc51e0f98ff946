/* Ids as container runtimes make them: 64 hexadecimal digits. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sim/simulation.h"

void id_random(char id[ID_SIZE]);

/* Always the same for the same text. */
void id_of_text(const char *text, char id[ID_SIZE]);

uint64_t hash_of_bytes(const void *data, size_t size, uint64_t seed);
