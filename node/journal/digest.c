#include "node/journal/digest.h"

#include <sha2.h>

_Static_assert(sizeof(struct digest) == SHA256_DIGEST_STRING_LENGTH, "a digest in hexadecimal has room for its NUL");

struct digest digest_of(struct bytes text)
{
    struct digest digest = {0};
    if (text.data) {
        SHA256Data(text.data, text.len, digest.text);
    }
    return digest;
}

bool digest_equal(const struct digest *one, const struct digest *other)
{
    return strcmp(one->text, other->text) == 0;
}
