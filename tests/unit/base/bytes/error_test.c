#include <string.h>

#include "base/bytes/error.h"
#include "tests/cmocka.h"

TEST(a_failure_grows_context)
{
    struct error error = {0};
    assert_false(error_set(&error, STATUS_NOT_FOUND, "no pod \"%s\"", "x"));
    assert_string_equal(error.message, "no pod \"x\"");
    assert_false(error_wrap(&error, "runtime %s", "virtlet"));
    assert_string_equal(error.message, "runtime virtlet: no pod \"x\"");
    assert_int_equal(error.code, STATUS_NOT_FOUND);
    error_set(&error, STATUS_INTERNAL, "other");
    assert_string_equal(error.message, "other");
    assert_int_equal(error.code, STATUS_INTERNAL);
}

TEST(nobody_need_want_the_reason)
{
    assert_false(error_set(NULL, STATUS_INTERNAL, "x"));
    assert_false(error_wrap(NULL, "x"));
}

TEST(long_messages_are_cut)
{
    char text[2 * ERROR_MESSAGE_SIZE];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    /* Around the size: one that fits whole, and those that do not. */
    for (size_t length = ERROR_MESSAGE_SIZE - 3; length < ERROR_MESSAGE_SIZE + 3; length++) {
        struct error error = {0};
        error_set(&error, STATUS_UNKNOWN, "%.*s", (int)length, text);
        bool fits = length < ERROR_MESSAGE_SIZE;
        assert_int_equal(strlen(error.message), fits ? length : ERROR_MESSAGE_SIZE - 1);
        assert_int_equal(strcmp(error.message + strlen(error.message) - 3, "...") == 0, !fits);
        error_wrap(&error, "context");
        assert_memory_equal(error.message, "context: aaa", 12);
        assert_string_equal(error.message + ERROR_MESSAGE_SIZE - 4, "...");
    }
    struct error error = {0};
    error_set(&error, STATUS_UNKNOWN, "why");
    error_wrap(&error, "%s", text);
    assert_int_equal(strlen(error.message), ERROR_MESSAGE_SIZE - 1);
    assert_string_equal(error.message + ERROR_MESSAGE_SIZE - 4, "...");
}

TEST(codes_are_named_as_grpc_does)
{
    for (int code = STATUS_OK; code <= STATUS_UNAUTHENTICATED; code++) {
        enum status_code again;
        assert_true(status_code_from_name(status_code_name((enum status_code)code), &again));
        assert_int_equal(again, code);
    }
    assert_string_equal(status_code_name(STATUS_NOT_FOUND), "NOT_FOUND");
    assert_string_equal(status_code_name((enum status_code)17), "CODE_UNDEFINED");
    assert_string_equal(status_code_name((enum status_code) - 1), "CODE_UNDEFINED");
    enum status_code code;
    assert_false(status_code_from_name("not_found", &code));
    assert_false(status_code_from_name("CODE_UNDEFINED", &code));
    assert_false(status_code_from_name("", &code));
}
