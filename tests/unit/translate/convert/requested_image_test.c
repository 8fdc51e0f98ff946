/* The name by which the user requested the image of a container, for callers of v1 that cannot say it. */
#include "tests/cmocka.h"
#include "tests/unit/translate/message_fixture.h"
#include "translate/convert/requested_image.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct method *create_container(void)
{
    return method_by_name("CreateContainer");
}

static bool fill(struct exchange *exchange, const char *in, const char *name, struct bytes *out)
{
    struct bytes request = exchange_request_bytes(exchange, "CreateContainer", DIALECT_V1, in);
    return requested_image_fill(create_container(), DIALECT_V1, request, bytes_of_string(name), exchange->arena, out,
                                &exchange->error);
}

static void expect(struct exchange *exchange, const char *in, const char *name, const char *out)
{
    struct bytes filled;
    assert_true(fill(exchange, in, name, &filled));
    exchange_expect_message(create_container()->in[DIALECT_V1].request, filled, out);
}

EACH_TEST(exchange_begin, exchange_end)

TEST(the_name_is_filled_in_where_the_request_says_none)
{
    struct exchange *exchange = *state;
    expect(
        exchange,
        "{'podSandboxId': 'p', 'config': {'metadata': {'name': 'm'}, 'image': {'image': '" ID
        "', 'annotations': {'a': 'b'}}, 'command': ['c']}, 'sandboxConfig': {'hostname': 'h'}}",
        "app:1",
        "{'podSandboxId': 'p', 'config': {'metadata': {'name': 'm'}, 'image': {'image': '" ID
        "', 'annotations': {'a': 'b'}, 'userSpecifiedImage': 'app:1'}, 'command': ['c']}, 'sandboxConfig': {'hostname': 'h'}}");
    expect(exchange, "{'config': {'image': {}}}", "app:1", "{'config': {'image': {'userSpecifiedImage': 'app:1'}}}");
}

TEST(without_a_known_name_the_reference_is_one_or_none)
{
    struct exchange *exchange = *state;
    expect(exchange, "{'config': {'image': {'image': 'app:2'}}}", "",
           "{'config': {'image': {'image': 'app:2', 'userSpecifiedImage': 'app:2'}}}");
    expect(exchange, "{'config': {'image': {'image': 'sha256:" ID "'}}}", "",
           "{'config': {'image': {'image': 'sha256:" ID "'}}}");
}

TEST(what_the_caller_says_stays)
{
    struct exchange *exchange = *state;
    expect(exchange, "{'config': {'image': {'image': '" ID "', 'userSpecifiedImage': 'own'}}}", "app:1",
           "{'config': {'image': {'image': '" ID "', 'userSpecifiedImage': 'own'}}}");
    expect(exchange, "{'config': {'command': ['c']}}", "app:1", "{'config': {'command': ['c']}}");
    expect(exchange, "{}", "app:1", "{}");
}

TEST(too_little_memory_is_an_error)
{
    struct exchange *exchange = *state;
    struct bytes request =
        exchange_request_bytes(exchange, "CreateContainer", DIALECT_V1, "{'config': {'image': {'image': 'app:1'}}}");
    char copy[64];
    assert_true(request.len <= sizeof copy);
    memcpy(copy, request.data, request.len);
    size_t len = request.len;
    exchange_cap(exchange, 64);
    struct bytes filled;
    static char name[4096];
    memset(name, 'a', sizeof name - 1);
    assert_false(requested_image_fill(create_container(), DIALECT_V1, bytes_of((const uint8_t *)copy, len), bytes_of_string(name),
                                      exchange->arena, &filled, &exchange->error));
    assert_int_equal(exchange->error.code, STATUS_RESOURCE_EXHAUSTED);
}
