#include "tests/cmocka.h"
#include "translate/bytes/image_id.h"

#define HEX "0123456789abcdefABCDEF0000000000000000000000000000000000000000ff"

static const struct {
    const char *name;
    bool digest;
} rows[] = {
    {"sha256:" HEX, true},
    {HEX, true},
    {"", false},
    {"sha256:", false},
    {"sha256:" HEX "0", false},
    {HEX "0", false},
    {"SHA256:" HEX, false},
    {"sha512:" HEX, false},
    {"busybox@sha256:" HEX, false},
    {"docker-pullable://busybox@sha256:" HEX, false},
    {"sha256:sha256:" HEX, false},
    {"busybox", false},
    {"sha256:g123456789abcdefABCDEF0000000000000000000000000000000000000000ff", false},
    {"g123456789abcdefABCDEF0000000000000000000000000000000000000000ff", false},
    {" " HEX, false},
};

TEST(only_a_digest_alone_is_an_image_id)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (image_id_is_digest(bytes_of_string(rows[i].name)) != rows[i].digest) {
            fail_msg("\"%s\"", rows[i].name);
        }
    }
    assert_false(image_id_is_digest(bytes_of(NULL, 0)));
    /* Only the bytes that belong to the name are looked at. */
    assert_false(image_id_is_digest(bytes_of(HEX "0", 63)));
    assert_true(image_id_is_digest(bytes_of(HEX "0", 64)));
}

TEST(a_name_is_what_a_user_may_have_requested)
{
    static const char *const names[] = {"busybox", "busybox@sha256:" HEX, "registry.example:5000/app:1", "sha256:" HEX "0"};
    static const char *const others[] = {"", HEX, "sha256:" HEX, "docker://sha256:" HEX, "docker-pullable://busybox@sha256:" HEX};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(image_id_is_name(bytes_of_string(names[i])));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(image_id_is_name(bytes_of_string(others[i])));
    }
}
