#include "node/journal/record.h"

#include <inttypes.h>
#include <limits.h>

#include <json-c/json.h>

#include "base/json/build.h"
#include "base/json/read.h"

/* The form is {"version": VERSION, "sha256": of the plain text of what follows, "journal": {…}}. */
#define VERSION 1
#define PLAIN (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)
#define READABLE (JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE)

static const char *const phase_names[INSTALL_PHASE_COUNT] = {
    [INSTALL_NONE] = "none",
    [INSTALL_INSTALLING] = "installing",
    [INSTALL_INSTALLED] = "installed",
    [INSTALL_REMOVING] = "removing",
};

/* false: no memory. */
static bool digest_of_object(struct json_object *object, struct digest *digest)
{
    size_t size;
    const char *text = json_print(object, PLAIN, &size);
    *digest = text ? digest_of(bytes_of(text, size)) : (struct digest){0};
    return text;
}

/* ---- encoding ---- */

/* Adds a member, whose reference it takes over. false: no memory. */
static bool add(struct json_object *object, const char *name, struct json_object *value)
{
    return value && json_add(object, name, value);
}

static bool add_string(struct json_object *object, const char *name, const char *text)
{
    return add(object, name, json_object_new_string(text));
}

static bool add_number(struct json_object *object, const char *name, int64_t number)
{
    return add(object, name, json_object_new_int64(number));
}

static bool add_flag(struct json_object *object, const char *name, bool flag)
{
    return add(object, name, json_object_new_boolean(flag));
}

/* Adds to a list; otherwise as add. */
static bool append(struct json_object *list, struct json_object *value)
{
    return value && json_append(list, value);
}

/* A member that is a new, empty list or object, which the object owns. NULL: no memory. */
static struct json_object *add_new(struct json_object *object, const char *name, struct json_object *value)
{
    return add(object, name, value) ? value : NULL;
}

static const char *hexadecimal(struct bytes bytes, struct arena *arena)
{
    char *text = arena_alloc(arena, 2 * bytes.len + 1);
    for (size_t i = 0; text && i < bytes.len; i++) {
        text[2 * i] = "0123456789abcdef"[bytes.data[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[bytes.data[i] & 15];
    }
    if (text) {
        text[2 * bytes.len] = '\0';
    }
    return text;
}

static bool encode_attributes(struct json_object *object, const struct file_attributes *attributes, struct arena *arena)
{
    struct json_object *all = add_new(object, "attributes", json_object_new_object());
    bool good = all;
    for (size_t i = 0; good && i < attributes->count; i++) {
        const char *value = hexadecimal(attributes->items[i].value, arena);
        good = value && add_string(all, attributes->items[i].name, value);
    }
    return good;
}

static bool encode_file(struct json_object *object, const struct recorded_file *file, struct arena *arena)
{
    const struct stat *status = &file->file.status;
    struct json_object *earlier = add_new(object, "earlier", json_object_new_array());
    bool good = earlier;
    for (size_t i = 0; good && i < file->earlier_count; i++) {
        good = append(earlier, json_object_new_string(file->earlier[i].text));
    }
    return good && add_string(object, "path", file->file.path) && add_string(object, "why", file->file.why) &&
           add_number(object, "number", file->number) && add_number(object, "folders", file->folders) &&
           add_flag(object, "existed", file->file.existed) && add_flag(object, "exists", file->file.exists) &&
           add_string(object, "before", file->before.text) && add_string(object, "after", file->after.text) &&
           add_number(object, "uid", status->st_uid) && add_number(object, "gid", status->st_gid) &&
           add_number(object, "mode", status->st_mode) && add_number(object, "seconds", status->st_mtim.tv_sec) &&
           add_number(object, "nanoseconds", status->st_mtim.tv_nsec) && encode_attributes(object, &file->attributes, arena);
}

static bool encode_record(struct json_object *object, const struct record *record, struct arena *arena)
{
    bool good = add_string(object, "phase", phase_names[record->phase]) && add_number(object, "last_number", record->last_number);
    struct json_object *facts = good ? add_new(object, "facts", json_object_new_object()) : NULL;
    struct json_object *files = facts ? add_new(object, "files", json_object_new_array()) : NULL;
    good = files;
    for (size_t i = 0; good && i < record->fact_count; i++) {
        good = add_string(facts, record->facts[i].name, record->facts[i].value);
    }
    for (size_t i = 0; good && i < record->file_count; i++) {
        struct json_object *file = json_object_new_object();
        good = append(files, file) && encode_file(file, &record->files[i], arena);
    }
    return good;
}

bool record_encode(const struct record *record, struct arena *arena, struct bytes *text, struct error *error)
{
    struct json_object *whole = json_object_new_object();
    struct json_object *object = json_object_new_object();
    struct digest digest;
    bool good = whole && object && encode_record(object, record, arena) && add_number(whole, "version", VERSION) &&
                digest_of_object(object, &digest) && add_string(whole, "sha256", digest.text);
    good = good && add(whole, "journal", json_object_get(object));
    if (good) {
        size_t size = 0;
        const char *written = json_print(whole, READABLE, &size);
        const struct bytes parts[] = {bytes_of(written, size), bytes_of_string("\n")};
        *text = written ? arena_join(arena, parts, 2) : bytes_of(NULL, 0);
        good = text->data;
    }
    json_object_put(object);
    json_object_put(whole);
    return good || error_out_of_memory(error);
}

/* ---- decoding ---- */

/* What is read, and whether all of it was there so far. */
struct decoder {
    struct arena *arena;
    bool good;
};

/* A member of that type; NULL, and the decoder is not good any more. */
static struct json_object *member(struct decoder *decoder, struct json_object *object, const char *name, enum json_type type)
{
    struct json_object *value = json_member_of(object, name, type);
    decoder->good = decoder->good && value;
    return value;
}

/* A copy of a string; "" if something is wrong. */
static const char *copy(struct decoder *decoder, struct json_object *value)
{
    bool string = json_object_is_type(value, json_type_string);
    struct bytes text =
        string ? bytes_of(json_object_get_string(value), (size_t)json_object_get_string_len(value)) : bytes_of("", 0);
    char *copied = string && !memchr(text.data, '\0', text.len) ? arena_string(decoder->arena, text) : NULL;
    decoder->good = decoder->good && copied;
    return copied ? copied : "";
}

static const char *get_string(struct decoder *decoder, struct json_object *object, const char *name)
{
    return copy(decoder, member(decoder, object, name, json_type_string));
}

static int64_t get_number(struct decoder *decoder, struct json_object *object, const char *name, int64_t least, int64_t most)
{
    struct json_object *value = member(decoder, object, name, json_type_int);
    int64_t number = value ? json_object_get_int64(value) : least;
    if (number < least || number > most) {
        decoder->good = false;
        return least;
    }
    return number;
}

static bool get_flag(struct decoder *decoder, struct json_object *object, const char *name)
{
    return json_object_get_boolean(member(decoder, object, name, json_type_boolean));
}

static struct digest read_digest(struct decoder *decoder, struct json_object *value)
{
    struct digest digest = {0};
    const char *text = copy(decoder, value);
    size_t len = strlen(text);
    if ((len != 0 && len != sizeof digest.text - 1) || strspn(text, "0123456789abcdef") != len) {
        decoder->good = false;
        return digest;
    }
    memcpy(digest.text, text, len);
    return digest;
}

static struct digest get_digest(struct decoder *decoder, struct json_object *object, const char *name)
{
    return read_digest(decoder, member(decoder, object, name, json_type_string));
}

static unsigned digit(char letter)
{
    return (unsigned)(letter <= '9' ? letter - '0' : letter - 'a' + 10);
}

static struct bytes read_bytes(struct decoder *decoder, struct json_object *value)
{
    static const char digits[] = "0123456789abcdef";
    const char *text = copy(decoder, value);
    size_t len = strlen(text) / 2;
    uint8_t *bytes = arena_alloc(decoder->arena, len + 1);
    if (!bytes || len * 2 != strlen(text) || strspn(text, digits) != len * 2) {
        decoder->good = false;
        return bytes_of(NULL, 0);
    }
    for (size_t i = 0; i < len; i++) {
        bytes[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    }
    return bytes_of(bytes, len);
}

static struct file_attributes get_attributes(struct decoder *decoder, struct json_object *object)
{
    struct json_object *all = member(decoder, object, "attributes", json_type_object);
    size_t count = all ? (size_t)json_object_object_length(all) : 0;
    struct file_attribute *items = arena_zalloc(decoder->arena, (count + 1) * sizeof *items);
    struct file_attributes attributes = {.items = items};
    if (!items || !all) {
        decoder->good = false;
        return attributes;
    }
    json_object_object_foreach(all, name, value)
    {
        items[attributes.count].name = arena_string(decoder->arena, bytes_of_string(name));
        items[attributes.count].value = read_bytes(decoder, value);
        decoder->good = decoder->good && items[attributes.count].name;
        attributes.count++;
    }
    return attributes;
}

static void decode_file(struct decoder *decoder, struct json_object *object, struct recorded_file *file)
{
    struct stat *status = &file->file.status;
    struct json_object *earlier = member(decoder, object, "earlier", json_type_array);
    size_t count = earlier ? json_count(earlier) : 0;
    file->earlier_count = count <= RECORD_MOST_EARLIER ? count : 0;
    decoder->good = decoder->good && count <= RECORD_MOST_EARLIER;
    for (size_t i = 0; i < file->earlier_count; i++) {
        file->earlier[i] = read_digest(decoder, json_object_array_get_idx(earlier, i));
    }
    file->file.path = get_string(decoder, object, "path");
    file->file.why = get_string(decoder, object, "why");
    file->number = (unsigned)get_number(decoder, object, "number", 1, UINT_MAX);
    file->folders = (unsigned)get_number(decoder, object, "folders", 0, PATH_MAX);
    file->file.existed = get_flag(decoder, object, "existed");
    file->file.exists = get_flag(decoder, object, "exists");
    file->before = get_digest(decoder, object, "before");
    file->after = get_digest(decoder, object, "after");
    status->st_uid = (uid_t)get_number(decoder, object, "uid", 0, UINT32_MAX);
    status->st_gid = (gid_t)get_number(decoder, object, "gid", 0, UINT32_MAX);
    status->st_mode = (mode_t)get_number(decoder, object, "mode", 0, UINT32_MAX);
    status->st_mtim.tv_sec = (time_t)get_number(decoder, object, "seconds", INT64_MIN, INT64_MAX);
    status->st_mtim.tv_nsec = (long)get_number(decoder, object, "nanoseconds", 0, 999999999);
    file->attributes = get_attributes(decoder, object);
    decoder->good = decoder->good && file->file.path[0] == '/' && file->file.existed == (file->before.text[0] != '\0') &&
                    file->file.exists == (file->after.text[0] != '\0');
}

static enum install_phase get_phase(struct decoder *decoder, struct json_object *object)
{
    const char *name = get_string(decoder, object, "phase");
    for (enum install_phase phase = INSTALL_NONE; phase < INSTALL_PHASE_COUNT; phase++) {
        if (strcmp(name, phase_names[phase]) == 0) {
            return phase;
        }
    }
    decoder->good = false;
    return INSTALL_NONE;
}

static void decode_record(struct decoder *decoder, struct json_object *object, struct record *record)
{
    struct json_object *facts = member(decoder, object, "facts", json_type_object);
    struct json_object *files = member(decoder, object, "files", json_type_array);
    record->phase = get_phase(decoder, object);
    record->last_number = (unsigned)get_number(decoder, object, "last_number", 0, UINT_MAX);
    if (!decoder->good || json_object_object_length(facts) > RECORD_MOST_FACTS || json_count(files) > RECORD_MOST_FILES) {
        decoder->good = false;
        return;
    }
    json_object_object_foreach(facts, name, value)
    {
        struct recorded_fact *fact = &record->facts[record->fact_count++];
        fact->name = arena_string(decoder->arena, bytes_of_string(name));
        fact->value = copy(decoder, value);
        decoder->good = decoder->good && fact->name;
    }
    for (size_t i = 0; i < json_count(files); i++) {
        struct json_object *file = json_object_array_get_idx(files, i);
        decode_file(decoder, file, &record->files[record->file_count++]);
    }
}

static bool damaged(struct error *error, const char *how)
{
    return error_set(error, STATUS_DATA_LOSS, "the journal is damaged: %s", how);
}

static bool decode_whole(struct json_object *whole, struct arena *arena, struct record *record, struct error *error)
{
    struct decoder decoder = {.arena = arena, .good = true};
    int64_t version = get_number(&decoder, whole, "version", 0, INT64_MAX);
    if (decoder.good && version != VERSION) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "the journal has version %" PRId64 "; this crigate reads version %d",
                         version, VERSION);
    }
    struct digest digest = get_digest(&decoder, whole, "sha256");
    struct json_object *object = member(&decoder, whole, "journal", json_type_object);
    struct digest present = digest;
    if (object && !digest_of_object(object, &present)) {
        return error_out_of_memory(error);
    }
    if (!decoder.good || !digest_equal(&digest, &present)) {
        return damaged(error, "its checksum is wrong");
    }
    decode_record(&decoder, object, record);
    return decoder.good || damaged(error, "its content is incomplete, or memory is short");
}

bool record_decode(struct bytes text, struct arena *arena, struct record *record, struct error *error)
{
    *record = (struct record){0};
    struct json_tokener *tokener = json_tokener_new();
    if (!tokener) {
        return error_out_of_memory(error);
    }
    struct json_object *whole =
        json_tokener_parse_ex(tokener, (const char *)text.data, text.len < INT_MAX ? (int)text.len : INT_MAX);
    bool complete = json_object_is_type(whole, json_type_object);
    json_tokener_free(tokener);
    bool good = complete ? decode_whole(whole, arena, record, error) : damaged(error, "it is not JSON");
    json_object_put(whole);
    return good;
}
