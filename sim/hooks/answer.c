#include "sim/hooks/answer.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/arena.h"
#include "base/bytes/utf8.h"
#include "sim/common/fields.h"
#include "sim/common/memory.h"
#include "translate/bytes/wire.h"
#include "translate/json/json.h"

/* More than any answer that a test requests. */
#define ANSWER_CAP ((size_t)2 << 30)

/* Bytes that are not a message of any type. */
#define GARBAGE "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"

/* Deeper than any message of hooks. */
#define MAX_DEPTH 8

/* Whether all strings are text, as decoders other than ours require. */
static bool strings_are_text(const struct schema_message *schema, struct bytes message, unsigned depth)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field occurrence;
    bool good = true;
    while (good && reader.at < reader.end && wire_read_field(&reader, &occurrence)) {
        const struct schema_field *field = schema_field_by_number(schema, occurrence.number);
        if (!field || occurrence.type != WIRE_LENGTH) {
            continue;
        }
        if (field->type == FIELD_STRING) {
            good = utf8_is_valid(occurrence.payload);
        } else if (field->type == FIELD_MESSAGE && depth < MAX_DEPTH) {
            good = strings_are_text(field->message, occurrence.payload, depth + 1);
        }
    }
    return good;
}

/* What of the request an answer can hold: fields of the same name. */
static struct json_object *echo_of(const struct hook *hook, struct json_object *request)
{
    struct json_object *response = json_object_new_object();
    for (size_t i = 0; i < hook->response->field_count; i++) {
        const char *name = hook->response->fields[i].json_name;
        struct json_object *value = field_child(request, name), *copy = NULL;
        if (value && json_object_deep_copy(value, &copy, NULL) == 0) {
            json_object_object_add(response, name, copy);
        }
    }
    return response;
}

static bool encode(const struct schema_message *schema, struct json_object *json, grpc_slice *encoded, struct error *error)
{
    struct arena *arena = arena_new(ANSWER_CAP);
    struct bytes bytes;
    bool good = arena && json_to_message(schema, json, false, arena, &bytes, error);
    if (good) {
        *encoded = grpc_slice_from_copied_buffer((const char *)bytes.data, bytes.len);
    }
    arena_unref(arena);
    return good || error_wrap(error, "hooksim could not encode its answer");
}

/* Adds an entry to the first map of the answer, which is one of labels or annotations. */
static void pad(const struct hook *hook, struct json_object *response, size_t size)
{
    const char *name = hook->response->fields[0].json_name;
    struct json_object *map = field_child(response, name);
    char *filler = sim_filler(size);
    json_object_object_add(map ? map : field_new_object(response, name), "padding",
                           json_object_new_string_len(filler, (int)size));
    free(filler);
}

/* Moves the first `turn` members, of as many as there are, to the end. */
static void rotate(struct json_object *map, unsigned turn)
{
    size_t count = (size_t)json_object_object_length(map);
    for (size_t left = count > 0 ? turn % count : 0; left > 0; left--) {
        struct json_object_iterator first = json_object_iter_begin(map);
        char *key = strdup(json_object_iter_peek_name(&first));
        struct json_object *value = json_object_get(json_object_iter_peek_value(&first));
        json_object_object_del(map, key);
        json_object_object_add(map, key, value);
        free(key);
    }
}

static void shuffle(const struct schema_message *schema, struct json_object *message, unsigned turn)
{
    for (size_t i = 0; i < schema->field_count; i++) {
        const struct schema_field *field = &schema->fields[i];
        struct json_object *value = field_child(message, field->json_name);
        if (value && field->map) {
            rotate(value, turn);
        } else if (value && field->type == FIELD_MESSAGE && !field->repeated) {
            shuffle(field->message, value, turn);
        }
    }
}

/* An answer of the hooks that have the other type. */
static void answer_other(const struct hook_options *options, const struct hook *hook, struct hook_answer *answer)
{
    static const char pod[] = "{\"labels\":{\"a\":\"b\"},\"annotations\":{\"c\":\"d\"},\"cgroupParent\":\"/e\","
                              "\"resources\":{\"cpuPeriod\":\"100000\",\"cpusetCpus\":\"0\"}}";
    static const char container[] = "{\"containerAnnotations\":{\"a\":\"b\"},\"containerResources\":{\"cpuPeriod\":\"100000\","
                                    "\"cpusetCpus\":\"0\"},\"podCgroupParent\":\"/e\",\"containerEnvs\":{\"C\":\"d\"}}";
    const struct schema_message *other = hook->response;
    for (size_t i = 0; i < hook_count(options->schema) && other == hook->response; i++) {
        other = hook_at(options->schema, i)->response;
    }
    struct json_object *json = json_tokener_parse(schema_field_by_name(other, "labels") ? pod : container);
    encode(other, json, &answer->message, &answer->error);
    json_object_put(json);
}

/* Two messages, one behind the other, are one with each field twice. */
static grpc_slice doubled(grpc_slice message)
{
    size_t size = GRPC_SLICE_LENGTH(message);
    grpc_slice twice = grpc_slice_malloc(2 * size);
    memcpy(GRPC_SLICE_START_PTR(twice), GRPC_SLICE_START_PTR(message), size);
    memcpy(GRPC_SLICE_START_PTR(twice) + size, GRPC_SLICE_START_PTR(message), size);
    grpc_slice_unref(message);
    return twice;
}

static void answer_request(struct hook_options *options, const struct hook *hook, struct json_object *request, unsigned turn,
                           struct hook_answer *answer)
{
    struct json_object *response = options->empty ? json_object_new_object() : echo_of(hook, request);
    for (size_t i = 0; i < options->edit_count; i++) {
        edit_apply(&options->edits[i], hook, response);
    }
    const struct rule *oversize = hook_options_rule(options, hook, HOOK_RULE_OVERSIZE);
    if (oversize) {
        pad(hook, response, oversize->number);
    }
    if (options->shuffle) {
        shuffle(hook->response, response, turn);
    }
    bool good = encode(hook->response, response, &answer->message, &answer->error);
    json_object_put(response);
    if (good && hook_options_rule(options, hook, HOOK_RULE_TWICE)) {
        answer->message = doubled(answer->message);
    }
    const struct rule *append = good ? hook_options_rule(options, hook, HOOK_RULE_APPEND) : NULL;
    if (append) {
        answer->message = appendix_add(answer->message, &append->appendix);
    }
}

void hook_answer_make(struct hook_options *options, const struct hook *hook, struct bytes request, unsigned turn,
                      struct hook_answer *answer)
{
    *answer = (struct hook_answer){.message = grpc_empty_slice(), .copies = 1};
    const struct rule *fail = hook_options_rule(options, hook, HOOK_RULE_FAIL);
    if (fail) {
        error_set(&answer->error, fail->code, "%s was told to fail %s", options->name, hook->name);
        return;
    }
    struct json_object *decoded = json_from_message(hook->request, request, JSON_EXACT, &answer->error);
    if (decoded && !strings_are_text(hook->request, request, 0)) {
        error_set(&answer->error, STATUS_INTERNAL, "string field contains invalid UTF-8");
    }
    if (answer->error.code != STATUS_OK) {
        answer->error.code = STATUS_INTERNAL;
        error_wrap(&answer->error, "grpc: error unmarshalling request");
    } else if (hook_options_rule(options, hook, HOOK_RULE_GARBAGE)) {
        answer->message = grpc_slice_from_static_string(GARBAGE);
    } else if (hook_options_rule(options, hook, HOOK_RULE_OTHER)) {
        answer_other(options, hook, answer);
    } else {
        answer_request(options, hook, decoded, turn, answer);
    }
    json_object_put(decoded);
    const struct rule *messages = hook_options_rule(options, hook, HOOK_RULE_MESSAGES);
    answer->copies = messages ? messages->number : 1;
}
