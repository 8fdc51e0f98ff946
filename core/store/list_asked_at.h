/* When a list or status was asked for, so that an answer that comes late undoes nothing that happened meanwhile. */
#pragma once

#include <stdint.h>

struct list_asked_at {
    uint64_t asked;   /* last_known_sequence */
    uint64_t listing; /* id_index_begin */
};
