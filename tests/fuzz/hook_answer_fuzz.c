/* Answers of hostile plugins, and requests of whatever facts. The first byte chooses the stage, and whether the rest is an answer
   or facts. */
#include "hook_v1alpha1/api.pb-c.h"
#include "model/api.pb-c.h"
#include "tests/fuzz/fuzz.h"
#include "translate/bytes/output.h"
#include "translate/bytes/wire.h"
#include "translate/hooks/text.h"
#include "translate/koordinator/koordinator.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct hook_stage stages[] = {
    {HOOK_RUN_POD, HOOK_BEFORE},
    {HOOK_CREATE_CONTAINER, HOOK_BEFORE},
};

static const struct stage_messages {
    const ProtobufCMessageDescriptor *request;
    const ProtobufCMessageDescriptor *answer;
    uint32_t echo[10]; /* the field of the answer for each field of the request, or 0 */
} messages[] = {
    {&runtime__v1alpha1__pod_sandbox_hook_request__descriptor,
     &runtime__v1alpha1__pod_sandbox_hook_response__descriptor,
     {[3] = 1, [4] = 2, [5] = 3, [7] = 4}},
    {&runtime__v1alpha1__container_resource_hook_request__descriptor,
     &runtime__v1alpha1__container_resource_hook_response__descriptor,
     {[3] = 1, [4] = 2, [8] = 3, [9] = 4}},
};

static ProtobufCMessage *unpack(const ProtobufCMessageDescriptor *message, struct bytes bytes, struct arena *arena)
{
    ProtobufCMessage *unpacked = protobuf_c_message_unpack(message, arena_protobuf_allocator(arena), bytes.len, bytes.data);
    must(unpacked);
    return unpacked;
}

/* Each key once, in order, and nothing that plugins could not be sent. */
static void must_be_clean_pairs(struct bytes message, uint32_t number)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    struct bytes before = {0};
    for (bool first = true; reader.at < reader.end;) {
        must(wire_read_field(&reader, &field));
        if (field.number == number) {
            struct bytes key = wire_last_payload(field.payload, 1);
            must(first || bytes_compare(before, key) < 0);
            must(hook_text_can_be_sent(key) && hook_text_can_be_sent(wire_last_payload(field.payload, 2)));
            before = key;
            first = false;
        }
    }
}

/* What the stubs of the protocol read is what the facts say. */
static void must_agree(size_t stage, struct bytes bytes, const struct hook_facts *answer, struct arena *arena)
{
    const ProtobufCMessage *read = unpack(messages[stage].answer, bytes, arena);
    const Model__PodSandboxConfig *pod = (const void *)unpack(&model__pod_sandbox_config__descriptor, answer->pod, arena);
    const char *parent = pod->linux ? pod->linux->cgroup_parent : "";
    must_be_clean_pairs(answer->pod, 6);
    must_be_clean_pairs(answer->pod, 7);
    if (stage == 0) {
        const Runtime__V1alpha1__PodSandboxHookResponse *response = (const void *)read;
        must(strcmp(response->cgroup_parent, parent) == 0);
        must((response->n_labels > 0) == (pod->n_labels > 0) && (response->n_annotations > 0) == (pod->n_annotations > 0));
        return;
    }
    const Runtime__V1alpha1__ContainerResourceHookResponse *response = (const void *)read;
    const Model__ContainerConfig *container =
        (const void *)unpack(&model__container_config__descriptor, answer->container, arena);
    must_be_clean_pairs(answer->container, 6);
    must_be_clean_pairs(answer->container, 10);
    must(strcmp(response->pod_cgroup_parent, parent) == 0);
    must((response->n_container_envs > 0) == (container->n_envs > 0));
    must((response->container_resources != NULL) == (container->linux != NULL));
    if (response->container_resources) {
        const Model__LinuxContainerResources *resources = container->linux->resources;
        must(resources && resources->cpu_quota == response->container_resources->cpu_quota &&
             strcmp(resources->cpuset_cpus, response->container_resources->cpuset_cpus) == 0 &&
             resources->n_hugepage_limits == response->container_resources->n_hugepage_limits);
    }
}

/* A plugin that is sent these facts and echoes answers these facts. */
static void must_come_back(size_t stage, const struct hook_facts *facts, struct arena *arena)
{
    struct bytes request, echo;
    must(koordinator_protocol.request(stages[stage], facts, arena, &request, NULL));
    struct wire_reader reader = wire_reader_of(request);
    struct wire_field field;
    struct walk_output output;
    must(walk_output_start(&output, arena, request.len));
    while (reader.at < reader.end) {
        must(wire_read_field(&reader, &field) && field.number < COUNT(messages[stage].echo));
        uint32_t number = messages[stage].echo[field.number];
        must(number == 0 || walk_output_put_field(&output, number, field.payload));
    }
    echo = walk_output_finish(&output);
    struct hook_facts answer;
    must(koordinator_protocol.answer(stages[stage], echo, arena, &answer, NULL));
    must(bytes_equal(answer.pod, facts->pod) && bytes_equal(answer.container, facts->container));
}

static void try_answer(size_t stage, struct bytes bytes, struct arena *arena)
{
    struct hook_facts answer;
    struct error error = {0};
    if (!koordinator_protocol.answer(stages[stage], bytes, arena, &answer, &error)) {
        must(error.code == STATUS_INVALID_ARGUMENT && error.message[0] != '\0');
        return;
    }
    must_agree(stage, bytes, &answer, arena);
    must_come_back(stage, &answer, arena);
}

static void try_facts(size_t stage, struct bytes bytes, struct arena *arena)
{
    const struct hook_facts facts = {.container_id = bytes, .handler = bytes, .pod = bytes, .container = bytes};
    struct bytes request;
    struct error error = {0};
    if (koordinator_protocol.request(stages[stage], &facts, arena, &request, &error)) {
        unpack(messages[stage].request, request, arena);
    } else {
        must(error.code == STATUS_INVALID_ARGUMENT && error.message[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct arena *arena = fuzz_arena();
    struct bytes rest = bytes_after(bytes_of(data, size), 1);
    size_t stage = data[0] & 1;
    if (data[0] & 2) {
        try_facts(stage, rest, arena);
    } else {
        try_answer(stage, rest, arena);
    }
    arena_unref(arena);
    return 0;
}
