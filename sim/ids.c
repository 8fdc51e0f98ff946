#include "sim/ids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static void write_id(const uint64_t words[4], char id[ID_SIZE])
{
    for (size_t i = 0; i < 4; i++) {
        snprintf(id + i * 16, 17, "%016llx", (unsigned long long)words[i]);
    }
}

void id_random(char id[ID_SIZE])
{
    uint64_t words[4];
    if (getrandom(words, sizeof words, 0) != (ssize_t)sizeof words) {
        perror("crisim: getrandom");
        abort();
    }
    write_id(words, id);
}

uint64_t hash_of_bytes(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *bytes = data;
    uint64_t hash = 0xcbf29ce484222325U ^ seed;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3U;
    }
    hash ^= hash >> 32;
    hash *= 0x9e3779b97f4a7c15U;
    return hash ^ (hash >> 29);
}

void id_of_text(const char *text, char id[ID_SIZE])
{
    uint64_t words[4];
    for (uint64_t i = 0; i < 4; i++) {
        words[i] = hash_of_bytes(text, strlen(text), i * 0x632be59bd9b4e019U);
    }
    write_id(words, id);
}
