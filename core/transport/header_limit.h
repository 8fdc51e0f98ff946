/* Looks at the frames of one HTTP/2 connection as its bytes come in, and only at the header of each frame.

   A block of headers is one HEADERS frame and the CONTINUATION frames that follow it. C core gathers what such a block announces
   before it holds it against its limit of metadata, and copies what it has gathered with every frame: a block without end takes
   memory and time without end. So blocks are bounded here, by what they take on the wire. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of metadata that a call, and an answer of a runtime, may have: one with more fails alone, with a message. Callers have
   nothing long to send there. Runtimes may send long error texts, which travel as metadata. */
#define HEADER_LIMIT_CALLERS ((size_t)64 * 1024)
#define HEADER_LIMIT_RUNTIMES ((size_t)1024 * 1024)

/* Beyond this many times the limit, the connection is closed. */
#define HEADER_LIMIT_TIMES 2

#define FRAME_HEADER_SIZE 9

struct header_limit {
    size_t most;                       /* bytes that a block of headers may have */
    uint8_t header[FRAME_HEADER_SIZE]; /* of the frame that is being read */
    unsigned gathered;                 /* its bytes that have arrived */
    size_t to_skip;                    /* bytes of the payload, or of what comes before the first frame, that are still to come */
    bool in_block;
    size_t block;       /* bytes of the block so far */
    unsigned in_pieces; /* CONTINUATION frames of it */
    uint64_t frames;    /* that have begun */
    bool settings;      /* a SETTINGS frame has begun */
    bool goaway;        /* a GOAWAY frame has */
    uint64_t blocks;    /* of them those with which a block of headers began: requests, or parts of answers */
};

/* The beginning of a connection. `client`: the peer is one, which sends a preface before its first frame. */
void header_limit_init(struct header_limit *guard, bool client, size_t most);

/* Takes the next bytes of the connection. false: the block of headers is longer than it may be, or in too many pieces; the
   connection is of no use any more. */
bool header_limit_take(struct header_limit *guard, const uint8_t *bytes, size_t count);

/* Why the connection was ended then, to follow "it" in a sentence: "sent a block of headers of more than ...". */
void header_limit_describe(const struct header_limit *guard, char *text, size_t size);
