/* Finds the user name and password of URLs in texts that others may see. */
#pragma once

#include "base/bytes/bytes.h"

/* A single pass over a text. Set `text` at the start, and all else to zero. */
struct url_secret {
    struct bytes text; /* JSON: an object, or the content of a string */
    size_t at;         /* how much of it was read */
    size_t clear;      /* up to here, no unquoted URL has a secret */
};

/* Finds the next secret: text[*begin, *end), not empty, after the previous one. false if there is none.

   A secret is all between "://" and the last '@' of a URL, whatever characters it has: passwords may contain a raw '/', '#' or
   '?', and error texts quote them unchanged. So more than the secret may be hidden, but never less if the URL is in quotes or has
   no white space. A URL that is cut off before its '@' also has a secret if that is visible: "http://user:pa...". Digests of
   images (docker-pullable://busybox@sha256:…) and paths of Unix sockets are not secrets. The time is linear in the length of the
   text. */
bool url_secret_next(struct url_secret *search, size_t *begin, size_t *end);
