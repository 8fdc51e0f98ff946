/* Whether a kubelet keeps its pods when its socket leads straight to one runtime. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "node/kubelet/kubelet.h"
#include "node/preflight/runtime_found.h"

#define BYPASS_REASONS_MOST 24

/* Another runtime than the one that stays. */
struct bypass_other {
    const char *name;
    bool counted; /* false: it could not be asked, and crigate does not know either */
    size_t pods;
};

struct bypass_facts {
    const char *link;                   /* the path that becomes a link */
    const char *target;                 /* the socket where it will lead */
    const struct runtime_found *direct; /* what listens there */
    const char *map_problem;            /* NULL: the runtime map could be read, and the next five are from there */
    bool in_map;                        /* the target is one of its runtimes */
    bool plain_ids;
    bool images_elsewhere;         /* its images have a socket of their own */
    bool hooks;                    /* plugins are called */
    const char *callers;           /* "1.10": the kubelet needs crigate to mask paths of containers; NULL: no */
    const struct kubelet *kubelet; /* NULL: not found */
    const char *kubelet_problem;   /* then: why */
    const char *kubelet_path;      /* the path of its runtime endpoint */
    bool kubelet_elsewhere;        /* it does not lead to `link` */
    const struct bypass_other *others;
    size_t other_count;
};

struct bypass_judgement {
    const char *refusals[BYPASS_REASONS_MOST]; /* why the kubelet would stop or lose pods */
    size_t refusal_count;
    const char *warnings[BYPASS_REASONS_MOST]; /* what changes, or could not be checked */
    size_t warning_count;
    bool vain; /* a refusal that --force does not override: nothing would be bypassed, or the kubelet would certainly stop */
};

/* Texts live in the arena, or where the facts are. */
void bypass_judge(const struct bypass_facts *facts, struct arena *arena, struct bypass_judgement *judgement);
