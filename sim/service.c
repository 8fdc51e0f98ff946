#include "sim/service.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/common/fields.h"
#include "sim/common/memory.h"
#include "sim/padding.h"
#include "sim/state_store.h"
#include "translate/bytes/wire.h"
#include "translate/json/json.h"

/* More than any answer that a test requests. */
#define ANSWER_CAP ((size_t)2 << 30)

/* The number of variants, which take turns. */
#define VARIANTS 4

/* Bytes that are not a message of any type. */
#define GARBAGE "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"

/* Items in one message of a streamed list. */
#define STREAM_ITEMS 100

bool service_init(struct cri_service *service, struct options *options, struct error *error)
{
    service->options = options;
    memset(&service->cache, 0, sizeof service->cache);
    simulation_init(&service->simulation, &options->settings);
    bool kept = options->state && access(options->state, F_OK) == 0;
    bool good = kept ? state_store_load(&service->simulation, options->state, error)
                     : simulation_preload(&service->simulation, options->containers, options->images, error) &&
                           (!options->state || state_store_save(&service->simulation, options->state, error));
    service->kept_generation = service->simulation.generation;
    return good;
}

void service_clear(struct cri_service *service)
{
    cache_clear(&service->cache);
    simulation_clear(&service->simulation);
}

/* The newest dialect served in the package of `caller`. */
static bool served_dialect(const struct cri_service *service, enum dialect caller, enum dialect *dialect)
{
    for (size_t i = DIALECT_COUNT; i > 0; i--) {
        if (service->options->served[i - 1] && strcmp(dialects[i - 1].package, dialects[caller].package) == 0) {
            *dialect = (enum dialect)(i - 1);
            return true;
        }
    }
    return false;
}

bool service_find(const struct cri_service *service, struct bytes path, const bool offered[2], struct target *target,
                  struct error *error)
{
    struct bytes service_name = path.len > 0 && path.data[0] == '/' ? bytes_after(path, 1) : path;
    const uint8_t *slash = service_name.len > 0 ? memchr(service_name.data, '/', service_name.len) : NULL;
    if (!slash || service_name.len == path.len) {
        return error_set(error, STATUS_UNIMPLEMENTED, "malformed method name: \"%.*s\"", (int)path.len, (const char *)path.data);
    }
    service_name.len = (size_t)(slash - service_name.data);
    struct bytes method_name = bytes_after(path, service_name.len + 2);
    enum dialect caller;
    enum service kind = bytes_end_with(service_name, bytes_of_string("ImageService")) ? SERVICE_IMAGE : SERVICE_RUNTIME;
    if (!method_path_package(path, &caller) || !served_dialect(service, caller, &target->dialect) || !offered[kind]) {
        return error_set(error, STATUS_UNIMPLEMENTED, "unknown service %.*s", (int)service_name.len,
                         (const char *)service_name.data);
    }
    target->method = method_find(path, &caller);
    target->handler = target->method ? handler_of_method(target->method->name) : NULL;
    if (!target->handler || !target->method->in[target->dialect].path) {
        return error_set(error, STATUS_UNIMPLEMENTED, "unknown method %.*s for service %.*s", (int)method_name.len,
                         (const char *)method_name.data, (int)service_name.len, (const char *)service_name.data);
    }
    return true;
}

const struct rule *service_rule(struct cri_service *service, const struct method *method, enum rule_kind kind)
{
    return rules_use(&service->options->rules, method, kind);
}

/* The version in a package name, "v1" of "runtime.v1"; the oldest package has none, and its runtimes reported this one. */
static const char *api_version_of(enum dialect dialect)
{
    const char *dot = strchr(dialects[dialect].package, '.');
    return dot ? dot + 1 : "v1alpha1";
}

static bool has_namespace_flags(enum dialect dialect)
{
    const struct schema_message *options = schema_message_by_name(dialect, "NamespaceOption");
    const struct schema_field *first = options ? schema_field_by_number(options, 1) : NULL;
    return first && first->type == FIELD_BOOL;
}

bool service_encode(const struct target *target, struct json_object *response, grpc_slice *encoded, struct error *error)
{
    struct arena *arena = arena_new(ANSWER_CAP);
    struct bytes bytes;
    bool good = arena && json_to_message(target->method->in[target->dialect].response, response, true, arena, &bytes, error);
    if (good) {
        *encoded = grpc_slice_from_copied_buffer((const char *)bytes.data, bytes.len);
    }
    arena_unref(arena);
    return good || error_wrap(error, "crisim could not encode its answer");
}

void answer_add(struct answer *answer, grpc_slice message)
{
    answer->messages = sim_grown(answer->messages, answer->message_count, sizeof *answer->messages);
    answer->messages[answer->message_count++] = message;
}

static bool add_encoded(struct cri_service *service, const struct target *target, struct json_object *response,
                        struct answer *answer)
{
    grpc_slice encoded = grpc_empty_slice();
    if (!service_encode(target, response, &encoded, &answer->error)) {
        return false;
    }
    const struct rule *oversize = service_rule(service, target->method, RULE_OVERSIZE);
    if (oversize) {
        response_pad(target->method->in[target->dialect].response, response, GRPC_SLICE_LENGTH(encoded), oversize->number);
        grpc_slice_unref(encoded);
        if (!service_encode(target, response, &encoded, &answer->error)) {
            return false;
        }
    }
    const struct rule *append = service_rule(service, target->method, RULE_APPEND);
    answer_add(answer, append ? appendix_add(encoded, &append->appendix) : encoded);
    return true;
}

/* Sends a list as messages with some of its items each; for an empty list, no message. */
static void add_streamed(struct cri_service *service, const struct target *target, struct json_object *response,
                         struct answer *answer)
{
    struct json_object *items = field_child(response, target->handler->list_field);
    size_t count = items ? json_object_array_length(items) : 0;
    bool good = true;
    for (size_t start = 0; good && start < count; start += STREAM_ITEMS) {
        struct json_object *part = json_object_new_object();
        struct json_object *some = field_new_array(part, target->handler->stream_field);
        for (size_t i = start; i < count && i < start + STREAM_ITEMS; i++) {
            json_object_array_add(some, json_object_get(json_object_array_get_idx(items, i)));
        }
        good = add_encoded(service, target, part, answer);
        json_object_put(part);
    }
}

/* Messages from there on are not sent. */
static void cut_messages(struct answer *answer, size_t count)
{
    while (answer->message_count > count) {
        grpc_slice_unref(answer->messages[--answer->message_count]);
    }
}

/* The misbehaviour of a stream after its beginning. */
static void misbehave_midway(struct cri_service *service, const struct method *method, struct answer *answer)
{
    const struct rule *breaks = service_rule(service, method, RULE_BREAK);
    const struct rule *stalls = service_rule(service, method, RULE_STALL);
    const struct rule *spoils = service_rule(service, method, RULE_SPOIL);
    if (breaks) {
        cut_messages(answer, breaks->number);
        error_set(&answer->error, breaks->code, "%s was told to break", method->name);
    }
    if (stalls) {
        cut_messages(answer, stalls->number);
        answer->stalls = true;
    }
    if (spoils && spoils->number < answer->message_count) {
        cut_messages(answer, spoils->number);
        answer_add(answer, grpc_slice_from_static_string(GARBAGE));
    }
}

/* If the state cannot be stored, the call must not succeed. */
static void keep_state(struct cri_service *service)
{
    struct error error = {0};
    const char *path = service->options->state;
    if (!path || service->kept_generation == service->simulation.generation) {
        return;
    }
    if (!state_store_save(&service->simulation, path, &error)) {
        fprintf(stderr, "crisim: %s\n", error.message);
        abort();
    }
    service->kept_generation = service->simulation.generation;
}

static void handle_request(struct cri_service *service, const struct target *target, struct bytes request, struct answer *answer)
{
    struct json_object *decoded =
        json_from_message(target->method->in[target->dialect].request, request, JSON_EXACT, &answer->error);
    if (!decoded) {
        error_wrap(&answer->error, "grpc: error unmarshalling request");
        answer->error.code = STATUS_INTERNAL;
        return;
    }
    struct exchange exchange = {.simulation = &service->simulation,
                                .request = decoded,
                                .response = json_object_new_object(),
                                .api_version = api_version_of(target->dialect),
                                .namespace_flags = has_namespace_flags(target->dialect)};
    struct error error = {0};
    if (!target->handler->handle(&exchange, &error)) {
        answer->error = error;
        answer->error.code = service->options->settings.errors_without_codes ? STATUS_UNKNOWN : error.code;
    } else if (target->handler->subscribes) {
        answer->stays_open = !service->options->no_events;
    } else if (target->handler->list_field) {
        add_streamed(service, target, exchange.response, answer);
        misbehave_midway(service, target->method, answer);
    } else {
        add_encoded(service, target, exchange.response, answer);
    }
    keep_state(service);
    const char *made =
        field_text(exchange.response, strcmp(target->method->name, "CreateContainer") == 0 ? "containerId" : "podSandboxId");
    snprintf(answer->made, sizeof answer->made, "%s", made);
    answer->delay = exchange.delay;
    json_object_put(exchange.response);
    json_object_put(decoded);
}

/* Replaces the last character by another digit. */
static void vary(grpc_slice message, unsigned variant)
{
    size_t len = GRPC_SLICE_LENGTH(message);
    uint8_t *bytes = GRPC_SLICE_START_PTR(message);
    if (len > 0 && isalnum(bytes[len - 1])) {
        bytes[len - 1] = (uint8_t)('0' + variant);
    }
}

/* Reorders adjacent fields, in the same way in each run. */
static void shuffle_run(struct bytes *fields, size_t count, uint64_t *random)
{
    for (size_t left = count; left > 1; left--) {
        *random = *random * 6364136223846793005U + 1442695040888963407U;
        size_t other = (size_t)(*random >> 33) % left;
        struct bytes swap = fields[other];
        fields[other] = fields[left - 1];
        fields[left - 1] = swap;
    }
}

/* The items of a list and the entries of their maps: adjacent fields of one number, at the top level and one below. */
static void shuffle_message(uint8_t *data, size_t len, unsigned depth, uint64_t *random)
{
    struct bytes *fields = calloc(len + 1, sizeof *fields);
    uint8_t *out = malloc(len + 1);
    size_t count = 0, begin = 0, written = 0;
    uint32_t number = 0;
    struct wire_reader reader = wire_reader_of(bytes_of(data, len));
    struct wire_field field;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        if (depth == 0 && field.type == WIRE_LENGTH) {
            shuffle_message(data + (field.payload.data - data), field.payload.len, 1, random);
        }
        if (field.number != number) {
            shuffle_run(fields + begin, count - begin, random);
            begin = count;
            number = field.number;
        }
        fields[count++] = bytes_of(field.start, (size_t)(field.end - field.start));
    }
    shuffle_run(fields + begin, count - begin, random);
    for (size_t i = 0; i < count; i++) {
        memcpy(out + written, fields[i].data, fields[i].len);
        written += fields[i].len;
    }
    memcpy(data, out, written);
    free(fields);
    free(out);
}

static void shuffle(grpc_slice message, unsigned variant)
{
    uint64_t random = variant;
    shuffle_message(GRPC_SLICE_START_PTR(message), GRPC_SLICE_LENGTH(message), 0, &random);
}

void service_answer(struct cri_service *service, const struct target *target, struct bytes request, struct answer *answer)
{
    *answer = (struct answer){0};
    const struct rule *fail = service_rule(service, target->method, RULE_FAIL);
    if (fail) {
        const char *text = service->options->fail_text;
        error_set(&answer->error, fail->code, "%s%s", text ? text : target->method->name, text ? "" : " was told to fail");
        return;
    }
    if (service_rule(service, target->method, RULE_NOT_IMPLEMENTED)) {
        error_set(&answer->error, STATUS_UNKNOWN, "not implemented");
        return;
    }
    if (service_rule(service, target->method, RULE_GARBAGE)) {
        answer_add(answer, grpc_slice_from_static_string(GARBAGE));
        return;
    }
    const void *identity = &target->method->in[target->dialect];
    grpc_slice cached;
    bool repeats = service_rule(service, target->method, RULE_REPEAT) != NULL;
    bool cacheable = repeats || target->handler->cacheable;
    bool varies = service_rule(service, target->method, RULE_VARY) != NULL;
    bool shuffles = service_rule(service, target->method, RULE_SHUFFLE) != NULL;
    unsigned variant = varies || shuffles ? service->turn++ % VARIANTS : 0;
    uint64_t generation = repeats ? 0 : service->simulation.generation;
    if (cacheable && cache_find(&service->cache, identity, generation, variant, request, &cached)) {
        answer_add(answer, cached);
        return;
    }
    handle_request(service, target, request, answer);
    if (shuffles && answer->message_count == 1) {
        shuffle(answer->messages[0], variant);
    }
    if (varies && answer->message_count == 1) {
        vary(answer->messages[0], variant);
    }
    if (cacheable && answer->message_count == 1) {
        cache_put(&service->cache, identity, generation, variant, request, answer->messages[0]);
    }
}

void answer_clear(struct answer *answer)
{
    for (size_t i = 0; i < answer->message_count; i++) {
        grpc_slice_unref(answer->messages[i]);
    }
    free(answer->messages);
    *answer = (struct answer){0};
}
