/* One question to Docker Engine, asked by a thread that waits for the answer. */
#pragma once

#include "base/bytes/error.h"
#include "base/system/buffer.h"

/* Zero-initialised except for the first two. */
struct docker_talk {
    int64_t until; /* clock_ns() when it is given up */
    size_t most;   /* bytes of the answer's body */

    struct error error; /* as docker_answered has it */
    unsigned status;
    struct bytes body;      /* within what was received */
    struct buffer received; /* the caller clears it */
};

/* Asks GET `target` at the socket of that path, on a connection of its own. Given up when the descriptor `wake` can be read. */
void docker_talk_run(struct docker_talk *talk, const char *path, const char *target, int wake);
