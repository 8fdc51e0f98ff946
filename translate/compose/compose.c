#include "translate/compose/compose.h"

#include <json-c/linkhash.h>
#include <string.h>

#include "translate/bytes/packing.h"
#include "translate/convert/convert.h"

void compose_memory_clear(struct compose_memory *memory)
{
    if (memory->image_ids) {
        lh_table_free(memory->image_ids);
    }
    if (memory->cgroup_parents) {
        lh_table_free(memory->cgroup_parents);
    }
    *memory = (struct compose_memory){0};
}

composition *composition_for(const struct method *method, enum compose_occasion occasion, const char *reported_name)
{
    const struct composition_entry *entry = &compositions[method - methods][occasion];
    return !entry->runtime || strcmp(entry->runtime, reported_name) == 0 ? entry->function : NULL;
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

bool composing_sent(const struct composing *composing, struct bytes *request, struct error *error)
{
    struct conversion conversion = {
        .method = composing->method,
        .from = composing->runtime,
        .to = DIALECT_MODEL,
        .arena = composing->arena,
    };
    return convert_request(&conversion, composing->sent, request, error);
}

void *composing_decode(const struct composing *composing, const ProtobufCMessageDescriptor *descriptor, struct bytes bytes,
                       struct error *error)
{
    void *message = arena_unpack(composing->arena, descriptor, bytes);
    if (!message) {
        error_set(error, STATUS_INTERNAL, "an answer of runtime %s is not a valid %s", composing->runtime_name,
                  descriptor->short_name);
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

bool composing_ask(struct composing *composing, const char *method, const ProtobufCMessage *request, struct error *error)
{
    composing->outcome = COMPOSED_QUESTION;
    composing->question = method;
    composing->asking = (struct bytes){0};
    return !request || arena_pack(composing->arena, request, &composing->asking) || error_no_memory(error);
}

bool composing_answer(struct composing *composing, const ProtobufCMessage *response, struct error *error)
{
    composing->outcome = COMPOSED_ANSWER;
    return arena_pack(composing->arena, response, &composing->composed) || error_no_memory(error);
}

void *composing_alloc(const struct composing *composing, size_t size, struct error *error)
{
    void *memory = arena_zalloc(composing->arena, size);
    if (!memory) {
        error_no_memory(error);
    }
    return memory;
}
