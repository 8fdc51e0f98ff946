#include "core/store/place_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "core/store/encoding.h"

/* The file: magic, version, checksum of all that follows, name, endpoint, boot, whether it may hold pods. */
#define MAGIC "CRIplace"
#define MAGIC_SIZE (sizeof MAGIC - 1)
#define VERSION 1
#define HEADER_SIZE (MAGIC_SIZE + 4 + 8)
#define SUFFIX ".place"

/* More than name, endpoint and boot can need. */
#define MOST ((size_t)1024)

static uint64_t checksum(struct bytes content)
{
    return encoded_checksum(VERSION, bytes_after(content, HEADER_SIZE));
}

static void put_all(struct encoder *encoder, const struct state_file *file, struct bytes boot, bool holds)
{
    encoder_put_raw(encoder, bytes_of(MAGIC, MAGIC_SIZE));
    encoder_put_number(encoder, VERSION, 4);
    encoder_put_number(encoder, 0, 8);
    encoder_put_owner(encoder, file, boot);
    encoder_put_number(encoder, holds, 1);
}

/* On a full disk there is still room for a change. Where there was no file, an empty one says that its content is not known. */
static bool write_over(const struct state_file *file, struct bytes content)
{
    struct error unused;
    OWN_FILE_CLEANUP struct own_file open;
    return own_file_open(&open, file, SUFFIX, O_WRONLY | O_CREAT, &unused) &&
           pwrite(open.file, content.data, content.len, 0) == (ssize_t)content.len && own_file_cut(&open, content.len, &unused);
}

bool place_file_write(const struct state_file *file, bool holds, struct error *error)
{
    uint8_t content[MOST];
    char boot_text[OWN_FILE_BOOT_SIZE];
    struct bytes boot = own_file_boot(boot_text);
    struct encoder size = {0};
    put_all(&size, file, boot, holds);
    if (size.len > sizeof content) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the name or endpoint of %s is too long", file->name);
    }
    struct encoder encoder = {.data = content};
    put_all(&encoder, file, boot, holds);
    encoder.len = MAGIC_SIZE + 4;
    encoder_put_number(&encoder, checksum(bytes_of(content, size.len)), 8);
    DESCRIPTOR_CLEANUP int written = own_file_replace(file, SUFFIX, bytes_of(content, size.len), error);
    return written >= 0 || write_over(file, bytes_of(content, size.len));
}

static bool decode(const struct state_file *file, struct bytes content, bool *holds, struct error *error)
{
    char boot_text[OWN_FILE_BOOT_SIZE];
    struct bytes rest = content;
    uint64_t sum;
    uint64_t number;
    if (!decode_start(&rest, bytes_of(MAGIC, MAGIC_SIZE), VERSION, "a runtime's place", error)) {
        error->code = STATUS_DATA_LOSS;
        return false;
    }
    if (!decode_number(&rest, 8, &sum) || sum != checksum(content)) {
        return decode_damaged(error, "its checksum does not match, or it is truncated");
    }
    if (!decode_owner(&rest, file, own_file_boot(boot_text), error)) {
        return false;
    }
    if (!decode_number(&rest, 1, &number) || number > 1 || rest.len > 0) {
        return decode_damaged(error, "it is truncated, or something follows its end");
    }
    *holds = number == 1;
    return true;
}

bool place_file_read(const struct state_file *file, bool *holds, struct error *error)
{
    uint8_t content[MOST];
    OWN_FILE_CLEANUP struct own_file open;
    if (!own_file_open(&open, file, SUFFIX, O_RDONLY, error)) {
        error->code = error->code == STATUS_FAILED_PRECONDITION ? STATUS_DATA_LOSS : error->code;
        return false;
    }
    if (open.size > sizeof content) {
        return decode_damaged(error, "it is too long");
    }
    return own_file_read(&open, content, (size_t)open.size, error) &&
           decode(file, bytes_of(content, (size_t)open.size), holds, error);
}

bool place_file_remove(const struct state_file *file, struct error *error)
{
    OWN_FILE_CLEANUP struct own_file open;
    return own_file_open(&open, file, SUFFIX, O_RDONLY, error) && own_file_unlink(&open, error);
}
