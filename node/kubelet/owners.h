/* Who lays out a node's kubelet: by what each of them is recognised, and what crigate does there. Data. */
#pragma once

#include "node/kubelet/kubelet.h"

enum clue_kind {
    CLUE_NONE,
    CLUE_UNIT,      /* the kubelet's unit has a name that begins with that */
    CLUE_OWN_UNIT,  /* the unit's file is in /etc */
    CLUE_READS,     /* the unit reads an environment file whose path begins with that */
    CLUE_DROP_IN,   /* the unit has a drop-in with that in its path */
    CLUE_PROGRAM,   /* the kubelet's program has that in its path */
    CLUE_STARTER,   /* a program of that name started the kubelet */
    CLUE_CONFIG,    /* the path of --config is that, or, if it ends in "/", begins with that */
    CLUE_PATH,      /* there is such a file or folder on the node */
    CLUE_UNIT_FILE, /* systemd has a unit's file of that name */
    CLUE_SYSTEM,    /* ID in /etc/os-release */
};

struct clue {
    enum clue_kind kind;
    const char *text;
};

#define OWNER_MOST_EVIDENCE 6
#define OWNER_MOST_CLUES 2
#define OWNER_MOST_PATHS 4

struct owner {
    const char *name;
    struct clue evidence[OWNER_MOST_EVIDENCE][OWNER_MOST_CLUES]; /* any row will do whose clues are all there */
    const char *why; /* of one with a way: why crigate leaves the files alone; else what to know about an edit, or NULL */
    const char *way; /* NULL: crigate edits the kubelet's files, which last. Else what to do by hand, with {endpoint}, {unit},
                        {program} and {list}, the list of arguments */
    /* What it writes again by itself: these paths, or all below one that ends in "/". Its own way does not lead there, so that a
       setting there will not last. */
    const char *writes[OWNER_MOST_PATHS];
    const char *own_endpoint; /* of the runtime that it starts by itself, unless told otherwise; NULL: none */
};

/* By kubelet_layout; the first one counts that has its evidence. */
extern const struct owner owners[KUBELET_LAYOUT_COUNT];
