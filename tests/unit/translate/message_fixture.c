#include "tests/unit/translate/message_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cmocka.h"
#include "translate/bytes/wire.h"
#include "translate/convert/convert.h"
#include "translate/json/json.h"
#include "translate/walk/text_table.h"

#define ARENA_CAP ((size_t)64 * 1024 * 1024)

int exchange_begin(void **state)
{
    struct exchange *exchange = calloc(1, sizeof *exchange);
    assert_non_null(exchange);
    exchange->arena = arena_new(ARENA_CAP);
    assert_non_null(exchange->arena);
    *state = exchange;
    return 0;
}

int exchange_end(void **state)
{
    struct exchange *exchange = *state;
    arena_unref(exchange->arena);
    free(exchange);
    return 0;
}

void exchange_cap(struct exchange *exchange, size_t cap)
{
    arena_unref(exchange->arena);
    exchange->arena = arena_new(cap);
    assert_non_null(exchange->arena);
}

/* The caller owns it. */
static struct json_object *parsed(const char *json)
{
    char *text = strdup(json);
    assert_non_null(text);
    for (char *at = text; *at; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    struct error error = {0};
    struct json_object *object = json_from_text(bytes_of_string(text), &error);
    if (!object) {
        fail_msg("%s: %s", error.message, text);
    }
    free(text);
    return object;
}

struct bytes exchange_bytes(struct exchange *exchange, const struct schema_message *message, const char *json)
{
    struct json_object *object = parsed(json);
    struct error error = {0};
    struct bytes bytes = {0};
    if (!json_to_message(message, object, false, exchange->arena, &bytes, &error)) {
        fail_msg("%s: %s", message->name, error.message);
    }
    json_object_put(object);
    return bytes;
}

static const struct method *method_of(const char *name)
{
    const struct method *method = method_by_name(name);
    assert_non_null(method);
    return method;
}

struct bytes exchange_request_bytes(struct exchange *exchange, const char *method, enum dialect dialect, const char *json)
{
    return exchange_bytes(exchange, method_of(method)->in[dialect].request, json);
}

struct bytes exchange_response_bytes(struct exchange *exchange, const char *method, enum dialect dialect, const char *json)
{
    return exchange_bytes(exchange, method_of(method)->in[dialect].response, json);
}

struct bytes exchange_join(struct exchange *exchange, struct bytes first, struct bytes second)
{
    uint8_t *data = arena_alloc(exchange->arena, first.len + second.len);
    assert_non_null(data);
    if (first.len > 0) {
        memcpy(data, first.data, first.len);
    }
    if (second.len > 0) {
        memcpy(data + first.len, second.data, second.len);
    }
    return bytes_of(data, first.len + second.len);
}

struct bytes exchange_field(struct exchange *exchange, uint32_t number, struct bytes payload)
{
    uint8_t head[2 * WIRE_MAX_VARINT];
    size_t size = wire_put_varint(head, (uint64_t)number << 3 | WIRE_LENGTH);
    size += wire_put_varint(head + size, payload.len);
    return exchange_join(exchange, bytes_of(head, size), payload);
}

static struct conversion conversion_of(struct exchange *exchange, const char *method, enum dialect from, enum dialect to)
{
    exchange->error = (struct error){0};
    return (struct conversion){
        .method = method_of(method),
        .from = from,
        .to = to,
        .arena = exchange->arena,
        .names = exchange->names,
        .node = exchange->node,
        .leniency = &exchange->leniency,
        .abilities = exchange->abilities,
        .caller_lacks_masked_paths = exchange->caller_lacks_masked_paths,
    };
}

bool exchange_request(struct exchange *exchange, const char *method, enum dialect from, enum dialect to, struct bytes in,
                      struct bytes *out)
{
    struct conversion conversion = conversion_of(exchange, method, from, to);
    bool done = convert_request(&conversion, in, out, &exchange->error);
    exchange->report = conversion.report;
    assert_int_equal(done, exchange->error.code == STATUS_OK);
    return done;
}

bool exchange_response(struct exchange *exchange, const char *method, enum dialect from, enum dialect to, struct bytes in,
                       struct bytes *out)
{
    struct conversion conversion = conversion_of(exchange, method, from, to);
    bool done = convert_response(&conversion, in, out, &exchange->error);
    exchange->report = conversion.report;
    assert_int_equal(done, exchange->error.code == STATUS_OK);
    return done;
}

void exchange_expect_message(const struct schema_message *message, struct bytes bytes, const char *json)
{
    struct error error = {0};
    struct json_object *found = json_from_message(message, bytes, JSON_EXACT, &error);
    if (!found) {
        fail_msg("%s: %s", message->name, error.message);
    }
    struct json_object *expected = parsed(json);
    if (!json_object_equal(found, expected)) {
        fail_msg("%s is %s, not %s", message->name, json_object_to_json_string(found), json_object_to_json_string(expected));
    }
    json_object_put(expected);
    json_object_put(found);
}

void exchange_expect_request(struct exchange *exchange, const char *method, enum dialect from, enum dialect to, const char *in,
                             const char *out)
{
    struct bytes converted;
    if (!exchange_request(exchange, method, from, to, exchange_request_bytes(exchange, method, from, in), &converted)) {
        fail_msg("%s from %s to %s: %s", method, dialects[from].name, dialects[to].name, exchange->error.message);
    }
    exchange_expect_message(method_of(method)->in[to].request, converted, out);
}

void exchange_expect_response(struct exchange *exchange, const char *method, enum dialect from, enum dialect to, const char *in,
                              const char *out)
{
    struct bytes converted;
    if (!exchange_response(exchange, method, from, to, exchange_response_bytes(exchange, method, from, in), &converted)) {
        fail_msg("%s from %s to %s: %s", method, dialects[from].name, dialects[to].name, exchange->error.message);
    }
    exchange_expect_message(method_of(method)->in[to].response, converted, out);
}

/* What a refusal says that would let the request through, with nothing before and after it; NULL when it says nothing. */
static const char *what_lets_through(const char *message, char *name, size_t size)
{
    const char *start = strstr(message, "\"translation: {lenient: [");
    if (!start) {
        return NULL;
    }
    start += strlen("\"translation: {lenient: [");
    snprintf(name, size, "%.*s", (int)strcspn(start, "]"), start);
    return name;
}

/* The path at the start of a refusal. */
static const char *path_of_refusal(const char *message, char *path, size_t size)
{
    snprintf(path, size, "%.*s", (int)strcspn(message, ":"), message);
    return path;
}

/* The request must pass when all is let through that its refusals name, by the rule or by the path; then something was counted,
   and what comes out is a message of the target without unknown fields. */
static void expect_let_through(struct exchange *exchange, const char *method, enum dialect from, enum dialect to, struct bytes in,
                               bool by_path)
{
    enum { MOST_REFUSALS = 8 };
    char message[ERROR_MESSAGE_SIZE];
    char name[ERROR_MESSAGE_SIZE];
    snprintf(message, sizeof message, "%s", exchange->error.message);
    struct bytes converted;
    bool passed = false;
    for (int i = 0; i < MOST_REFUSALS && !passed; i++) {
        struct error error = {0};
        const char *told = what_lets_through(exchange->error.message, name, sizeof name);
        told = told && by_path ? path_of_refusal(exchange->error.message, name, sizeof name) : told;
        if (!told || !leniency_add(&exchange->leniency, told, &error)) {
            fail_msg("\"%s\" names nothing that lets it through: %s", exchange->error.message, error.message);
        }
        passed = exchange_request(exchange, method, from, to, in, &converted);
    }
    if (!passed) {
        fail_msg("%s from %s to %s is still refused: %s", method, dialects[from].name, dialects[to].name,
                 exchange->error.message);
    }
    assert_int_not_equal(exchange->report.let_through, 0);
    struct json_object *json = json_from_message(method_of(method)->in[to].request, converted, JSON_EXACT, &exchange->error);
    assert_non_null(json);
    json_object_put(json);
    exchange->leniency = (struct leniency){0};
    snprintf(exchange->error.message, sizeof exchange->error.message, "%s", message);
}

void exchange_expect_refused_bytes(struct exchange *exchange, const char *method, enum dialect from, enum dialect to,
                                   struct bytes in, enum status_code code, const char *start)
{
    struct bytes converted;
    if (exchange_request(exchange, method, from, to, in, &converted)) {
        fail_msg("%s from %s to %s was taken, not refused with \"%s\"", method, dialects[from].name, dialects[to].name, start);
    }
    if (strncmp(exchange->error.message, start, strlen(start)) != 0) {
        fail_msg("refused with \"%s\", not \"%s\"", exchange->error.message, start);
    }
    assert_string_equal(status_code_name(exchange->error.code), status_code_name(code));
}

void exchange_expect_refused(struct exchange *exchange, const char *method, enum dialect from, enum dialect to, const char *in,
                             enum status_code code, const char *start)
{
    struct bytes bytes = exchange_request_bytes(exchange, method, from, in);
    exchange_expect_refused_bytes(exchange, method, from, to, bytes, code, start);
    char name[ERROR_MESSAGE_SIZE];
    if (what_lets_through(exchange->error.message, name, sizeof name)) {
        expect_let_through(exchange, method, from, to, bytes, false);
        expect_let_through(exchange, method, from, to, bytes, true);
    }
}

uint32_t exchange_losses(const struct exchange *exchange, const char *field)
{
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        if (strcmp(translation_rules[i].field, field) == 0) {
            return exchange->report.rules[i].dropped;
        }
    }
    return 0;
}
