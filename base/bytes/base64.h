/* Base64, as JSON carries bytes. */
#pragma once

#include "base/bytes/bytes.h"

/* The number of characters for `size` bytes, padding included. */
size_t base64_encoded_size(size_t size);

/* Writes the standard alphabet with padding: base64_encoded_size characters, no NUL. */
void base64_encode(struct bytes bytes, char *out);

/* The largest number of bytes that this many characters can encode. */
size_t base64_decoded_bound(size_t length);

/* Reads the standard and the URL-safe alphabet, padded or not, into `out`, which must have room for base64_decoded_bound bytes.
   false if the text is not base64. */
bool base64_decode(struct bytes text, uint8_t *out, size_t *size);
