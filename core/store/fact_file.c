#include "core/store/fact_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "core/store/encoding.h"

/* The file:
       magic, version, name, endpoint, boot,
       records: length of the content, checksum of these four bytes, checksum of the content,
                content: kind, flags, id, holder (a pod's handler, a container's pod), facts
   The length has a checksum of its own, because a wrong one would look like a record that is cut off. */
#define MAGIC "CRIfacts"
#define VERSION 1
#define SUFFIX ".facts"
#define LENGTH_SIZE 4
#define HEAD_SIZE (LENGTH_SIZE + 4 + 8)
#define RECORD_SIZE (HEAD_SIZE + 1 + 1 + 3 * ENCODED_LENGTH) /* without id, holder and facts */

#define KNOWN 1U
#define PARENT_CHANGED 2U
#define STOPPED 4U

/* Most records are shorter than this, and are made on the stack. */
#define USUAL_RECORD 4096

#define SLACK ((size_t)64 * 1024)
/* Twice what a store takes at most (a record is smaller than what the store has of it), and the last change. */
#define LONGEST_FILE (2 * FACT_STORE_LIMIT + (size_t)1024 * 1024)

struct fact_file {
    struct state_file place; /* points into `text` */
    char boot_text[OWN_FILE_BOOT_SIZE];
    struct bytes boot;
    size_t header; /* bytes before the records */
    int opened;    /* -1: the next change rewrites the file */
    size_t size;
    size_t patience; /* up to this size, it is not rewritten again after that failed */
    char text[];
};

static void free_bytes(struct bytes bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

/* ---- encoding ---- */

static void put_header(struct encoder *encoder, const struct state_file *place, struct bytes boot)
{
    encoder_put_raw(encoder, bytes_of_string(MAGIC));
    encoder_put_number(encoder, VERSION, 4);
    encoder_put_owner(encoder, place, boot);
}

/* What a record says of a pod or container. */
struct content {
    enum id_kind kind;
    unsigned flags;
    struct bytes id;
    struct bytes holder;
    struct bytes facts;
};

static struct content content_of(const struct fact_store *store, enum id_kind kind, struct bytes id)
{
    struct known_pod pod = {0};
    struct known_container container = {0};
    bool known = kind == ID_POD ? fact_store_pod(store, id, &pod) : fact_store_container(store, id, &container);
    bool stopped = pod.stopped || container.stopped;
    return (struct content){
        .kind = kind,
        .flags = (known ? KNOWN : 0) | (pod.parent_changed ? PARENT_CHANGED : 0) | (stopped ? STOPPED : 0),
        .id = id,
        .holder = kind == ID_POD ? pod.handler : container.pod_id,
        .facts = kind == ID_POD ? pod.facts : container.facts,
    };
}

static size_t record_size(const struct content *content)
{
    return RECORD_SIZE + content->id.len + content->holder.len + content->facts.len;
}

static void put_content(struct encoder *encoder, const struct content *content)
{
    encoder_put_number(encoder, (uint64_t)content->kind, 1);
    encoder_put_number(encoder, content->flags, 1);
    encoder_put_bytes(encoder, content->id);
    encoder_put_bytes(encoder, content->holder);
    encoder_put_bytes(encoder, content->facts);
}

static void put_record(struct encoder *encoder, const struct content *content)
{
    size_t start = encoder->len;
    encoder->len += HEAD_SIZE;
    put_content(encoder, content);
    size_t end = encoder->len;
    if (encoder->data) {
        const uint8_t *record = encoder->data + start;
        struct bytes written = bytes_of(record + HEAD_SIZE, end - start - HEAD_SIZE);
        encoder->len = start;
        encoder_put_number(encoder, written.len, LENGTH_SIZE);
        encoder_put_number(encoder, encoded_checksum(VERSION, bytes_of(record, LENGTH_SIZE)), 4);
        encoder_put_number(encoder, encoded_checksum(VERSION, written), 8);
        encoder->len = end;
    }
}

/* What fact_store_each hands on. */
struct each {
    struct encoder *encoder;
    const struct fact_store *store;
    enum id_kind kind;
};

static void put_each(void *state, struct bytes id)
{
    const struct each *each = state;
    struct content content = content_of(each->store, each->kind, id);
    put_record(each->encoder, &content);
}

static void put_all(struct encoder *encoder, const struct state_file *place, struct bytes boot, const struct fact_store *store)
{
    put_header(encoder, place, boot);
    for (size_t kind = 0; kind < ID_KIND_COUNT; kind++) {
        fact_store_each(store, (enum id_kind)kind, put_each, &(struct each){encoder, store, (enum id_kind)kind});
    }
}

struct bytes fact_file_encode(const struct state_file *place, struct bytes boot, const struct fact_store *store)
{
    struct encoder encoder = {0};
    put_all(&encoder, place, boot, store);
    encoder = (struct encoder){.data = malloc(encoder.len)};
    if (encoder.data) {
        put_all(&encoder, place, boot, store);
    }
    return bytes_of(encoder.data, encoder.len);
}

/* ---- decoding ---- */

/* Takes a record and yields its content. It stays, and the content has no data, if it is truncated. false: it is damaged. */
static bool take_record(struct bytes *rest, struct bytes *content, struct error *error)
{
    struct bytes after = *rest;
    uint64_t len;
    uint64_t len_sum;
    uint64_t sum;
    *content = bytes_of(NULL, 0);
    if (!decode_number(&after, LENGTH_SIZE, &len) || !decode_number(&after, 4, &len_sum) || !decode_number(&after, 8, &sum)) {
        return true;
    }
    if ((uint32_t)encoded_checksum(VERSION, bytes_of(rest->data, LENGTH_SIZE)) != len_sum) {
        return decode_damaged(error, "the checksum of a record's length does not match");
    }
    if (len > after.len) {
        return true;
    }
    *content = bytes_of(after.data, (size_t)len);
    *rest = bytes_after(after, (size_t)len);
    return encoded_checksum(VERSION, *content) == sum || decode_damaged(error, "the checksum of a record does not match");
}

static bool put(struct fact_store *store, enum id_kind kind, struct bytes id, uint64_t flags, struct bytes holder,
                struct bytes facts)
{
    bool stopped = (flags & STOPPED) != 0;
    if (kind == ID_POD) {
        struct known_pod pod = {
            .handler = holder, .facts = facts, .parent_changed = (flags & PARENT_CHANGED) != 0, .stopped = stopped};
        return fact_store_put_pod(store, id, &pod);
    }
    struct known_container container = {.pod_id = holder, .facts = facts, .stopped = stopped};
    return fact_store_put_container(store, id, &container);
}

static bool apply(struct fact_store *store, struct bytes content, struct error *error)
{
    uint64_t kind;
    uint64_t flags;
    struct bytes id;
    struct bytes holder;
    struct bytes facts;
    if (!decode_number(&content, 1, &kind) || !decode_number(&content, 1, &flags) || !decode_bytes(&content, &id) ||
        !decode_bytes(&content, &holder) || !decode_bytes(&content, &facts) || content.len > 0) {
        return decode_damaged(error, "a record has invalid content");
    }
    if (kind >= ID_KIND_COUNT || flags > (KNOWN | PARENT_CHANGED | STOPPED) || (kind != ID_POD && flags & PARENT_CHANGED)) {
        return decode_damaged(error, "it contains data unknown to this crigate");
    }
    if (!(flags & KNOWN)) {
        fact_store_remove(store, (enum id_kind)kind, id);
        return true;
    }
    return put(store, (enum id_kind)kind, id, flags, holder, facts) ||
           error_set(error, STATUS_RESOURCE_EXHAUSTED, "the file holds more than is kept, or memory is short");
}

static bool restore(struct fact_store *store, struct bytes *rest, struct error *error)
{
    struct bytes content;
    do {
        if (!take_record(rest, &content, error) || (content.data && !apply(store, content, error))) {
            return false;
        }
    } while (content.data);
    return true;
}

static bool keep_none(void *state, struct bytes id)
{
    (void)state;
    (void)id;
    return false;
}

bool fact_file_decode(const struct state_file *place, struct bytes boot, struct bytes content, struct fact_store *store,
                      size_t *whole, struct error *error)
{
    struct bytes rest = content;
    if (!decode_start(&rest, bytes_of_string(MAGIC), VERSION, "facts", error) || !decode_owner(&rest, place, boot, error)) {
        return false;
    }
    if (!restore(store, &rest, error)) {
        fact_store_retain(store, ID_POD, keep_none, NULL);
        fact_store_retain(store, ID_CONTAINER, keep_none, NULL);
        return false;
    }
    *whole = content.len - rest.len;
    return true;
}

/* ---- the file ---- */

/* Copies a string to the end, with its NUL. */
static const char *copy_text(char **end, const char *text)
{
    char *copy = *end;
    *end = stpcpy(copy, text) + 1;
    return copy;
}

static struct fact_file *make(const struct state_file *place)
{
    size_t text = strlen(place->folder) + strlen(place->name) + strlen(place->endpoint) + 3;
    struct fact_file *file = calloc(1, sizeof *file + text);
    if (file) {
        char *end = file->text;
        file->place.folder = copy_text(&end, place->folder);
        file->place.name = copy_text(&end, place->name);
        file->place.endpoint = copy_text(&end, place->endpoint);
        file->boot = own_file_boot(file->boot_text);
        struct encoder header = {0};
        put_header(&header, &file->place, file->boot);
        file->header = header.len;
        file->opened = -1;
    }
    return file;
}

static bool no_memory(const struct fact_file *file, struct error *error)
{
    return error_set(error, STATUS_RESOURCE_EXHAUSTED, "not enough memory for %s%s", file->place.name, SUFFIX);
}

static bool load(const struct fact_file *file, const struct own_file *opened, struct fact_store *store, size_t *whole,
                 struct error *error)
{
    if (opened->size > LONGEST_FILE) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "%s has %llu bytes; at most %zu are read", opened->name,
                         (unsigned long long)opened->size, LONGEST_FILE);
    }
    size_t size = (size_t)opened->size;
    uint8_t *data = malloc(size + 1);
    if (!data) {
        return no_memory(file, error);
    }
    bool believed = own_file_read(opened, data, size, error) &&
                    fact_file_decode(&file->place, file->boot, bytes_of(data, size), store, whole, error);
    free(data);
    return believed;
}

struct fact_file *fact_file_open(const struct state_file *place, struct fact_store *store, struct error *error)
{
    struct fact_file *file = make(place);
    if (!file) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "not enough memory for %s%s", place->name, SUFFIX);
        return NULL;
    }
    fact_file_reopen(file, store, error);
    return file;
}

void fact_file_reopen(struct fact_file *file, struct fact_store *store, struct error *error)
{
    OWN_FILE_CLEANUP struct own_file opened;
    descriptor_close(&file->opened);
    if (own_file_open(&opened, &file->place, SUFFIX, O_RDWR | O_APPEND, error) &&
        load(file, &opened, store, &file->size, error) && own_file_cut(&opened, file->size, NULL)) {
        file->opened = opened.file;
        opened.file = -1;
    }
}

bool fact_file_is_open(const struct fact_file *file)
{
    return file->opened >= 0;
}

void fact_file_close(struct fact_file *file)
{
    if (file) {
        descriptor_close(&file->opened);
        free(file);
    }
}

bool fact_file_remove(const struct state_file *place, struct error *error)
{
    OWN_FILE_CLEANUP struct own_file opened;
    return own_file_open(&opened, place, SUFFIX, O_RDONLY, error) && own_file_unlink(&opened, error);
}

/* Makes sure that nobody believes the file. It is emptied as well, because that needs no new descriptor. A file that another
   process has put in its place stays. */
static void give_up(struct fact_file *file)
{
    OWN_FILE_CLEANUP struct own_file named;
    bool is_named = own_file_open(&named, &file->place, SUFFIX, O_RDONLY, NULL);
    if (is_named && (file->opened < 0 || own_file_is_same(&named, file->opened))) {
        own_file_unlink(&named, NULL);
    }
    if (file->opened >= 0) {
        own_file_cut(&(struct own_file){.file = file->opened}, 0, NULL);
    }
    descriptor_close(&file->opened);
}

static bool replace(struct fact_file *file, const struct fact_store *store, struct error *error)
{
    struct bytes content = fact_file_encode(&file->place, file->boot, store);
    if (!content.data) {
        return no_memory(file, error);
    }
    int opened = own_file_replace(&file->place, SUFFIX, content, error);
    free_bytes(content);
    if (opened < 0) {
        return false;
    }
    descriptor_close(&file->opened);
    file->opened = opened;
    file->size = content.len;
    file->patience = 0;
    return true;
}

bool fact_file_write(struct fact_file *file, const struct fact_store *store, struct error *error)
{
    bool written = replace(file, store, error);
    if (!written) {
        give_up(file);
    }
    return written;
}

/* One write, so that what is in the file after a kill is whole, or cut off. */
static bool append(struct fact_file *file, struct bytes record, struct error *error)
{
    ssize_t written;
    do {
        written = write(file->opened, record.data, record.len);
    } while (written < 0 && errno == EINTR);
    if (written != (ssize_t)record.len) {
        return error_set(error, STATUS_UNAVAILABLE, "cannot write %s%s: %s", file->place.name, SUFFIX,
                         written < 0 ? strerror(errno) : "not enough space");
    }
    file->size += record.len;
    return true;
}

/* Most of a file that is too big is out of date. If it cannot be rewritten, it stays as it is until it has doubled. */
void fact_file_shorten(struct fact_file *file, const struct fact_store *store)
{
    size_t records = fact_store_count(store, ID_POD) + fact_store_count(store, ID_CONTAINER);
    size_t live = file->header + records * RECORD_SIZE + fact_store_text_memory(store);
    if (file->opened >= 0 && file->size > 2 * live + SLACK && file->size > file->patience && !replace(file, store, NULL)) {
        file->patience = 2 * file->size;
    }
}

bool fact_file_note(struct fact_file *file, const struct fact_store *store, enum id_kind kind, struct bytes id,
                    struct error *error)
{
    if (id.len == 0 || id.len > FACT_STORE_LONGEST_ID) {
        return true; /* No store ever knew it. */
    }
    if (file->opened < 0) {
        return fact_file_write(file, store, error);
    }
    uint8_t usual[USUAL_RECORD];
    struct content content = content_of(store, kind, id);
    size_t size = record_size(&content);
    struct encoder encoder = {.data = size <= sizeof usual ? usual : malloc(size)};
    if (encoder.data) {
        put_record(&encoder, &content);
    }
    bool noted = encoder.data ? append(file, bytes_of(encoder.data, encoder.len), error) : no_memory(file, error);
    if (encoder.data != usual) {
        free(encoder.data);
    }
    if (!noted) {
        give_up(file);
    }
    return noted;
}

/* ---- environments ---- */

static void put_environment(void *state, struct bytes id)
{
    const struct each *each = state;
    struct known_container container;
    if (fact_store_container(each->store, id, &container) && container.has_environment) {
        encoder_put_bytes(each->encoder, id);
        encoder_put_bytes(each->encoder, container.environment);
    }
}

struct bytes fact_file_environments(const struct fact_store *store)
{
    struct encoder encoder = {0};
    struct each each = {.encoder = &encoder, .store = store};
    fact_store_each(store, ID_CONTAINER, put_environment, &each);
    if (encoder.len == 0) {
        return bytes_of(NULL, 0);
    }
    encoder = (struct encoder){.data = malloc(encoder.len)};
    if (encoder.data) {
        fact_store_each(store, ID_CONTAINER, put_environment, &each);
    }
    return bytes_of(encoder.data, encoder.len);
}

void fact_file_take_environments(struct fact_store *store, struct bytes environments)
{
    struct bytes id;
    struct bytes environment;
    while (decode_bytes(&environments, &id) && decode_bytes(&environments, &environment)) {
        fact_store_set_environment(store, id, environment);
    }
}
