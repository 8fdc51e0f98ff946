/* A request to a runtime on behalf of a call, and its answer: all that knowledge/ needs to learn, and to answer in the
   runtime's place. */
#pragma once

#include "core/knowledge/knowledge.h"
#include "core/runtimes/request.h"
#include "core/store/list_asked_at.h"
#include "core/store/list_digest.h"
#include "translate/bytes/pieces.h"

/* Its pointers are valid as long as the call. */
struct observation {
    const struct request *request;
    struct knowledge *knowledge;
    struct runtime *runtime;
    size_t position; /* of the runtime in the request's generation */
    struct list_asked_at marks;
    struct bytes sent;               /* the request as it went to the runtime */
    grpc_status_code status;         /* of the runtime; OK also when the gateway itself failed */
    const grpc_byte_buffer *message; /* the runtime's answer as received; NULL: not in one message, or it is gone */
    struct bytes received;           /* the runtime's answer, if it was put into one piece */
    bool is_whole;                   /* it was */
    struct pieces runs;              /* the runtime's answer to a list, aligned */
    struct list_digest digest;       /* of that list, if it is digested */
    bool digested;                   /* it was compared with the one of learn_repetition */
    bool repeats;                    /* it equals that one: it contains nothing new */
    bool making;                     /* between learn_request and learn_end, if the call creates a pod or container... */
    bool kept;                       /* ...and lists of the runtime were kept when it began */
};

/* Whether other runtimes answer the call, too, so that this runtime's failure need not fail it: it is not the primary. */
static inline bool observation_is_one_of_several(const struct observation *seen)
{
    return seen->request->several && seen->position != seen->request->generation->map->primary;
}
