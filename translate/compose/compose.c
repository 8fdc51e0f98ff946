#include "translate/compose/compose.h"

#include <json-c/linkhash.h>

#include "translate/convert/convert.h"

static bool no_memory(struct error *error)
{
    return error_set(error, STATUS_RESOURCE_EXHAUSTED, "no memory left for this call");
}

void compose_memory_clear(struct compose_memory *memory)
{
    if (memory->image_ids) {
        lh_table_free(memory->image_ids);
    }
    *memory = (struct compose_memory){0};
}

bool composing_request(const struct composing *composing, struct bytes *request, struct error *error)
{
    struct conversion conversion = {
        .method = composing->method,
        .from = composing->caller,
        .to = DIALECT_MODEL,
        .arena = composing->arena,
        .names = composing->names,
    };
    return convert_request(&conversion, composing->request, request, error);
}

void *composing_decode(const struct composing *composing, const ProtobufCMessageDescriptor *descriptor, struct bytes bytes,
                       struct error *error)
{
    void *message = protobuf_c_message_unpack(descriptor, arena_protobuf_allocator(composing->arena), bytes.len, bytes.data);
    if (!message) {
        error_set(error, STATUS_INTERNAL, "an answer of runtime %s is no %s", composing->runtime_name, descriptor->short_name);
    }
    return message;
}

bool composing_receive(struct composing *composing, struct error *error)
{
    return !composing->receive || composing->receive(composing, error);
}

void *composing_received(struct composing *composing, const ProtobufCMessageDescriptor *descriptor, struct error *error)
{
    struct bytes received;
    struct conversion conversion = {
        .method = composing->method,
        .from = composing->runtime,
        .to = DIALECT_MODEL,
        .arena = composing->arena,
        .node = composing->node,
    };
    if (!composing_receive(composing, error) || !convert_response(&conversion, composing->received, &received, error)) {
        return NULL;
    }
    return composing_decode(composing, descriptor, received, error);
}

static bool pack(const struct composing *composing, const ProtobufCMessage *message, struct bytes *out, struct error *error)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *data = arena_alloc(composing->arena, size);
    if (!data) {
        return no_memory(error);
    }
    *out = bytes_of(data, protobuf_c_message_pack(message, data));
    return true;
}

bool composing_ask(struct composing *composing, const char *method, const ProtobufCMessage *request, struct error *error)
{
    composing->outcome = COMPOSED_QUESTION;
    composing->question = method;
    composing->asking = (struct bytes){0};
    return !request || pack(composing, request, &composing->asking, error);
}

bool composing_answer(struct composing *composing, const ProtobufCMessage *response, struct error *error)
{
    composing->outcome = COMPOSED_ANSWER;
    return pack(composing, response, &composing->composed, error);
}

void *composing_alloc(const struct composing *composing, size_t size, struct error *error)
{
    void *memory = arena_zalloc(composing->arena, size);
    if (!memory) {
        no_memory(error);
    }
    return memory;
}
