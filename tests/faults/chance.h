/* Random numbers that a seed determines; one generator a thread. */
#pragma once

#include <stdint.h>

struct chance {
    uint64_t state;
};

/* splitmix64 */
static inline uint64_t chance_next(struct chance *chance)
{
    uint64_t mixed = chance->state += 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
}

/* From 0 to `end`, without it. */
static inline unsigned chance_below(struct chance *chance, unsigned end)
{
    return (unsigned)(chance_next(chance) % end);
}
