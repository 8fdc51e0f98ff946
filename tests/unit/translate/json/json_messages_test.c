/* The JSON codec on CRI's own messages, in every dialect: all fields survive both ways, and logs show no credential. */
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"
#include "translate/json/json.h"
#include "translate/schema/method.h"

static struct bytes encoded(const struct schema_message *message, struct json_object *json)
{
    struct error error = {0};
    struct bytes bytes = {0};
    if (!json_to_message(message, json, false, arena, &bytes, &error)) {
        fail_msg("%s: %s", message->name, error.message);
    }
    return bytes;
}

static void fill(struct json_object *json);

/* A value of the same kind that is not the default; the caller owns it. */
static struct json_object *filled(struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_boolean:
        return json_object_new_boolean(true);
    case json_type_int:
        return json_object_new_int(2);
    case json_type_string:
        if (json_object_get_string_len(value) == 0) {
            return json_object_new_string("Zm9v");
        }
        /* What is no number is the name of an enum's value: it gets one without a name. */
        return strcmp(json_object_get_string(value), "0") == 0 ? json_object_new_string("9007199254740993")
                                                               : json_object_new_int(77);
    case json_type_array:
        json_object_array_put_idx(value, 0, filled(json_object_array_get_idx(value, 0)));
        break;
    default:
        fill(value);
    }
    return json_object_get(value);
}

static void fill(struct json_object *json)
{
    json_object_object_foreach(json, name, value)
    {
        json_object_object_add(json, name, filled(value));
    }
}

static void check_message(const struct schema_message *message)
{
    struct json_object *json = json_template(message);
    assert_non_null(json);
    assert_int_equal(json_object_object_length(json), message->field_count);
    fill(json);
    struct bytes bytes = encoded(message, json);
    struct error error = {0};
    struct json_object *again = json_from_message(message, bytes, JSON_EXACT, &error);
    if (!again) {
        fail_msg("%s: %s", message->name, error.message);
    }
    assert_string_equal(json_object_to_json_string(again), json_object_to_json_string(json));
    assert_true(bytes_equal(encoded(message, again), bytes));
    json_object_put(again);
    json_object_put(json);
}

ALL_TESTS(arena_begin, arena_end)

TEST(every_message_goes_both_ways)
{
    assert_true(method_count > 30);
    for (uint16_t i = 0; i < method_count; i++) {
        for (size_t dialect = 0; dialect < DIALECT_COUNT; dialect++) {
            const struct method_in_dialect *method = &methods[i].in[dialect];
            if (method->path) {
                check_message(method->request);
                check_message(method->response);
            }
        }
    }
}

static const struct schema_message *request_of(const char *method, size_t dialect)
{
    const struct method *found = method_by_name(method);
    assert_non_null(found);
    assert_non_null(found->in[dialect].path);
    return found->in[dialect].request;
}

/* The text that a log shows for a request given as JSON; the caller puts the object that holds it. */
static const char *shown(const struct schema_message *message, const char *request, enum json_style style,
                         struct json_object **holder)
{
    struct error error = {0};
    struct json_object *json = json_from_text(bytes_of_string(request), &error);
    assert_non_null(json);
    *holder = json_from_message(message, encoded(message, json), style, &error);
    json_object_put(json);
    assert_non_null(*holder);
    return json_object_to_json_string_ext(*holder, JSON_C_TO_STRING_PLAIN);
}

TEST(no_credential_is_in_a_log)
{
    const char *request = "{\"image\":{\"image\":\"visible\"},\"auth\":{\"username\":\"u\",\"password\":\"s3cret\","
                          "\"auth\":\"s3cret\",\"identity_token\":\"s3cret\",\"registry_token\":\"s3cret\"}}";
    for (size_t dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        struct json_object *json;
        const struct schema_message *message = request_of("PullImage", dialect);
        assert_non_null(strstr(shown(message, request, JSON_EXACT, &json), "s3cret"));
        json_object_put(json);
        for (enum json_style style = JSON_LOG; style <= JSON_LOG_ENVS; style++) {
            const char *text = shown(message, request, style, &json);
            assert_null(strstr(text, "s3cret"));
            assert_non_null(strstr(text, "visible"));
            json_object_put(json);
        }
    }
}

TEST(environment_values_are_in_a_log_only_when_asked_for)
{
    const char *request = "{\"config\":{\"envs\":[{\"key\":\"NAME\",\"value\":\"v4lue\"}],\"command\":[\"visible\"]}}";
    for (size_t dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        struct json_object *json;
        const struct schema_message *message = request_of("CreateContainer", dialect);
        const char *text = shown(message, request, JSON_LOG, &json);
        assert_null(strstr(text, "v4lue"));
        assert_non_null(strstr(text, "NAME"));
        json_object_put(json);
        assert_non_null(strstr(shown(message, request, JSON_LOG_ENVS, &json), "\"value\":\"v4lue\""));
        json_object_put(json);
    }
}
