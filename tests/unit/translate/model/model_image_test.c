#include "tests/cmocka.h"
#include "tests/unit/translate/model/model_fixture.h"
#include "translate/convert/convert.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void begin(Model__ImageSpec *image, const char *text, const char *known_name)
{
    fixture_begin_container(LEVEL_EMPTY);
    *image = (Model__ImageSpec)MODEL__IMAGE_SPEC__INIT;
    image->image = (char *)text;
    fixture.container.image = image;
    fixture.model.to = DIALECT_MODEL;
    fixture.model.image_name = bytes_of_string(known_name);
}

ALL_TESTS(NULL, fixture_end)

TEST(the_name_is_the_one_that_is_known_or_else_the_images_own)
{
    static const struct {
        const char *image, *known, *expected;
    } cases[] = {
        {"sha256:" DIGEST, "busybox:1", "busybox:1"},
        {"docker.io/library/busybox@sha256:" DIGEST, "busybox:1", "busybox:1"},
        {"busybox:2", "", "busybox:2"},
        {"docker.io/library/busybox@sha256:" DIGEST, "", "docker.io/library/busybox@sha256:" DIGEST},
        {"sha256:" DIGEST, "", NULL},
        {DIGEST, "", NULL},
        {"docker-pullable://busybox@sha256:" DIGEST, "", NULL},
        {"", "", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Model__ImageSpec image;
        begin(&image, cases[i].image, cases[i].known);
        if (cases[i].expected) {
            assert_true(fixture_run(normalise_user_specified_image));
            assert_string_equal(image.user_specified_image, cases[i].expected);
        } else {
            fixture_expect_untouched(normalise_user_specified_image);
        }
    }
}

TEST(what_is_said_or_cannot_be_heard_stays_as_it_is)
{
    Model__ImageSpec image;
    begin(&image, "busybox:1", "busybox:2");
    image.user_specified_image = (char *)"said";
    fixture_expect_untouched(normalise_user_specified_image);
    image.user_specified_image = (char *)protobuf_c_empty_string;
    for (enum dialect dialect = 0; dialect < DIALECT_MODEL; dialect++) {
        fixture.model.to = dialect;
        fixture_expect_untouched(normalise_user_specified_image);
    }
    fixture.model.to = DIALECT_MODEL;
    fixture.container.image = NULL;
    fixture_expect_untouched(normalise_user_specified_image);
}

TEST(without_memory_the_call_fails)
{
    Model__ImageSpec image;
    begin(&image, "sha256:" DIGEST, "busybox:1");
    fixture_expect_exhausted(normalise_user_specified_image);
}

TEST(only_callers_that_cannot_say_a_name_need_one)
{
    assert_false(convert_needs_image_name(DIALECT_MODEL, DIALECT_MODEL));
    for (enum dialect dialect = 0; dialect < DIALECT_MODEL; dialect++) {
        assert_true(convert_needs_image_name(dialect, DIALECT_MODEL));
        assert_false(convert_needs_image_name(dialect, dialect));
        assert_false(convert_needs_image_name(DIALECT_MODEL, dialect));
    }
}
