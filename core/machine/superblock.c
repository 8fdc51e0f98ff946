#include "core/machine/superblock.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define UUID_BYTES 16

/* Where to look; places are bytes from the device's begin. */
struct superblock_form {
    const char *type;
    off_t magic_at;
    off_t uuid_at;
    const char *magic;
    size_t magic_size;
};

static const struct superblock_form forms[] = {
    {"ext2", 1024 + 0x38, 1024 + 0x68, "\x53\xef", 2}, {"ext3", 1024 + 0x38, 1024 + 0x68, "\x53\xef", 2},
    {"ext4", 1024 + 0x38, 1024 + 0x68, "\x53\xef", 2}, {"xfs", 0, 32, "XFSB", 4},
    {"btrfs", 65536 + 64, 65536 + 32, "_BHRfS_M", 8},
};

static const struct superblock_form *form_of(const char *type)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(forms[i].type, type) == 0) {
            return &forms[i];
        }
    }
    return NULL;
}

bool superblock_uuid(int device, const char *type, char uuid[SUPERBLOCK_UUID_SIZE])
{
    static const uint8_t none[UUID_BYTES];
    uint8_t magic[8];
    uint8_t id[UUID_BYTES];
    const struct superblock_form *form = form_of(type);
    if (!form || pread(device, magic, form->magic_size, form->magic_at) != (ssize_t)form->magic_size ||
        memcmp(magic, form->magic, form->magic_size) != 0 || pread(device, id, sizeof id, form->uuid_at) != (ssize_t)sizeof id ||
        memcmp(id, none, sizeof id) == 0) {
        return false;
    }
    static const char digits[] = "0123456789abcdef";
    char *out = uuid;
    for (size_t i = 0; i < sizeof id; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *out++ = '-';
        }
        *out++ = digits[id[i] >> 4];
        *out++ = digits[id[i] & 15];
    }
    *out = '\0';
    return true;
}
