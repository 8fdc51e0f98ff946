/* Answers of hostile plugins, and what a merge makes of them; requests of whatever facts. The first byte chooses: bit 0 the
   stage, bit 1 facts in place of an answer, bit 2 two configurations before the answer, each behind two bytes of length. */
#include "hook_v1alpha1/api.pb-c.h"
#include "model/api.pb-c.h"
#include "tests/fuzz/fuzz.h"
#include "translate/bytes/output.h"
#include "translate/bytes/packing.h"
#include "translate/bytes/wire.h"
#include "translate/hooks/entries.h"
#include "translate/hooks/text.h"
#include "translate/koordinator/koordinator.h"

static const struct hook_stage stages[] = {
    {HOOK_RUN_POD, HOOK_BEFORE},
    {HOOK_CREATE_CONTAINER, HOOK_BEFORE},
};

static const struct stage_messages {
    const ProtobufCMessageDescriptor *request;
    const ProtobufCMessageDescriptor *answer;
} messages[] = {
    {&runtime__v1alpha1__pod_sandbox_hook_request__descriptor, &runtime__v1alpha1__pod_sandbox_hook_response__descriptor},
    {&runtime__v1alpha1__container_resource_hook_request__descriptor,
     &runtime__v1alpha1__container_resource_hook_response__descriptor},
};

static ProtobufCMessage *unpack(const ProtobufCMessageDescriptor *message, struct bytes bytes, struct arena *arena)
{
    ProtobufCMessage *unpacked = arena_unpack(arena, message, bytes);
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

/* The answer of a plugin that is sent these facts and echoes: the fields that the answer has under the same name. */
static struct hook_facts echo(size_t stage, const struct hook_facts *facts, struct arena *arena)
{
    struct bytes request;
    must(koordinator_protocol.request(stages[stage], facts, arena, &request, NULL));
    struct wire_reader reader = wire_reader_of(request);
    struct wire_field field;
    struct walk_output output;
    must(walk_output_start(&output, arena, request.len));
    while (reader.at < reader.end) {
        must(wire_read_field(&reader, &field) && field.type == WIRE_LENGTH);
        const ProtobufCFieldDescriptor *sent = protobuf_c_message_descriptor_get_field(messages[stage].request, field.number);
        must(sent);
        const ProtobufCFieldDescriptor *echoed =
            protobuf_c_message_descriptor_get_field_by_name(messages[stage].answer, sent->name);
        must(!echoed || walk_output_put_field(&output, echoed->id, field.payload));
    }
    struct hook_facts answer;
    must(koordinator_protocol.answer(stages[stage], walk_output_finish(&output), arena, &answer, NULL));
    return answer;
}

static bool same_facts(const struct hook_facts *a, const struct hook_facts *b)
{
    return bytes_equal(a->pod, b->pod) && bytes_equal(a->container, b->container);
}

/* ---- merges ---- */

static const char pod_facts[] = "\x32\x1c\x0a\x16io.kubernetes.pod.name\x12\x02p1"
                                "\x32\x06\x0a\x01"
                                "a\x12\x01"
                                "b\x42\x04\x0a\x02/p";
/* The variables A=1, B with a value that is no text, C=3; resources with a quota, a cpuset and a file. */
static const char container_facts[] = "\x32\x06\x0a\x01"
                                      "A\x12\x01"
                                      "1\x32\x06\x0a\x01"
                                      "B\x12\x01\xff\x32\x06\x0a\x01"
                                      "C\x12\x01"
                                      "3\x7a\x12\x0a\x10\x10\xa0\x1f\x32\x03"
                                      "0-3\x4a\x06\x0a\x01"
                                      "a\x12\x01"
                                      "b";

/* Fixed ones, or those of two configurations at the front of the input. false: they are malformed. */
static bool take_facts(bool fixed, struct bytes *input, struct hook_facts *facts, struct arena *arena)
{
    struct bytes pod = fixed ? bytes_of(pod_facts, sizeof pod_facts - 1) : fuzz_take_piece(input);
    struct bytes container = fixed ? bytes_of(container_facts, sizeof container_facts - 1) : fuzz_take_piece(input);
    *facts = (struct hook_facts){0};
    struct error error = {0};
    bool taken = hook_facts_of(MODEL_POD, pod, arena, &facts->pod, &error) &&
                 hook_facts_of(MODEL_CONTAINER, container, arena, &facts->container, &error);
    must(taken || (!fixed && error.code == STATUS_INVALID_ARGUMENT));
    return taken;
}

/* What a merge changed can be written into the configuration, and then there is nothing left to write. */
static void must_apply(enum model_kind kind, struct bytes before, struct bytes after, struct arena *arena)
{
    struct bytes config, facts, again;
    must(hook_facts_apply(kind, before, before, after, arena, &config, NULL));
    must(hook_facts_of(kind, config, arena, &facts, NULL));
    must(hook_facts_apply(kind, config, facts, after, arena, &again, NULL));
    must(bytes_equal(config, again));
}

/* An answer that was merged, or repeats the facts, changes nothing. */
static void must_change_nothing(const struct hook_facts *original, const struct hook_facts *facts,
                                const struct hook_facts *answer, struct arena *arena)
{
    struct hook_facts merged = *facts;
    struct hook_changes changes = {0};
    must(hook_facts_merge(original, &merged, answer, arena, &changes, NULL));
    must(!changes.changed && changes.text[0] == '\0' && same_facts(&merged, facts));
}

/* Of a variable that is there twice, a plugin is sent and removes the last; the one before is what is sent then. */
static bool has_double_variables(struct bytes container, struct arena *arena)
{
    struct hook_entries entries, sorted;
    must(hook_entries_read(hook_places[HOOK_CONTAINER_ENVS], container, arena, &entries));
    must(hook_entries_by_key(entries, arena, &sorted));
    return sorted.count < entries.count;
}

static void try_merge(size_t stage, const struct hook_facts *original, const struct hook_facts *answer, struct arena *arena)
{
    struct hook_facts merged = *original, repeated = echo(stage, original, arena);
    struct hook_changes changes = {0};
    struct error error = {0};
    must_change_nothing(original, original, &repeated, arena);
    if (!hook_facts_merge(original, &merged, answer, arena, &changes, &error)) {
        must(error.code == STATUS_INVALID_ARGUMENT && error.message[0] != '\0' && same_facts(&merged, original));
        return;
    }
    must(changes.changed == (changes.text[0] != '\0') && !changes.overwrote);
    must(changes.changed || same_facts(&merged, original));
    if (!has_double_variables(original->container, arena)) {
        must_change_nothing(original, &merged, answer, arena);
    }
    repeated = echo(stage, &merged, arena);
    must_change_nothing(original, &merged, &repeated, arena);
    must_apply(MODEL_POD, original->pod, merged.pod, arena);
    must_apply(MODEL_CONTAINER, original->container, merged.container, arena);
}

/* ---- what an answer repeats ---- */

static bool read_and_merge(size_t stage, struct bytes bytes, struct hook_facts *facts, struct arena *arena)
{
    struct hook_facts answer, original = *facts;
    struct hook_changes changes = {0};
    struct error error = {0};
    return koordinator_protocol.answer(stages[stage], bytes, arena, &answer, &error) &&
           hook_facts_merge(&original, facts, &answer, arena, &changes, &error);
}

/* Without what it repeats of the request, an answer says the same, and is refused if it was. */
static void must_say_the_same(size_t stage, const struct hook_facts *facts, struct bytes bytes, struct arena *arena)
{
    struct hook_facts whole = *facts, without = *facts;
    struct bytes request, rest = {0};
    must(koordinator_protocol.request(stages[stage], facts, arena, &request, NULL));
    const struct hook_sent *sent = koordinator_protocol.prepare_rest(stages[stage], request, arena);
    must(sent && koordinator_protocol.rest(sent, bytes, arena, &rest, NULL) && rest.len <= bytes.len);
    must(read_and_merge(stage, bytes, &whole, arena) == read_and_merge(stage, rest, &without, arena));
    must(same_facts(&whole, &without));
}

/* ---- inputs ---- */

static void try_answer(size_t stage, const struct hook_facts *facts, struct bytes bytes, struct arena *arena)
{
    struct hook_facts answer;
    struct error error = {0};
    if (!koordinator_protocol.answer(stages[stage], bytes, arena, &answer, &error)) {
        bool much = error.code == STATUS_RESOURCE_EXHAUSTED && bytes.len > HOOK_ANSWER_FIELDS;
        must((much || error.code == STATUS_INVALID_ARGUMENT) && error.message[0] != '\0');
        return;
    }
    must_say_the_same(stage, facts, bytes, arena);
    must_agree(stage, bytes, &answer, arena);
    const struct hook_facts repeated = echo(stage, &answer, arena);
    must(same_facts(&repeated, &answer));
    try_merge(stage, facts, &answer, arena);
}

/* The request has as many variables as a merge takes for sent. */
static void must_send_environment(const Runtime__V1alpha1__ContainerResourceHookRequest *request, struct bytes container,
                                  struct arena *arena)
{
    struct bytes facts;
    struct hook_entries entries, sorted;
    size_t sent = 0;
    if (!hook_facts_of(MODEL_CONTAINER, container, arena, &facts, NULL)) {
        return;
    }
    must(hook_entries_read(hook_places[HOOK_CONTAINER_ENVS], facts, arena, &entries));
    must(hook_entries_by_key(entries, arena, &sorted));
    for (size_t i = 0; i < entries.count; i++) {
        sent += hook_variable_is_sendable(&entries.items[i], sorted);
    }
    must(request->n_container_envs == sent);
}

/* Of whole configurations a request has what plugins may see, and nothing else. */
static void must_send_only_facts(size_t stage, const struct hook_facts *whole, struct bytes request, struct arena *arena)
{
    struct hook_facts facts = *whole;
    struct bytes again;
    if (!hook_facts_of(MODEL_POD, whole->pod, arena, &facts.pod, NULL) ||
        !hook_facts_of(MODEL_CONTAINER, whole->container, arena, &facts.container, NULL)) {
        return;
    }
    must(facts.pod.len <= whole->pod.len && facts.container.len <= whole->container.len);
    must(koordinator_protocol.request(stages[stage], &facts, arena, &again, NULL));
    must(bytes_equal(again, request));
    must(hook_facts_of(MODEL_CONTAINER, facts.container, arena, &again, NULL) && bytes_equal(again, facts.container));
}

static void try_facts(size_t stage, struct bytes bytes, struct arena *arena)
{
    const struct hook_facts facts = {.container_id = bytes, .handler = bytes, .pod = bytes, .container = bytes};
    struct bytes request;
    struct error error = {0};
    if (!koordinator_protocol.request(stages[stage], &facts, arena, &request, &error)) {
        must(error.code == STATUS_INTERNAL && error.message[0] != '\0');
        return;
    }
    must_send_only_facts(stage, &facts, request, arena);
    const ProtobufCMessage *read = unpack(messages[stage].request, request, arena);
    if (stage == 1) {
        must_send_environment((const void *)read, bytes, arena);
    }
}

void fuzz_try(struct bytes bytes, struct arena *arena)
{
    if (bytes.len == 0) {
        return;
    }
    uint8_t flags = bytes.data[0];
    struct bytes rest = bytes_after(bytes, 1);
    size_t stage = flags & 1;
    struct hook_facts facts;
    if (flags & 2) {
        try_facts(stage, rest, arena);
    } else if (take_facts(!(flags & 4), &rest, &facts, arena)) {
        try_answer(stage, &facts, rest, arena);
    }
}
