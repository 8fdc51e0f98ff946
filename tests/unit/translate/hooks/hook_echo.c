#include "tests/unit/translate/hooks/hook_echo.h"

#include <stdio.h>

#include "hook_v1alpha1/api.pb-c.h"
#include "tests/cmocka.h"
#include "translate/bytes/output.h"
#include "translate/koordinator/koordinator.h"

/* The fields of a request that the response has under the same name. */
static struct bytes response_of(struct exchange *exchange, struct bytes request, const ProtobufCMessageDescriptor *from,
                                const ProtobufCMessageDescriptor *to)
{
    struct walk_output output;
    struct wire_reader reader = wire_reader_of(request);
    struct wire_field found;
    assert_true(walk_output_start(&output, exchange->arena, request.len));
    while (reader.at < reader.end) {
        assert_true(wire_read_field(&reader, &found));
        const ProtobufCFieldDescriptor *sent = protobuf_c_message_descriptor_get_field(from, found.number);
        const ProtobufCFieldDescriptor *echoed = protobuf_c_message_descriptor_get_field_by_name(to, sent->name);
        if (echoed) {
            assert_int_equal(found.type, WIRE_LENGTH);
            assert_true(walk_output_put_field(&output, echoed->id, found.payload));
        }
    }
    return walk_output_finish(&output);
}

static struct hook_stage stage_of(const struct hook_facts *facts)
{
    return (struct hook_stage){.point = facts->container.len == 0 ? HOOK_RUN_POD : HOOK_CREATE_CONTAINER, .time = HOOK_BEFORE};
}

static struct bytes request_of(struct exchange *exchange, const struct hook_facts *facts)
{
    struct bytes request;
    if (!koordinator_protocol.request(stage_of(facts), facts, exchange->arena, &request, &exchange->error)) {
        fail_msg("%s", exchange->error.message);
    }
    return request;
}

bool hook_sends_the_same(struct exchange *exchange, const struct hook_facts *one, const struct hook_facts *other)
{
    return bytes_equal(request_of(exchange, one), request_of(exchange, other));
}

struct hook_facts hook_echo(struct exchange *exchange, const struct hook_facts *facts)
{
    bool pod = facts->container.len == 0;
    struct hook_stage stage = stage_of(facts);
    struct hook_facts answer = {0};
    struct bytes request = request_of(exchange, facts);
    struct bytes response = pod ? response_of(exchange, request, &runtime__v1alpha1__pod_sandbox_hook_request__descriptor,
                                              &runtime__v1alpha1__pod_sandbox_hook_response__descriptor)
                                : response_of(exchange, request, &runtime__v1alpha1__container_resource_hook_request__descriptor,
                                              &runtime__v1alpha1__container_resource_hook_response__descriptor);
    if (!koordinator_protocol.answer(stage, response, exchange->arena, &answer, &exchange->error)) {
        fail_msg("%s", exchange->error.message);
    }
    return answer;
}
