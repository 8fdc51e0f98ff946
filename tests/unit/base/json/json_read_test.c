/* Members of JSON's objects. */

#include <json-c/json.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "tests/cmocka.h"

TEST(a_member_is_there_or_null)
{
    struct json_object *object = json_tokener_parse("{\"text\": \"a\", \"none\": null, \"list\": [1, 2]}");
    assert_string_equal(json_object_get_string(json_member(object, "text")), "a");
    assert_null(json_member(object, "none"));
    assert_null(json_member(object, "other"));
    assert_null(json_member(json_member(object, "list"), "text"));
    assert_null(json_member(NULL, "text"));
    json_object_put(object);
}

TEST(a_member_of_another_type_is_none)
{
    struct json_object *object = json_tokener_parse("{\"text\": \"a\", \"none\": null}");
    assert_non_null(json_member_of(object, "text", json_type_string));
    assert_null(json_member_of(object, "text", json_type_int));
    assert_null(json_member_of(object, "none", json_type_string));
    assert_null(json_member_of(NULL, "text", json_type_string));
    json_object_put(object);
}

TEST(only_arrays_have_items)
{
    struct json_object *object = json_tokener_parse("{\"list\": [1, 2]}");
    assert_int_equal(json_count(json_member(object, "list")), 2);
    assert_int_equal(json_count(object), 0);
    assert_int_equal(json_count(NULL), 0);
    json_object_put(object);
}
