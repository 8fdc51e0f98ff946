#include "sim/common/journal_line.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "sim/common/fields.h"
#include "translate/bytes/wire.h"
#include "translate/json/json.h"

/* Of a line. */
#define JOURNAL_BUFFER ((size_t)1 << 20)

/* No end of a line of JSON. */
#define PART_END " (cut off)\n"

/* Deeper than any message of CRI; hostile bytes may nest without end. */
#define MAX_DEPTH 32

static uint32_t count_unknown(const struct schema_message *schema, struct bytes bytes, unsigned depth)
{
    uint32_t unknown = 0;
    struct wire_reader reader = wire_reader_of(bytes);
    struct wire_field occurrence;
    while (reader.at < reader.end && wire_read_field(&reader, &occurrence)) {
        const struct schema_field *field = schema_field_by_number(schema, occurrence.number);
        if (!field) {
            unknown++;
        } else if (field->type == FIELD_MESSAGE && occurrence.type == WIRE_LENGTH && depth < MAX_DEPTH) {
            unknown += count_unknown(field->message, occurrence.payload, depth + 1);
        }
    }
    return unknown;
}

uint32_t unknown_field_count(const struct schema_message *schema, struct bytes bytes)
{
    return count_unknown(schema, bytes, 0);
}

static bool is_binary(grpc_slice key)
{
    const char *end = "-bin";
    size_t length = GRPC_SLICE_LENGTH(key);
    return length >= 4 && memcmp(GRPC_SLICE_START_PTR(key) + length - 4, end, 4) == 0;
}

/* Values of a repeated key are joined with commas, as HTTP has it; binary ones are base64. */
void journal_put_metadata(struct json_object *line, const grpc_metadata_array *metadata)
{
    struct json_object *object = field_new_object(line, "metadata");
    for (size_t i = 0; i < metadata->count; i++) {
        grpc_slice key = metadata->metadata[i].key;
        grpc_slice value = metadata->metadata[i].value;
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)GRPC_SLICE_LENGTH(key), (const char *)GRPC_SLICE_START_PTR(key));
        struct json_object *before = json_object_get(field_child(object, name));
        if (is_binary(key)) {
            field_set_bytes(object, name, GRPC_SLICE_START_PTR(value), GRPC_SLICE_LENGTH(value));
        } else {
            json_object_object_add(
                object, name,
                json_object_new_string_len((const char *)GRPC_SLICE_START_PTR(value), (int)GRPC_SLICE_LENGTH(value)));
        }
        if (before) {
            char joined[4096];
            snprintf(joined, sizeof joined, "%s,%s", json_object_get_string(before), field_text(object, name));
            json_object_object_add(object, name, json_object_new_string(joined));
            json_object_put(before);
        }
    }
}

static void end_part(FILE *journal)
{
    if (fseek(journal, -1, SEEK_END) == 0 && fgetc(journal) != '\n' && fseek(journal, 0, SEEK_END) == 0) {
        fputs(PART_END, journal);
        fflush(journal);
    }
}

bool journal_line_is_part(const char *line)
{
    return string_ends_with(line, PART_END);
}

FILE *journal_open(const char *path)
{
    FILE *journal = fopen(path, "a+e");
    if (journal) {
        setvbuf(journal, NULL, _IOFBF, JOURNAL_BUFFER);
        end_part(journal);
    } else {
        fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, path, strerror(errno));
    }
    return journal;
}

int64_t journal_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void journal_put_message(struct json_object *line, const char *key, const struct schema_message *schema,
                         const struct bytes *bytes)
{
    struct error ignored = {0};
    struct json_object *message = schema && bytes ? json_from_message(schema, *bytes, JSON_EXACT, &ignored) : NULL;
    json_object_object_add(line, key, message); /* null if it is not a message */
}

void journal_append(FILE *journal, struct json_object *line)
{
    json_object_object_add(line, "at", json_object_new_int64(journal_clock()));
    fprintf(journal, "%s\n", json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
    fflush(journal);
    json_object_put(line);
}
