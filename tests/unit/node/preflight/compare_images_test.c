/* Which images one runtime has and another lacks. */
#include <stdbool.h>
#include <stdio.h>

#include "node/preflight/images.h"
#include "tests/cmocka.h"

#define ID_A "sha256:aaaa"
#define ID_B "sha256:bbbb"

static struct json_object *parse(const char *text)
{
    struct json_object *json = json_tokener_parse(text);
    assert_non_null(json);
    return json;
}

/* What is only in the first list, as JSON. */
static void assert_only(const char *here, const char *there, const char *containers, const char *expected)
{
    struct json_object *first = parse(here), *second = parse(there), *users = parse(containers), *wanted = parse(expected);
    struct json_object *only = images_only_here(first, second, users);
    assert_non_null(only);
    if (!json_object_equal(only, wanted)) {
        fail_msg("only here: %s", json_object_to_json_string(only));
    }
    json_object_put(only);
    json_object_put(wanted);
    json_object_put(users);
    json_object_put(second);
    json_object_put(first);
}

TEST(an_image_with_the_same_id_is_the_same)
{
    assert_only("[{\"id\":\"" ID_A "\",\"repoTags\":[\"busybox:1\"],\"size\":\"7\"}]",
                "[{\"id\":\"" ID_A "\",\"repoTags\":[\"docker.io/library/busybox:1\"],\"size\":\"9\"}]", "[]", "[]");
}

TEST(an_image_with_the_same_digest_is_the_same)
{
    assert_only("[{\"id\":\"" ID_A "\",\"repoDigests\":[\"busybox@sha256:11\"]}]",
                "[{\"id\":\"" ID_B "\",\"repoDigests\":[\"x@sha256:22\",\"docker.io/library/busybox@sha256:11\"]}]", "[]", "[]");
    assert_only("[{\"id\":\"" ID_A "\",\"repoDigests\":[\"busybox\"]}]", "[{\"id\":\"" ID_B "\",\"repoDigests\":[\"busybox\"]}]",
                "[]", "[{\"name\":\"busybox\",\"id\":\"" ID_A "\",\"size\":0,\"pulled\":true,\"other\":false,\"usedBy\":0}]");
}

TEST(another_image_of_the_name_is_reported_as_such)
{
    static const struct {
        const char *here, *there;
        bool other;
    } rows[] = {
        {"busybox:1", "docker.io/library/busybox:1", true},
        {"grafana/grafana:9", "docker.io/grafana/grafana:9", true},
        {"localhost/a:1", "localhost/a:1", true},
        {"localhost/a:1", "docker.io/localhost/a:1", false},
        {"r.example/a:1", "docker.io/r.example/a:1", false},
        {"busybox:1", "docker.io/library/busybox:2", false},
        {"r:5000/a:1", "r:5000/a:1", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char here[256], there[256], expected[256];
        snprintf(here, sizeof here, "[{\"id\":\"" ID_A "\",\"repoTags\":[\"%s\"],\"size\":\"12\"}]", rows[i].here);
        snprintf(there, sizeof there, "[{\"id\":\"" ID_B "\",\"repoTags\":[\"%s\"]}]", rows[i].there);
        snprintf(expected, sizeof expected,
                 "[{\"name\":\"%s\",\"id\":\"" ID_A "\",\"size\":12,\"pulled\":false,\"other\":%s,\"usedBy\":0}]", rows[i].here,
                 rows[i].other ? "true" : "false");
        assert_only(here, there, "[]", expected);
    }
}

TEST(containers_of_an_image_are_counted_by_whatever_names_it)
{
    assert_only("[{\"id\":\"" ID_A "\",\"repoTags\":[\"web:1\"],\"repoDigests\":[\"web@sha256:11\"],\"size\":\"3\"}]", "[]",
                "[{\"imageRef\":\"docker://" ID_A "\"},{\"imageRef\":\"docker-pullable://web@sha256:11\"},"
                "{\"imageRef\":\"x\",\"image\":{\"image\":\"docker.io/library/web:1\"}},{\"imageRef\":\"" ID_A
                "\",\"image\":{\"image\":\"" ID_A "\"}},{\"imageRef\":\"" ID_B "\"},{\"imageRef\":\"\"},{},7]",
                "[{\"name\":\"web:1\",\"id\":\"" ID_A "\",\"size\":3,\"pulled\":true,\"other\":false,\"usedBy\":4}]");
}

TEST(answers_of_other_forms_are_taken_for_empty)
{
    assert_only("{}", "[]", "[]", "[]");
    assert_only("[7,{\"id\":9,\"repoTags\":\"x\",\"repoDigests\":[1,{}],\"size\":\"-5\"}]", "[null,{}]", "{}",
                "[{\"name\":\"\",\"id\":\"\",\"size\":0,\"pulled\":false,\"other\":false,\"usedBy\":0},"
                "{\"name\":\"\",\"id\":\"\",\"size\":0,\"pulled\":true,\"other\":false,\"usedBy\":0}]");
}

TEST(sizes_are_added_without_overflow)
{
    struct json_object *images = parse("[{\"size\":\"40\"},{\"size\":2},{\"size\":\"x\"},{}]");
    assert_int_equal(images_size(images), 42);
    json_object_put(images);
    images = parse("[{\"size\":\"9223372036854775807\"},{\"size\":\"9223372036854775807\"}]");
    assert_true(images_size(images) == INT64_MAX);
    json_object_put(images);
    assert_int_equal(images_size(NULL), 0);
}
