#include "core/store/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/descriptor.h"
#include "core/base/keyed_hash.h"
#include "core/store/last_known_copy.h"

/* The file, numbers lowest byte first, texts and contents with their length in front:
       magic, version, checksum of all that follows, name, endpoint, boot, number of records,
       records: part, kind, sequence, time, dialect by name, id, content */
#define MAGIC "CRIlists"
#define MAGIC_SIZE (sizeof MAGIC - 1)
#define VERSION 1
#define HEADER_SIZE (MAGIC_SIZE + 4 + 8)

/* By what a file may be bigger than the limit of its store: the header, and the lists' records. The other records weigh less in
   the file than in the store. */
#define SLACK ((size_t)16 * 1024)

#define BOOT_FILE "/proc/sys/kernel/random/boot_id"
#define BOOT_SIZE 64
#define LONGEST_NAME 200

static bool system_error(struct error *error, const char *what, const char *name)
{
    if (errno == ELOOP) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "%s is a symbolic link: it is left alone", name);
    }
    return error_set(error, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_UNAVAILABLE, "cannot %s %s: %s", what, name,
                     strerror(errno));
}

static uint64_t checksum(struct bytes content)
{
    static const struct hash_key everybodys = {{VERSION, 0}};
    return keyed_hash(&everybodys, bytes_after(content, HEADER_SIZE));
}

/* ---- encoding ---- */

struct writer {
    uint8_t *data; /* NULL: only the size is counted */
    size_t len;
};

static void put_number(struct writer *writer, uint64_t number, size_t size)
{
    for (size_t i = 0; writer->data && i < size; i++) {
        writer->data[writer->len + i] = (uint8_t)(number >> (8 * i));
    }
    writer->len += size;
}

static void put_raw(struct writer *writer, struct bytes bytes)
{
    if (writer->data && bytes.len > 0) {
        memcpy(writer->data + writer->len, bytes.data, bytes.len);
    }
    writer->len += bytes.len;
}

static void put_bytes(struct writer *writer, struct bytes bytes)
{
    put_number(writer, bytes.len, 8);
    put_raw(writer, bytes);
}

static bool put_record(void *state, const struct last_known_record *record)
{
    struct writer *writer = state;
    put_number(writer, record->part, 1);
    put_number(writer, record->kind, 1);
    put_number(writer, record->sequence, 8);
    put_number(writer, (uint64_t)record->taken_at, 8);
    put_bytes(writer, bytes_of_string(dialects[record->dialect].name));
    put_bytes(writer, record->id);
    put_bytes(writer, record->content);
    return true;
}

static bool count_record(void *state, const struct last_known_record *record)
{
    (void)record;
    uint64_t *count = state;
    ++*count;
    return true;
}

static void put_all(struct writer *writer, const struct state_file *file, struct bytes boot, const struct last_known *store)
{
    uint64_t count = 0;
    last_known_each(store, count_record, &count);
    put_raw(writer, bytes_of(MAGIC, MAGIC_SIZE));
    put_number(writer, VERSION, 4);
    put_number(writer, 0, 8);
    put_bytes(writer, bytes_of_string(file->name));
    put_bytes(writer, bytes_of_string(file->endpoint));
    put_bytes(writer, boot);
    put_number(writer, count, 8);
    last_known_each(store, put_record, writer);
}

struct bytes state_file_encode(const struct state_file *file, struct bytes boot, const struct last_known *store)
{
    struct writer writer = {0};
    put_all(&writer, file, boot, store);
    writer = (struct writer){.data = malloc(writer.len)};
    if (!writer.data) {
        return bytes_of(NULL, 0);
    }
    put_all(&writer, file, boot, store);
    struct bytes content = bytes_of(writer.data, writer.len);
    writer.len = MAGIC_SIZE + 4;
    put_number(&writer, checksum(content), 8);
    return content;
}

/* ---- decoding ---- */

static bool damaged(struct error *error, const char *what)
{
    return error_set(error, STATUS_DATA_LOSS, "the file is damaged: %s", what);
}

static bool get_number(struct bytes *rest, size_t size, uint64_t *number)
{
    if (rest->len < size) {
        return false;
    }
    *number = 0;
    for (size_t i = 0; i < size; i++) {
        *number |= (uint64_t)rest->data[i] << (8 * i);
    }
    *rest = bytes_after(*rest, size);
    return true;
}

static bool get_bytes(struct bytes *rest, struct bytes *bytes)
{
    uint64_t len;
    if (!get_number(rest, 8, &len) || len > rest->len) {
        return false;
    }
    *bytes = bytes_of(rest->data, (size_t)len);
    *rest = bytes_after(*rest, (size_t)len);
    return true;
}

static bool check_header(struct bytes *content, struct error *error)
{
    struct bytes rest = *content;
    uint64_t version;
    uint64_t sum;
    if (rest.len == 0) {
        return error_set(error, STATUS_DATA_LOSS,
                         "the file is empty: a creation was under way when crigate ended, or no list had arrived yet");
    }
    if (!bytes_start_with(rest, bytes_of(MAGIC, MAGIC_SIZE))) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "it is not a file of last-known lists");
    }
    rest = bytes_after(rest, MAGIC_SIZE);
    if (!get_number(&rest, 4, &version)) {
        return damaged(error, "it is cut off");
    }
    if (version != VERSION) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "the file has version %u; this crigate reads version %d",
                         (unsigned)version, VERSION);
    }
    if (!get_number(&rest, 8, &sum) || sum != checksum(*content)) {
        return damaged(error, "its checksum does not fit, or it is cut off");
    }
    *content = rest;
    return true;
}

static bool check_owner(struct bytes *rest, const struct state_file *file, struct bytes boot, struct error *error)
{
    const struct {
        struct bytes expected;
        const char *what;
    } parts[] = {
        {bytes_of_string(file->name), "runtime"},
        {bytes_of_string(file->endpoint), "endpoint"},
        {boot, "boot of the node"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct bytes found;
        if (!get_bytes(rest, &found)) {
            return damaged(error, "it is cut off");
        }
        if (!bytes_equal(found, parts[i].expected)) {
            return error_set(error, STATUS_FAILED_PRECONDITION, "the file is about another %s", parts[i].what);
        }
    }
    return true;
}

static bool get_record(struct bytes *rest, int64_t now, struct last_known_record *record, struct error *error)
{
    uint64_t part;
    uint64_t kind;
    uint64_t taken_at;
    struct bytes dialect;
    if (!get_number(rest, 1, &part) || !get_number(rest, 1, &kind) || !get_number(rest, 8, &record->sequence) ||
        !get_number(rest, 8, &taken_at) || !get_bytes(rest, &dialect) || !get_bytes(rest, &record->id) ||
        !get_bytes(rest, &record->content)) {
        return damaged(error, "it is cut off");
    }
    if (part >= LAST_KNOWN_PARTS || kind >= ID_KIND_COUNT || !dialect_from_name(dialect, &record->dialect)) {
        return damaged(error, "it holds what this crigate does not know");
    }
    if (now < 0 || taken_at > (uint64_t)now) {
        return damaged(error, "it is about the future");
    }
    record->part = (enum last_known_part)part;
    record->kind = (enum id_kind)kind;
    record->taken_at = (int64_t)taken_at;
    return true;
}

static bool restore(struct last_known *store, struct bytes rest, int64_t now, struct error *error)
{
    uint64_t count;
    if (!get_number(&rest, 8, &count)) {
        return damaged(error, "it is cut off");
    }
    for (uint64_t i = 0; i < count; i++) {
        struct last_known_record record;
        if (!get_record(&rest, now, &record, error)) {
            return false;
        }
        if (!last_known_restore(store, &record, error)) {
            return error->code == STATUS_INTERNAL ? damaged(error, "a record does not hold what it should") : false;
        }
    }
    return rest.len == 0 || damaged(error, "something follows its end");
}

struct last_known *state_file_decode(const struct state_file *file, struct bytes boot, struct bytes content, size_t limit,
                                     int64_t now, struct error *error)
{
    if (!check_header(&content, error) || !check_owner(&content, file, boot, error)) {
        return NULL;
    }
    struct last_known *store = last_known_new(limit);
    if (!store) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "no memory for what was last known");
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

#define PATH_SIZE (LONGEST_NAME + 16)

/* The boot id of the node; `text` is its buffer. Empty if the kernel does not report it. */
static struct bytes current_boot(char *text, size_t size)
{
    DESCRIPTOR_CLEANUP int file = open(BOOT_FILE, O_RDONLY | O_CLOEXEC);
    ssize_t len = file < 0 ? 0 : read(file, text, size);
    return bytes_of(text, len > 0 ? (size_t)len : 0);
}

/* Runtimes' names hold nothing that means something in a path; this keeps it so. */
static bool file_name(const struct state_file *file, const char *suffix, char *name, struct error *error)
{
    if (file->name[0] == '.' || file->name[0] == '\0' || strchr(file->name, '/') || strlen(file->name) > LONGEST_NAME) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "\"%s\" cannot be part of a file's name", file->name);
    }
    snprintf(name, PATH_SIZE, "%s.lists%s", file->name, suffix);
    return true;
}

static int open_folder(const struct state_file *file, struct error *error)
{
    int folder = open(file->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        system_error(error, "open the folder", file->folder);
    }
    return folder;
}

/* A file that others can write to, or that has a second name, must be neither trusted nor written. */
static bool is_ours(int file, const char *name, struct stat *status, struct error *error)
{
    if (fstat(file, status) != 0) {
        return system_error(error, "look at", name);
    }
    if (!S_ISREG(status->st_mode) || status->st_uid != geteuid() || (status->st_mode & 077) != 0 || status->st_nlink > 1) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "%s is not a file of mode 0600 with one name that belongs to uid %u: it is left alone", name,
                         (unsigned)geteuid());
    }
    return true;
}

/* Whether the name still leads to the open file: another process may have moved it on before we had the lock. */
static bool still_named(int folder, const char *name, const struct stat *status)
{
    struct stat named;
    return fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_dev == status->st_dev &&
           named.st_ino == status->st_ino;
}

/* The draft under its one name, locked: two processes (one that takes over from another) never write the same draft, and whoever
   is killed leaves one that the next takes. -1 with an error. */
static int open_draft(int folder, const char *name, struct error *error)
{
    int draft = openat(folder, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    struct stat status;
    if (draft < 0) {
        system_error(error, "open", name);
        return -1;
    }
    bool ours = is_ours(draft, name, &status, error);
    if (ours && (flock(draft, LOCK_EX | LOCK_NB) != 0 || !still_named(folder, name, &status))) {
        ours = error_set(error, STATUS_UNAVAILABLE, "another process writes %s", name);
    }
    if (ours && ftruncate(draft, 0) != 0) {
        ours = system_error(error, "empty", name);
    }
    if (!ours) {
        descriptor_close(&draft);
    }
    return draft;
}

static bool write_all(int file, const char *name, struct bytes content, struct error *error)
{
    while (content.len > 0) {
        ssize_t written = write(file, content.data, content.len);
        if (written < 0 && errno != EINTR) {
            return system_error(error, "write", name);
        }
        content = bytes_after(content, written > 0 ? (size_t)written : 0);
    }
    return true;
}

static bool replace(int folder, const struct state_file *file, struct bytes content, struct error *error)
{
    char name[PATH_SIZE];
    char draft_name[PATH_SIZE];
    if (!file_name(file, "", name, error) || !file_name(file, ".new", draft_name, error)) {
        return false;
    }
    DESCRIPTOR_CLEANUP int draft = open_draft(folder, draft_name, error);
    if (draft < 0) {
        return false;
    }
    bool done = write_all(draft, draft_name, content, error);
    if (done && renameat(folder, draft_name, folder, name) != 0) {
        done = system_error(error, "rename", draft_name);
    }
    if (!done) {
        unlinkat(folder, draft_name, 0);
    }
    return done;
}

bool state_file_write(const struct state_file *file, const struct last_known *store, struct error *error)
{
    DESCRIPTOR_CLEANUP int folder = open_folder(file, error);
    if (folder < 0) {
        return false;
    }
    char boot[BOOT_SIZE];
    struct bytes content = state_file_encode(file, current_boot(boot, sizeof boot), store);
    bool written = content.data ? replace(folder, file, content, error)
                                : error_set(error, STATUS_RESOURCE_EXHAUSTED, "no memory to write %s.lists", file->name);
    free((void *)(uintptr_t)content.data);
    return written;
}

static bool read_all(int file, const char *name, uint8_t *data, size_t size, struct error *error)
{
    for (size_t at = 0; at < size;) {
        ssize_t count = read(file, data + at, size - at);
        if (count == 0) {
            return error_set(error, STATUS_DATA_LOSS, "%s became shorter while it was read", name);
        }
        if (count < 0 && errno != EINTR) {
            return system_error(error, "read", name);
        }
        at += count > 0 ? (size_t)count : 0;
    }
    return true;
}

/* Reads the content of an open file of that size. */
static struct last_known *load(const struct state_file *file, int opened, const char *name, size_t size, size_t limit,
                               int64_t now, struct error *error)
{
    uint8_t *data = malloc(size + 1);
    if (!data) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "no memory to read %s", name);
        return NULL;
    }
    char boot[BOOT_SIZE];
    struct last_known *store = NULL;
    if (read_all(opened, name, data, size, error)) {
        store = state_file_decode(file, current_boot(boot, sizeof boot), bytes_of(data, size), limit, now, error);
    }
    free(data);
    return store;
}

/* The file of lists, opened; it is ours. `folder` gets the open folder that it is in, which the caller closes as well; -1 with
   an error. */
static int open_own(const struct state_file *file, int flags, char *name, int *folder, struct stat *status, struct error *error)
{
    *folder = open_folder(file, error);
    if (*folder < 0 || !file_name(file, "", name, error)) {
        return -1;
    }
    int opened = openat(*folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (opened < 0) {
        system_error(error, "open", name);
    } else if (!is_ours(opened, name, status, error)) {
        descriptor_close(&opened);
    }
    return opened;
}

struct last_known *state_file_read(const struct state_file *file, size_t limit, int64_t now, struct error *error)
{
    char name[PATH_SIZE];
    struct stat status;
    DESCRIPTOR_CLEANUP int folder = -1;
    DESCRIPTOR_CLEANUP int opened = open_own(file, O_RDONLY, name, &folder, &status, error);
    if (opened < 0) {
        return NULL;
    }
    size_t most = limit < SIZE_MAX - SLACK - 1 ? limit + SLACK : SIZE_MAX - 1;
    if ((uint64_t)status.st_size > most) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "%s has %lld bytes; at most %zu are read", name, (long long)status.st_size,
                  most);
        return NULL;
    }
    return load(file, opened, name, (size_t)status.st_size, limit, now, error);
}

bool state_file_doubt(const struct state_file *file, struct error *error)
{
    char name[PATH_SIZE];
    struct stat status;
    DESCRIPTOR_CLEANUP int folder = -1;
    DESCRIPTOR_CLEANUP int opened = open_own(file, O_WRONLY | O_CREAT, name, &folder, &status, error);
    return opened >= 0 && (ftruncate(opened, 0) == 0 || system_error(error, "empty", name));
}

bool state_file_remove(const struct state_file *file, struct error *error)
{
    char name[PATH_SIZE];
    struct stat status;
    DESCRIPTOR_CLEANUP int folder = -1;
    DESCRIPTOR_CLEANUP int opened = open_own(file, O_RDONLY, name, &folder, &status, error);
    return opened >= 0 && (unlinkat(folder, name, 0) == 0 || system_error(error, "remove", name));
}
