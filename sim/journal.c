#include "sim/journal.h"

#include <string.h>
#include <time.h>

#include "sim/fields.h"
#include "translate/bytes/wire.h"
#include "translate/json/json.h"

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
static void put_metadata(struct json_object *line, const grpc_metadata_array *metadata)
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

static void put_request(struct json_object *line, const struct journal_entry *entry)
{
    struct json_object *request = NULL;
    if (entry->request && entry->request_schema) {
        struct error ignored = {0};
        request = json_from_message(entry->request_schema, *entry->request, JSON_EXACT, &ignored);
    }
    json_object_object_add(line, "request", request); /* null when it is no message */
}

void journal_append(FILE *journal, struct json_object *line)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    json_object_object_add(line, "at", json_object_new_int64((int64_t)now.tv_sec * 1000000000 + now.tv_nsec));
    fprintf(journal, "%s\n", json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
    fflush(journal);
    json_object_put(line);
}

static struct json_object *add_thing(struct json_object *things, const char *id)
{
    struct json_object *thing = json_object_new_object();
    field_set_text(thing, "id", id);
    json_object_array_add(things, thing);
    return thing;
}

void journal_write_restored(FILE *journal, const struct simulation *simulation)
{
    struct json_object *line = json_object_new_object();
    struct json_object *restored = field_new_object(line, "restored");
    struct json_object *pods = field_new_array(restored, "pods");
    for (size_t i = 0; i < simulation->pods.count; i++) {
        const struct pod *pod = simulation->pods.items[i];
        field_share(add_thing(pods, pod->id), "metadata", field_child(pod->config, "metadata"));
    }
    struct json_object *containers = field_new_array(restored, "containers");
    for (size_t i = 0; i < simulation->containers.count; i++) {
        const struct container *container = simulation->containers.items[i];
        field_set_text(add_thing(containers, container->id), "podSandboxId", container->pod->id);
    }
    journal_append(journal, line);
}

void journal_write(FILE *journal, const struct journal_entry *entry)
{
    struct json_object *line = json_object_new_object();
    json_object_object_add(line, "method", json_object_new_string_len((const char *)entry->path.data, (int)entry->path.len));
    put_request(line, entry);
    put_metadata(line, entry->metadata);
    if (entry->timeout >= 0) {
        json_object_object_add(line, "timeout_ms", json_object_new_int64(entry->timeout));
    }
    field_set_text(line, "code", entry->code);
    field_set_text(line, "message", entry->message);
    field_set_text(line, "made", entry->made);
    if (entry->sent >= 0) {
        json_object_object_add(line, "sent", json_object_new_int64(entry->sent));
    }
    if (entry->request && entry->request_schema) {
        uint32_t unknown = unknown_field_count(entry->request_schema, *entry->request);
        json_object_object_add(line, "unknown_fields", json_object_new_int64(unknown));
        field_set_bytes(line, "request_base64", entry->request->data, entry->request->len);
    }
    journal_append(journal, line);
}
