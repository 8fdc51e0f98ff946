/* Bytes that grow, up to a limit. */
#include "base/system/buffer.h"
#include "tests/cmocka.h"

TEST(what_is_appended_lies_in_sequence)
{
    struct buffer buffer = {0};
    for (unsigned i = 0; i < 10000; i++) {
        const uint8_t byte = (uint8_t)i;
        assert_true(buffer_append(&buffer, bytes_of(&byte, 1), SIZE_MAX));
    }
    assert_true(buffer_append(&buffer, (struct bytes){0}, SIZE_MAX));
    struct bytes all = buffer_bytes(&buffer);
    assert_int_equal(all.len, 10000);
    for (unsigned i = 0; i < 10000; i++) {
        assert_int_equal(all.data[i], (uint8_t)i);
    }
    buffer_clear(&buffer);
    assert_int_equal(buffer_bytes(&buffer).len, 0);
}

TEST(the_limit_is_reached_and_not_passed)
{
    struct buffer buffer = {0};
    assert_true(buffer_append(&buffer, bytes_of_string("1234567"), 10));
    assert_false(buffer_append(&buffer, bytes_of_string("8901"), 10));
    assert_true(buffer_append(&buffer, bytes_of_string("890"), 10));
    assert_int_equal(buffer.capacity, 10);
    assert_false(buffer_reserve(&buffer, 1, 10));
    assert_true(bytes_equal(buffer_bytes(&buffer), bytes_of_string("1234567890")));
    buffer_clear(&buffer);
}

TEST(reserved_room_is_used)
{
    struct buffer buffer = {0};
    assert_true(buffer_reserve(&buffer, 100000, SIZE_MAX));
    const uint8_t *data = buffer.data;
    assert_true(buffer_append(&buffer, bytes_of_string("abc"), SIZE_MAX));
    assert_ptr_equal(buffer.data, data);
    buffer_clear(&buffer);
}
