#include "tests/unit/translate/koordinator/koordinator_fixture.h"

#include "tests/cmocka.h"

const char fixture_pod[] = "{'metadata': {'name': 'web', 'uid': 'u-1', 'namespace': 'shop', 'attempt': 2},"
                           " 'labels': {'app': 'web', 'qos': 'LS'}, 'annotations': {'note': 'text', 'empty': ''},"
                           " 'linux': {'cgroupParent': '/kubepods/pod1', 'overhead': {'cpuShares': 3},"
                           " 'resources': {'cpuQuota': -1, 'memoryLimitInBytes': 1048576}}}";
const char fixture_container[] =
    "{'metadata': {'name': 'main', 'attempt': 4}, 'annotations': {'hash': 'abc'},"
    " 'envs': [{'key': 'B', 'value': '2'}, {'key': 'A', 'value': '1'}],"
    " 'linux': {'resources': {'cpuPeriod': 100000, 'cpuQuota': -1, 'cpuShares': 512, 'memoryLimitInBytes': 9007199254740993,"
    " 'oomScoreAdj': -998, 'cpusetCpus': '0-3,7', 'cpusetMems': '0', 'hugepageLimits': [{'pageSize': '2MB', 'limit': 4194304},"
    " {'pageSize': '1GB'}], 'unified': {'memory.high': '1'}, 'memorySwapLimitInBytes': 5}}}";

struct bytes model_bytes(struct exchange *exchange, const char *message, const char *json)
{
    return exchange_bytes(exchange, schema_message_by_name(DIALECT_MODEL, message), json);
}

struct bytes request_bytes(struct exchange *exchange, struct hook_stage stage, const struct hook_facts *facts)
{
    struct bytes request = {0};
    if (!koordinator_protocol.request(stage, facts, exchange->arena, &request, &exchange->error)) {
        fail_msg("%s", exchange->error.message);
    }
    return request;
}

struct bytes entry(struct exchange *exchange, uint32_t number, struct bytes key, struct bytes value)
{
    return exchange_field(exchange, number,
                          exchange_join(exchange, exchange_field(exchange, 1, key), exchange_field(exchange, 2, value)));
}

struct bytes text_entry(struct exchange *exchange, uint32_t number, const char *key, const char *value)
{
    return entry(exchange, number, bytes_of_string(key), bytes_of_string(value));
}
