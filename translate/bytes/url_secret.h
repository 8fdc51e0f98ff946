/* User and password of URLs in text that others may see. */
#pragma once

#include "translate/bytes/bytes.h"

/* Goes over a text once, from its beginning to its end. All zero but for `text` at the start. */
struct url_secret {
    struct bytes text; /* JSON: an object, or what could stand in a string */
    size_t at;         /* how much of it was looked at */
    size_t clear;      /* up to here no URL that stands without quotes has a secret */
};

/* Finds the next secret: text[*begin, *end), which is not empty and lies behind what was found before. false when there is none.

   A secret is all between "://" and the last '@' of a URL, whatever stands there: passwords come with a raw '/', '#' or '?', and
   an error text quotes them as they came. So more may be hidden than is secret, and never less where the URL stands in quotes, or
   has no white space. A URL that is cut before its '@' has a secret as well if that can be seen: "http://user:pa...". No secrets
   are digests of images (docker-pullable://busybox@sha256:…) and paths of Unix sockets. The time is linear in the text. */
bool url_secret_next(struct url_secret *search, size_t *begin, size_t *end);
