#include "fuzz.h"

#include <string.h>

bool fuzz_take_call(struct bytes *input, const struct method **method, enum dialect *dialect)
{
    const uint8_t *end = input->len > 0 ? memchr(input->data, '\n', input->len) : NULL;
    if (!end) {
        return false;
    }
    size_t len = (size_t)(end - input->data);
    *method = method_find(bytes_of(input->data, len), dialect);
    *input = bytes_after(*input, len + 1);
    return *method != NULL;
}

struct bytes fuzz_take_piece(struct bytes *input)
{
    if (input->len < 2) {
        return (struct bytes){0};
    }
    size_t len = (size_t)input->data[0] | (size_t)input->data[1] << 8;
    *input = bytes_after(*input, 2);
    struct bytes piece = bytes_of(input->data, len < input->len ? len : input->len);
    *input = bytes_after(*input, piece.len);
    return piece;
}
