#include "core/store/state_file.h"

#include <fcntl.h>
#include <stdlib.h>

#include "base/system/descriptor.h"
#include "core/store/encoding.h"
#include "core/store/last_known_copy.h"

/* The file:
       magic, version, checksum of all that follows, name, endpoint, boot, number of records,
       records: part, kind, sequence, time, dialect by name, id, content */
#define MAGIC "CRIlists"
#define MAGIC_SIZE (sizeof MAGIC - 1)
#define VERSION 1
#define HEADER_SIZE (MAGIC_SIZE + 4 + 8)
#define SUFFIX ".lists"

/* By what a file may be bigger than the limit of its store: the header, and the lists' records. The other records weigh less in
   the file than in the store. */
#define SLACK ((size_t)16 * 1024)

static uint64_t checksum(struct bytes content)
{
    return encoded_checksum(VERSION, bytes_after(content, HEADER_SIZE));
}

/* ---- encoding ---- */

static bool put_record(void *state, const struct last_known_record *record)
{
    struct encoder *encoder = state;
    encoder_put_number(encoder, record->part, 1);
    encoder_put_number(encoder, record->kind, 1);
    encoder_put_number(encoder, record->sequence, 8);
    encoder_put_number(encoder, (uint64_t)record->taken_at, 8);
    encoder_put_bytes(encoder, bytes_of_string(dialects[record->dialect].name));
    encoder_put_bytes(encoder, record->id);
    encoder_put_bytes(encoder, record->content);
    return true;
}

static bool count_record(void *state, const struct last_known_record *record)
{
    (void)record;
    uint64_t *count = state;
    ++*count;
    return true;
}

static void put_all(struct encoder *encoder, const struct state_file *file, struct bytes boot, struct last_known *store)
{
    uint64_t count = 0;
    last_known_each(store, count_record, &count);
    encoder_put_raw(encoder, bytes_of(MAGIC, MAGIC_SIZE));
    encoder_put_number(encoder, VERSION, 4);
    encoder_put_number(encoder, 0, 8);
    encoder_put_owner(encoder, file, boot);
    encoder_put_number(encoder, count, 8);
    last_known_each(store, put_record, encoder);
}

struct bytes state_file_encode(const struct state_file *file, struct bytes boot, struct last_known *store)
{
    struct encoder encoder = {0};
    put_all(&encoder, file, boot, store);
    encoder = (struct encoder){.data = malloc(encoder.len)};
    if (!encoder.data) {
        return bytes_of(NULL, 0);
    }
    put_all(&encoder, file, boot, store);
    struct bytes content = bytes_of(encoder.data, encoder.len);
    encoder.len = MAGIC_SIZE + 4;
    encoder_put_number(&encoder, checksum(content), 8);
    return content;
}

/* ---- decoding ---- */

static bool check_header(struct bytes *content, struct error *error)
{
    struct bytes rest = *content;
    uint64_t sum;
    if (rest.len == 0) {
        return error_set(error, STATUS_DATA_LOSS,
                         "the file is empty: a creation was under way when crigate ended, or no list had arrived yet");
    }
    if (!decode_start(&rest, bytes_of(MAGIC, MAGIC_SIZE), VERSION, "last-known lists", error)) {
        return false;
    }
    if (!decode_number(&rest, 8, &sum) || sum != checksum(*content)) {
        return decode_damaged(error, "its checksum does not match, or it is truncated");
    }
    *content = rest;
    return true;
}

static bool get_record(struct bytes *rest, int64_t now, struct last_known_record *record, struct error *error)
{
    uint64_t part;
    uint64_t kind;
    uint64_t taken_at;
    struct bytes dialect;
    if (!decode_number(rest, 1, &part) || !decode_number(rest, 1, &kind) || !decode_number(rest, 8, &record->sequence) ||
        !decode_number(rest, 8, &taken_at) || !decode_bytes(rest, &dialect) || !decode_bytes(rest, &record->id) ||
        !decode_bytes(rest, &record->content)) {
        return decode_damaged(error, "it is truncated");
    }
    if (part >= LAST_KNOWN_PARTS || kind >= ID_KIND_COUNT || !dialect_from_name(dialect, &record->dialect)) {
        return decode_damaged(error, "it contains data unknown to this crigate");
    }
    if (now < 0 || taken_at > (uint64_t)now) {
        return decode_damaged(error, "it is dated in the future");
    }
    record->part = (enum last_known_part)part;
    record->kind = (enum id_kind)kind;
    record->taken_at = (int64_t)taken_at;
    return true;
}

static bool restore(struct last_known *store, struct bytes rest, int64_t now, struct error *error)
{
    uint64_t count;
    if (!decode_number(&rest, 8, &count)) {
        return decode_damaged(error, "it is truncated");
    }
    for (uint64_t i = 0; i < count; i++) {
        struct last_known_record record;
        if (!get_record(&rest, now, &record, error)) {
            return false;
        }
        if (!last_known_restore(store, &record, error)) {
            return error->code == STATUS_INTERNAL ? decode_damaged(error, "a record has invalid content") : false;
        }
    }
    return rest.len == 0 || decode_damaged(error, "something follows its end");
}

struct last_known *state_file_decode(const struct state_file *file, struct bytes boot, struct bytes content, size_t limit,
                                     int64_t now, struct error *error)
{
    if (!check_header(&content, error) || !decode_owner(&content, file, boot, error)) {
        return NULL;
    }
    struct last_known *store = last_known_new(limit);
    if (!store) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "not enough memory for the last-known state");
        return NULL;
    }
    struct error reason = {0};
    if (!restore(store, content, now, &reason)) {
        last_known_free(store);
        error_set(error, reason.code, "%s", reason.message);
        return NULL;
    }
    return store;
}

/* ---- files ---- */

bool state_file_write(const struct state_file *file, struct last_known *store, struct error *error)
{
    char boot[OWN_FILE_BOOT_SIZE];
    struct bytes content = state_file_encode(file, own_file_boot(boot), store);
    if (!content.data) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "not enough memory to write %s%s", file->name, SUFFIX);
    }
    DESCRIPTOR_CLEANUP int written = own_file_replace(file, SUFFIX, content, error);
    free((void *)(uintptr_t)content.data);
    return written >= 0;
}

struct last_known *state_file_read(const struct state_file *file, size_t limit, int64_t now, struct error *error)
{
    OWN_FILE_CLEANUP struct own_file opened;
    if (!own_file_open(&opened, file, SUFFIX, O_RDONLY, error)) {
        return NULL;
    }
    size_t most = limit < SIZE_MAX - SLACK - 1 ? limit + SLACK : SIZE_MAX - 1;
    if (opened.size > most) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "%s has %llu bytes; at most %zu are read", opened.name,
                  (unsigned long long)opened.size, most);
        return NULL;
    }
    uint8_t *data = malloc((size_t)opened.size + 1);
    if (!data) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "not enough memory to read %s", opened.name);
        return NULL;
    }
    char boot[OWN_FILE_BOOT_SIZE];
    struct last_known *store = NULL;
    if (own_file_read(&opened, data, (size_t)opened.size, error)) {
        store = state_file_decode(file, own_file_boot(boot), bytes_of(data, (size_t)opened.size), limit, now, error);
    }
    free(data);
    return store;
}

bool state_file_doubt(const struct state_file *file, struct error *error)
{
    OWN_FILE_CLEANUP struct own_file opened;
    return own_file_open(&opened, file, SUFFIX, O_WRONLY | O_CREAT, error) && own_file_cut(&opened, 0, error);
}

bool state_file_remove(const struct state_file *file, struct error *error)
{
    OWN_FILE_CLEANUP struct own_file opened;
    return own_file_open(&opened, file, SUFFIX, O_RDONLY, error) && own_file_unlink(&opened, error);
}
