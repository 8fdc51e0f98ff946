#include "base/system/keyed_hash.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define WORD 8

struct state {
    uint64_t a;
    uint64_t b;
    uint64_t c;
    uint64_t d;
};

static inline uint64_t rotated(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static inline void mix(struct state *state)
{
    state->a += state->b;
    state->c += state->d;
    state->b = rotated(state->b, 13) ^ state->a;
    state->d = rotated(state->d, 16) ^ state->c;
    state->a = rotated(state->a, 32);
    state->c += state->b;
    state->a += state->d;
    state->b = rotated(state->b, 17) ^ state->c;
    state->d = rotated(state->d, 21) ^ state->a;
    state->c = rotated(state->c, 32);
}

static inline void take_word(struct state *state, uint64_t word)
{
    state->d ^= word;
    mix(state);
    mix(state);
    state->a ^= word;
}

static inline uint64_t whole_word_at(const uint8_t *data)
{
    uint64_t word;
    memcpy(&word, data, sizeof word);
    return le64toh(word);
}

/* Up to eight bytes, lowest first. */
static inline uint64_t word_at(const uint8_t *data, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++) {
        word |= (uint64_t)data[i] << (8 * i);
    }
    return word;
}

struct hash_key hash_key_random(void)
{
    struct hash_key key = {0};
    if (getrandom(&key, sizeof key, 0) != (ssize_t)sizeof key) {
        abort();
    }
    return key;
}

uint64_t keyed_hash(const struct hash_key *key, struct bytes bytes)
{
    /* The constants spell "somepseudorandomlygeneratedbytes", as the algorithm's definition has it. */
    struct state state = {
        .a = key->halves[0] ^ 0x736f6d6570736575,
        .b = key->halves[1] ^ 0x646f72616e646f6d,
        .c = key->halves[0] ^ 0x6c7967656e657261,
        .d = key->halves[1] ^ 0x7465646279746573,
    };
    size_t rest = bytes.len % WORD;
    size_t whole = bytes.len - rest;
    for (size_t i = 0; i < whole; i += WORD) {
        take_word(&state, whole_word_at(bytes.data + i));
    }
    uint64_t last = rest ? word_at(bytes.data + whole, rest) : 0;
    take_word(&state, last | (uint64_t)bytes.len << 56);
    state.c ^= 0xFF;
    for (int i = 0; i < 4; i++) {
        mix(&state);
    }
    return state.a ^ state.b ^ state.c ^ state.d;
}
