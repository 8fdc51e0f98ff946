/* The wire format: what is read, what is refused, and that written varints read back. */
#include "tests/cmocka.h"
#include "translate/bytes/wire.h"

#define BYTES(...) bytes_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static bool read_one(struct bytes bytes, struct wire_field *field, size_t *left)
{
    struct wire_reader reader = wire_reader_of(bytes);
    bool good = wire_read_field(&reader, field);
    assert_true(reader.at <= reader.end);
    *left = (size_t)(reader.end - reader.at);
    return good;
}

static void assert_refused(struct bytes bytes)
{
    struct wire_field field;
    size_t left;
    assert_false(read_one(bytes, &field, &left));
}

TEST(varints_read_back_as_written)
{
    const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        uint8_t bytes[WIRE_MAX_VARINT];
        size_t size = wire_put_varint(bytes, values[i]);
        assert_int_equal(size, wire_varint_size(values[i]));
        struct wire_reader reader = wire_reader_of(bytes_of(bytes, size));
        uint64_t value;
        assert_true(wire_read_varint(&reader, &value));
        assert_true(value == values[i]);
        assert_ptr_equal(reader.at, reader.end);
        for (size_t cut = 0; cut < size; cut++) {
            reader = wire_reader_of(bytes_of(bytes, cut));
            assert_false(wire_read_varint(&reader, &value));
        }
    }
    assert_int_equal(wire_varint_size(UINT64_MAX), WIRE_MAX_VARINT);
}

TEST(varints_beyond_64_bits_are_refused)
{
    uint64_t value;
    struct wire_reader reader = wire_reader_of(BYTES(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02));
    assert_false(wire_read_varint(&reader, &value));
    reader = wire_reader_of(BYTES(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00));
    assert_false(wire_read_varint(&reader, &value));
    reader = wire_reader_of(bytes_of(NULL, 0));
    assert_false(wire_read_varint(&reader, &value));
}

TEST(each_wire_type_is_read)
{
    struct wire_field field;
    size_t left;
    assert_true(read_one(BYTES(0x08, 0x96, 0x01, 0xAA), &field, &left));
    assert_int_equal(field.number, 1);
    assert_int_equal(field.type, WIRE_VARINT);
    assert_int_equal(field.value, 150);
    assert_int_equal(left, 1);
    assert_true(read_one(BYTES(0x11, 1, 2, 3, 4, 5, 6, 7, 8), &field, &left));
    assert_int_equal(field.number, 2);
    assert_true(field.value == 0x0807060504030201);
    assert_true(read_one(BYTES(0x1D, 0xFF, 0, 0, 0x80), &field, &left));
    assert_int_equal(field.value, 0x800000FF);
    struct bytes text = BYTES(0x22, 2, 'h', 'i', 0x08);
    assert_true(read_one(text, &field, &left));
    assert_true(bytes_equal(field.payload, bytes_of("hi", 2)));
    assert_ptr_equal(field.start, text.data);
    assert_int_equal(left, 1);
}

TEST(fixed_numbers_need_all_their_bytes)
{
    assert_refused(BYTES(0x11, 1, 2, 3, 4, 5, 6, 7));
    assert_refused(BYTES(0x1D, 1, 2, 3));
    uint64_t value;
    struct wire_reader reader = wire_reader_of(BYTES(1, 2, 3, 4, 5, 6, 7));
    assert_false(wire_read_fixed64(&reader, &value));
    reader = wire_reader_of(BYTES(1, 0, 0, 0, 0, 0, 0, 0));
    assert_true(wire_read_fixed64(&reader, &value));
    assert_int_equal(value, 1);
}

TEST(lengths_beyond_the_end_are_refused)
{
    assert_refused(BYTES(0x0A, 2, 'x'));
    assert_refused(BYTES(0x0A));
    assert_refused(BYTES(0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F));
    assert_refused(BYTES(0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01));
    struct wire_field field;
    size_t left;
    assert_true(read_one(BYTES(0x0A, 0), &field, &left));
    assert_int_equal(field.payload.len, 0);
}

TEST(bad_tags_are_refused)
{
    assert_refused(BYTES(0x00, 0x00));                         /* number 0 */
    assert_refused(BYTES(0x80, 0x80, 0x80, 0x80, 0x10, 0x00)); /* number 2^29 */
    assert_refused(BYTES(0x0B, 0x0C));                         /* a group */
    assert_refused(BYTES(0x0C));
    assert_refused(BYTES(0x0E, 0x00)); /* wire types 6 and 7 do not exist */
    assert_refused(BYTES(0x0F, 0x00));
    struct wire_field field;
    size_t left;
    assert_true(read_one(BYTES(0xF8, 0xFF, 0xFF, 0xFF, 0x0F, 0x01), &field, &left));
    assert_int_equal(field.number, (1U << 29) - 1);
}

TEST(long_spellings_of_tags_and_lengths_are_refused)
{
    assert_refused(BYTES(0x88, 0x80, 0x80, 0x80, 0x80, 0x00, 0x01));
    assert_refused(BYTES(0x0A, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00, 'x'));
    struct wire_field field;
    size_t left;
    assert_true(read_one(BYTES(0x88, 0x80, 0x80, 0x80, 0x00, 0x01), &field, &left));
    assert_int_equal(field.number, 1);
}
