/* Base64, as JSON carries bytes. */
#pragma once

#include "translate/bytes/bytes.h"

/* How many characters `size` bytes become, padding included. */
size_t base64_encoded_size(size_t size);

/* Writes the standard alphabet with padding: base64_encoded_size characters, no NUL. */
void base64_encode(struct bytes bytes, char *out);

/* The most bytes that so many characters can stand for. */
size_t base64_decoded_bound(size_t length);

/* Reads the standard and the URL-safe alphabet, padded or not, into `out`, which has room for base64_decoded_bound bytes.
   false when the text is not base64. */
bool base64_decode(struct bytes text, uint8_t *out, size_t *size);
