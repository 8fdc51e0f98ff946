/* Finds again what was remembered last, by a hash: of a bounded number of things, the oldest of which is forgotten for a new one.
   The things themselves are the user's, in an array: here are only their places in it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct recent {
    size_t capacity; /* places, a power of two */
    size_t next;     /* things that were added so far */
    struct recent_place {
        uint64_t hash;
        uint32_t newer_than; /* the next one of the same chain, and 1; 0: none */
        uint32_t chain;      /* the newest one of the chain of that number, likewise */
    } * places;
};

/* No place. */
#define RECENT_NONE SIZE_MAX

/* `capacity` is a power of two, at most 2^31. false: out of memory. */
static inline bool recent_init(struct recent *recent, size_t capacity)
{
    *recent = (struct recent){.capacity = capacity, .places = calloc(capacity, sizeof *recent->places)};
    return recent->places != NULL;
}

static inline void recent_clear(struct recent *recent)
{
    free(recent->places);
    *recent = (struct recent){0};
}

static inline uint32_t *recent_chain(const struct recent *recent, uint64_t hash)
{
    return &recent->places[hash & (recent->capacity - 1)].chain;
}

/* The places that may have the thing with that hash: few, however many there are. RECENT_NONE after the last. */
static inline size_t recent_first(const struct recent *recent, uint64_t hash)
{
    return (size_t)*recent_chain(recent, hash) - 1;
}

static inline size_t recent_next(const struct recent *recent, size_t place)
{
    return (size_t)recent->places[place].newer_than - 1;
}

/* A place for a new thing: one that was free, or the oldest thing's. */
static inline size_t recent_add(struct recent *recent, uint64_t hash)
{
    size_t place = recent->next & (recent->capacity - 1);
    if (recent->next++ >= recent->capacity) {
        uint32_t *link = recent_chain(recent, recent->places[place].hash);
        while (*link != place + 1) {
            link = &recent->places[*link - 1].newer_than;
        }
        *link = recent->places[place].newer_than;
    }
    uint32_t *chain = recent_chain(recent, hash);
    recent->places[place].hash = hash;
    recent->places[place].newer_than = *chain;
    *chain = (uint32_t)(place + 1);
    return place;
}
