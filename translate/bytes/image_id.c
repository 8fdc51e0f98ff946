#include "translate/bytes/image_id.h"

#include <string.h>

#define SHA256_DIGITS 64

/* Reads all digits, even after a wrong one: lists have one or two digests for each container, and compilers turn a loop of fixed
   length into a few instructions. */
static bool are_hex(const uint8_t digits[static SHA256_DIGITS])
{
    uint8_t others = 0;
    for (size_t i = 0; i < SHA256_DIGITS; i++) {
        uint8_t digit = (uint8_t)(digits[i] - '0');
        uint8_t letter = (uint8_t)((digits[i] | 0x20) - 'a');
        others |= (uint8_t)((digit > 9) & (letter > 5));
    }
    return others == 0;
}

struct bytes image_id_digits(struct bytes name)
{
    struct bytes scheme = bytes_of_string("sha256:");
    return bytes_start_with(name, scheme) ? bytes_after(name, scheme.len) : name;
}

bool image_id_is_digest(struct bytes name)
{
    struct bytes digits = image_id_digits(name);
    return digits.len == SHA256_DIGITS && are_hex(digits.data);
}

bool image_id_is_name(struct bytes reference)
{
    static const char scheme[] = "://";
    return reference.len > 0 && !image_id_is_digest(reference) &&
           memmem(reference.data, reference.len, scheme, sizeof scheme - 1) == NULL;
}
