/* Which plugins there are, as the operator's files specify. The engine does not know in which form. */
#pragma once

#include "translate/hooks/protocol.h"

/* All strings live as long as the list. */
struct plugin_settings {
    const char *name;     /* of its file: "koordlet.json"; unique */
    const char *endpoint; /* "unix:///var/run/koordlet/koordlet.sock"; the socket need not exist yet */
    const struct hook_protocol *protocol;
    uint32_t stages;  /* that it wants, of those that the protocol has: bits, see hook_stage_bit */
    bool fail;        /* its failure fails the call; else the call continues without it */
    unsigned timeout; /* milliseconds that it may take for one hook */
};

/* In the order in which they are called. */
struct plugin_list {
    struct arena *memory; /* holds the list and all that it points to */
    const struct plugin_settings *plugins;
    size_t count;
};

/* NULL is allowed. */
void plugin_list_free(struct plugin_list *list);
