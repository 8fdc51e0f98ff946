/* Answers the bytes of a request with bytes, with the requested changes and misbehaviour. */
#pragma once

#include <grpc/slice.h>

#include "sim/hooks/options.h"

/* The outcome of a call. Zero-initialised, with an empty slice, before. */
struct hook_answer {
    struct error error; /* zero for OK */
    grpc_slice message;
    unsigned copies; /* of the message that are sent */
};

/* Answers a call of the hook; uses up rules. `turn` is a different number for each call. The message is the caller's, even after
   a failure (grpc_slice_unref). */
void hook_answer_make(struct hook_options *options, const struct hook *hook, struct bytes request, unsigned turn,
                      struct hook_answer *answer);
