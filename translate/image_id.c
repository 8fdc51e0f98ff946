#include "image_id.h"

#define SHA256_DIGITS 64

static bool is_hex(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

bool image_id_is_digest(struct bytes name)
{
    struct bytes scheme = bytes_of_string("sha256:");
    if (bytes_start_with(name, scheme)) {
        name = bytes_after(name, scheme.len);
    }
    if (name.len != SHA256_DIGITS) {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (!is_hex(name.data[i])) {
            return false;
        }
    }
    return true;
}
