/* Bodies of HTTP/1 messages: where they end, and what in them is content. */
#pragma once

#include "base/http/head.h"

#define HTTP_CHUNK_LINE_LONGEST 256             /* bytes: a chunk's size, with extensions */
#define HTTP_TRAILER_LARGEST ((size_t)8 * 1024) /* bytes: the fields behind the last chunk */

enum http_body_state {
    HTTP_BODY_CONTENT,
    HTTP_BODY_SIZE,        /* at the begin of a chunk's line, or within it */
    HTTP_BODY_CONTENT_END, /* the line's end behind the content of a chunk */
    HTTP_BODY_TRAILER,     /* behind the last chunk */
    HTTP_BODY_ENDED,
};

/* How far a body was read. */
struct http_body {
    enum http_framing framing;
    enum http_body_state state;
    uint64_t left; /* of the content: of HTTP_LENGTH in all, of HTTP_CHUNKED in this chunk */
    size_t line_len;
    size_t trailer_len;
    uint8_t line[HTTP_CHUNK_LINE_LONGEST]; /* as far as it has arrived, of a chunk or the trailer */
};

/* Begins the body that follows that head. */
void http_body_begin(struct http_body *body, const struct http_head *head);

/* Continues reading, up to the end of the body, the end of `bytes`, or the end of a run of content, whichever comes first. `used`
   gets how many of the bytes belong to the body; what of them is content comes last, and `content` gets it. Call it again as long
   as it used some. INVALID_ARGUMENT: these are not chunks as in RFC 9112; the message is lost then. */
bool http_body_read(struct http_body *body, struct bytes bytes, size_t *used, struct bytes *content, struct error *error);

static inline bool http_body_has_ended(const struct http_body *body)
{
    return body->state == HTTP_BODY_ENDED;
}
