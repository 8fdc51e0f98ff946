/* What is known of what a runtime holds. The runtime only keeps it for as long as it lives. */
#pragma once

#include "core/store/last_known.h"
#include "core/store/list_copy.h"

struct runtime_knowledge {
    struct last_known *last_known;           /* what was last seen of it */
    uint64_t in_doubt[ID_KIND_COUNT];        /* 0, or since when (list_asked_at.asked) something may be there that is not known */
    unsigned making;                         /* calls in flight that create a pod or container */
    size_t pods;                             /* where no lists are kept: by its last list, and what was made and removed since */
    size_t refused_ids[ID_KIND_COUNT];       /* of its last list, as logged */
    struct list_copy *copies[ID_KIND_COUNT]; /* being made of a stream of its whole list */
    uint64_t saved_version;                  /* of last_known, in the state folder */
    bool save_failed;                        /* as logged */

    /* Only of a runtime whose endpoint in the map may mean several sockets; see core/knowledge/place.h. */
    bool may_hold;           /* pods that no list of this process has shown yet */
    unsigned place_making;   /* calls in flight that create a pod or container, whether or not lists are kept */
    const char *place_saved; /* the endpoint that its file has; NULL: there is none */
    bool place_holds;        /* what that file says */
    bool place_lost;         /* a file should say where it was, and cannot be read */
    bool place_failed;       /* that it cannot be written, as logged */
};
