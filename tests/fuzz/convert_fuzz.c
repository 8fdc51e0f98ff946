/* Any bytes as a request or response between any two dialects. Input: a method's path, a line end, a byte of flags, the message.
   What the gate lets through must decode, also with protobuf-c; nothing grows out of proportion. A request to a runtime that
   ignores fields is refused, or passes as it does to one that ignores none. */
#include "model/api.pb-c.h"
#include "tests/fuzz/fuzz.h"
#include "translate/abilities/abilities.h"
#include "translate/bytes/image_id.h"
#include "translate/convert/convert.h"
#include "translate/json/json.h"
#include "translate/walk/leniency.h"
#include "translate/walk/names.h"

/* Room for defaults that conversions add, and for a name's mark on every byte or two. */
#define MOST_OUTPUT(in) (4096 + 8 * (in))
/* Below this many bytes, neither elements nor memory can run out. */
#define SMALL_INPUT 65536

/* What the flags say: bit 0 request, bit 1 names are mapped, bits 2 and 3 the target, bit 4 the runtime is of v1_12's time, bit 5
   all is let through; bit 6 the runtime ignores all that any runtime ignores, bit 7 this is strict. */
struct input {
    const struct method *method;
    enum dialect from, to;
    bool request, named, lenient, ignoring, strict;
    struct bytes message;
};

static bool read_input(struct bytes bytes, struct input *input)
{
    if (!fuzz_take_call(&bytes, &input->method, &input->from) || bytes.len == 0) {
        return false;
    }
    uint8_t flags = bytes.data[0];
    input->request = flags & 1;
    input->named = flags & 2;
    input->lenient = flags & 32;
    input->ignoring = flags & 64;
    input->strict = flags & 128;
    input->to = (enum dialect)(flags >> 2 & 3);
    if (!input->request && (flags & 16) && dialects[DIALECT_V1_12].caller == input->from) {
        input->from = DIALECT_V1_12;
    }
    input->message = bytes_after(bytes, 1);
    return input->method->in[input->from].path && input->method->in[input->to].path;
}

/* Names get a prefix or lose their beginning, or all of it. */
static bool mark(void *state, enum name_kind kind, bool carried, struct bytes name, struct arena *arena,
                 struct mapped_name *mapped, struct error *error)
{
    (void)state;
    (void)kind;
    (void)carried;
    (void)arena;
    (void)error;
    mapped_name_same(mapped, name);
    if (name.len > 0 && !image_id_is_digest(name)) {
        mapped->front = bytes_of_string(name.data[0] & 1 ? "runtime__" : "");
        mapped->rest = bytes_after(name, name.data[0] & 2 ? name.len / 2 : name.data[0] & 4 ? name.len : 0);
    }
    return true;
}

static void check_decodes(const struct input *input, struct bytes out)
{
    struct json_object *json = json_from_message(input->method->in[input->to].request, out, JSON_EXACT, NULL);
    must(json || out.len > SMALL_INPUT);
    json_object_put(json);
    if (input->to != DIALECT_V1) {
        return;
    }
    const ProtobufCServiceDescriptor *service =
        input->method->service == SERVICE_RUNTIME ? &model__runtime_service__descriptor : &model__image_service__descriptor;
    const ProtobufCMethodDescriptor *method = protobuf_c_service_descriptor_get_method_by_name(service, input->method->name);
    ProtobufCMessage *message = protobuf_c_message_unpack(method->input, NULL, out.len, out.data);
    must(message);
    protobuf_c_message_free_unpacked(message, NULL);
}

static void make_leniency(const struct input *input, struct leniency *leniency)
{
    *leniency = (struct leniency){.all = input->lenient};
    memset(leniency->strict, input->strict, sizeof leniency->strict);
}

/* What the runtime ignores changes no byte, and refuses only what asks for something. */
static void check_ignoring(const struct conversion *conversion, struct bytes in, bool done, struct bytes out,
                           const struct error *failure)
{
    struct conversion plain = *conversion;
    struct bytes without;
    struct error error = {0};
    plain.abilities = NULL;
    plain.report = (struct report){0};
    bool passes = convert_request(&plain, in, &without, &error);
    must(plain.report.ignored == 0);
    if (done) {
        must(passes && bytes_equal(out, without));
    } else if (passes) {
        must(failure->code == STATUS_INVALID_ARGUMENT && !conversion->leniency->all);
    }
}

/* Any bytes as what a runtime reports of itself: never more than it ignores. */
static void check_learned(const struct input *input)
{
    struct ability_set set = {.name = "known 1.0", .entries = UINT64_MAX};
    struct bytes handler = bytes_of(input->message.data, input->message.len < 8 ? input->message.len : 8);
    ability_set_learn(&set, input->from, input->message);
    must(set.handler_count <= ABILITY_HANDLERS_MAX && set.entries == UINT64_MAX);
    for (size_t i = 0; i < set.handler_count; i++) {
        must(set.handlers[i].reported != 0 && memchr(set.handlers[i].handler, '\0', ABILITY_HANDLER_SIZE));
    }
    must((ability_set_for(&set, NULL) & ~ability_set_for(&set, &handler)) == 0);
}

static bool is_stream(const struct method *method)
{
    return strcmp(method->name, "Exec") == 0 || strcmp(method->name, "Attach") == 0 || strcmp(method->name, "PortForward") == 0;
}

/* Within one dialect an answer passes as it is. A URL without a scheme gets one, once. */
static void check_same(struct conversion *conversion, struct bytes in, struct bytes out)
{
    struct bytes again;
    if (out.len > in.len && is_stream(conversion->method)) {
        must(convert_response(conversion, out, &again, NULL) && bytes_equal(again, out));
    } else {
        must(bytes_equal(in, out));
    }
}

static void try_input(const struct input *input, struct arena *arena)
{
    const struct names names = {.kinds = ~0U, .map = mark};
    const struct ability_set set = {.name = "known 1.0", .entries = UINT64_MAX};
    struct leniency leniency;
    make_leniency(input, &leniency);
    struct conversion conversion = {.method = input->method,
                                    .from = input->from,
                                    .to = input->to,
                                    .arena = arena,
                                    .names = input->named ? &names : NULL,
                                    .leniency = &leniency,
                                    .abilities = input->ignoring ? &set : NULL,
                                    .wants_requested_image = input->request && input->from == input->to &&
                                                             input->to == DIALECT_V1 &&
                                                             strcmp(input->method->name, "CreateContainer") == 0};
    if (!input->request && strcmp(input->method->name, "Status") == 0) {
        check_learned(input);
    }
    struct bytes out;
    struct error error = {0};
    bool done = (input->request ? convert_request : convert_response)(&conversion, input->message, &out, &error);
    if (input->request && input->ignoring) {
        check_ignoring(&conversion, input->message, done, out, &error);
    }
    if (!done) {
        enum status_code refusal = input->request ? STATUS_INVALID_ARGUMENT : STATUS_INTERNAL;
        must(error.message[0] != '\0');
        must(error.code == refusal || (error.code == STATUS_RESOURCE_EXHAUSTED && input->message.len > SMALL_INPUT));
        return;
    }
    must(error.code == STATUS_OK && out.len <= MOST_OUTPUT(input->message.len));
    if (input->request) {
        check_decodes(input, out);
    } else if (!input->named && input->from == input->to && strcmp(input->method->name, "Version") != 0) {
        check_same(&conversion, input->message, out);
    }
}

void fuzz_try(struct bytes bytes, struct arena *arena)
{
    struct input input;
    if (read_input(bytes, &input)) {
        try_input(&input, arena);
    }
}
