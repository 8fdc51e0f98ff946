/* Any bytes as a request: what routing reads from it is inside of it, and is what a decoder reads there if the gate lets it
   through. Input: a method's path, a line end, the request. */
#include "base/bytes/utf8.h"
#include "tests/fuzz/fuzz.h"
#include "translate/convert/convert.h"
#include "translate/json/json.h"
#include "translate/schema/peek.h"

struct request {
    const struct method *method;
    enum dialect dialect;
    struct bytes bytes;
};

static void must_be_inside(const struct request *request, struct bytes part)
{
    must(part.len == 0 || (part.data >= request->bytes.data && part.data + part.len <= request->bytes.data + request->bytes.len));
}

/* The value at a place as the decoder has it; NULL where there is none. `field` becomes the schema's. */
static struct json_object *decoded_at(const struct request *request, const struct peek_path *path, struct json_object *json,
                                      const struct schema_field **field)
{
    const struct schema_message *message = request->method->in[request->dialect].request;
    for (uint8_t i = 0; i < path->depth; i++) {
        *field = schema_field_by_number(message, path->numbers[i]);
        must(*field);
        message = (*field)->message;
        if (!json_object_object_get_ex(json, (*field)->json_name, &json)) {
            return NULL;
        }
    }
    return path->depth > 0 ? json : NULL;
}

/* JSON holds no bytes that are not UTF-8; those are not compared. */
static void must_be_text(struct bytes found, struct json_object *text)
{
    if (utf8_count_invalid(found) > 0) {
        return;
    }
    struct bytes expected =
        text ? bytes_of(json_object_get_string(text), (size_t)json_object_get_string_len(text)) : (struct bytes){0};
    must(bytes_equal(found, expected));
}

static void check_map(const struct request *request, enum peek what, struct json_object *map)
{
    json_object_object_foreach(map, key, value)
    {
        struct bytes found = peek_map(request->method, request->dialect, what, request->bytes, bytes_of_string(key));
        /* A key that is no UTF-8 reads like another one in JSON. */
        if (!strstr(key, "\xEF\xBF\xBD")) {
            must_be_text(found, value);
        }
    }
}

static void check_against_decoder(const struct request *request, struct json_object *json)
{
    for (int what = 0; what < PEEK_COUNT; what++) {
        const struct peek_path *path = &request->method->in[request->dialect].peeks[what];
        const struct schema_field *field = NULL;
        struct json_object *value = decoded_at(request, path, json, &field);
        if (!field) {
            continue;
        }
        if (field->map) {
            if (value) {
                check_map(request, (enum peek)what, value);
            }
        } else if (field->type == FIELD_BOOL) {
            must(peek_bool(request->method, request->dialect, (enum peek)what, request->bytes) == json_object_get_boolean(value));
        } else if (field->type == FIELD_STRING) {
            must_be_text(peek_bytes(request->method, request->dialect, (enum peek)what, request->bytes), value);
        }
    }
}

static void try_request(const struct request *request, struct arena *arena)
{
    for (int what = 0; what < PEEK_COUNT; what++) {
        must_be_inside(request, peek_bytes(request->method, request->dialect, (enum peek)what, request->bytes));
        must_be_inside(request, peek_map(request->method, request->dialect, (enum peek)what, request->bytes,
                                         bytes_of_string("kubernetes.io/target-runtime")));
        peek_bool(request->method, request->dialect, (enum peek)what, request->bytes);
    }
    struct conversion conversion = {.method = request->method, .from = request->dialect, .to = request->dialect, .arena = arena};
    struct bytes out;
    if (!convert_request(&conversion, request->bytes, &out, NULL)) {
        return;
    }
    struct json_object *json = json_from_message(request->method->in[request->dialect].request, request->bytes, JSON_EXACT, NULL);
    must(json);
    check_against_decoder(request, json);
    json_object_put(json);
}

void fuzz_try(struct bytes bytes, struct arena *arena)
{
    struct request request = {.bytes = bytes};
    if (fuzz_take_call(&request.bytes, &request.method, &request.dialect)) {
        try_request(&request, arena);
    }
}
