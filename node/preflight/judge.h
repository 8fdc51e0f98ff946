/* Whether crigate can be installed on a node. Pure. */
#pragma once

#include "node/preflight/survey.h"

/* The values are exit statuses. */
enum fitness {
    FIT = 0,
    FIT_WITH_WARNINGS = 1,
    NOT_POSSIBLE = 2,
};

#define REMARKS_MOST 32

struct remarks {
    const char *lines[REMARKS_MOST];
    size_t count;
};

struct judgement {
    struct remarks reasons;  /* why it is not possible */
    struct remarks warnings; /* what goes wrong, or may */
    struct remarks notes;    /* what is good to know */
};

/* Judges what was seen. The lines live in the arena. */
void judge(const struct survey *survey, struct arena *arena, struct judgement *judgement);

/* Not possible with any reason, else by whether there are warnings. */
enum fitness judgement_fitness(const struct judgement *judgement);

/* "fit", "fit, with warnings: …", "not possible: …", with the warnings or reasons after one another. In the arena. */
const char *judgement_verdict(const struct judgement *judgement, struct arena *arena);
