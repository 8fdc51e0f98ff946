/* Heads of HTTP/1 messages: read by llhttp, after a check of their bytes that is stricter than that library's. What is accepted
   here has one meaning. */
#pragma once

#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

#define HTTP_HEAD_LARGEST ((size_t)64 * 1024) /* bytes, with the empty line at its end */
#define HTTP_FIELDS_MOST 256

/* How the end of a body is found. */
enum http_framing {
    HTTP_NO_BODY,
    HTTP_LENGTH,
    HTTP_CHUNKED,
    HTTP_UNTIL_CLOSE, /* of answers only */
};

/* The texts are within the bytes of the head. */
struct http_head {
    size_t size;          /* of the head, with the empty line at its end */
    struct bytes method;  /* of a request */
    struct bytes target;  /* of a request: begins with a slash, or is "*"; has visible ASCII characters only, and no # */
    unsigned status;      /* of an answer: 100 to 599 */
    unsigned minor;       /* of the version, HTTP/1.0 or HTTP/1.1 */
    bool keeps_alive;     /* another message may follow on the connection */
    bool upgrades;        /* it has the field Upgrade, and Connection names that */
    bool awaits_continue; /* Expect: 100-continue, in HTTP/1.1 */
    enum http_framing framing;
    uint64_t length; /* of HTTP_LENGTH; at most INT64_MAX */
};

/* How far the bytes of a head were checked. Zero-initialised: not at all. */
struct http_head_scan {
    size_t checked; /* whole lines, in bytes */
    size_t lines;
};

/* Checks the lines of a head as they come; `bytes` begins with the head, and holds all that has arrived so far. Returns the size
   of the head once it is whole. 0: it is not yet; or, with an error set, it will be none: INVALID_ARGUMENT, or RESOURCE_EXHAUSTED
   for more than HTTP_HEAD_LARGEST bytes or HTTP_FIELDS_MOST fields. Asked again, it says the same. */
size_t http_head_find_end(struct http_head_scan *scan, struct bytes bytes, struct error *error);

/* Reads the head of a request that http_head_find_end has found at the begin of the bytes. INVALID_ARGUMENT: it does not say
   clearly where its body ends, it asks for a tunnel (CONNECT), or is neither HTTP/1.0 nor HTTP/1.1. */
bool http_head_read_request(struct bytes bytes, struct http_head *head, struct error *error);

/* The same for an answer to a request of the method HEAD, if `to_head`. */
bool http_head_read_answer(struct bytes bytes, bool to_head, struct http_head *head, struct error *error);
