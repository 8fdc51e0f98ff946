/* Bodies of HTTP/1 messages: where they end, what is content, and which chunks are refused. */
#include <stdlib.h>
#include <string.h>

#include "base/http/body.h"
#include "base/system/buffer.h"
#include "tests/cmocka.h"

static struct error error;
static struct buffer content;

static int clear(void **state)
{
    buffer_clear(&content);
    error = (struct error){0};
    return 0;
}

/* Reads a body that comes in pieces of that size. Returns how many bytes of the text are its; SIZE_MAX: it was refused. */
static size_t read_body(struct http_body *body, const char *text, size_t piece)
{
    size_t begin = 0;
    size_t len = strlen(text);
    while (begin < len && !http_body_has_ended(body)) {
        size_t size = len - begin < piece ? len - begin : piece;
        uint8_t *copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, text + begin, size);
        struct bytes part;
        size_t used = 0;
        bool good = http_body_read(body, bytes_of(copy, size), &used, &part, &error);
        if (good) {
            assert_true(used > 0 && used <= size);
            assert_true(part.len == 0 || part.data + part.len == copy + used);
            assert_true(buffer_append(&content, part, 1 << 20));
        }
        free(copy);
        if (!good) {
            return SIZE_MAX;
        }
        begin += used;
    }
    return begin;
}

static size_t read_chunks(const char *text, size_t piece)
{
    struct http_body body;
    clear(NULL);
    http_body_begin(&body, &(struct http_head){.framing = HTTP_CHUNKED});
    size_t used = read_body(&body, text, piece);
    return used != SIZE_MAX && !http_body_has_ended(&body) ? 0 : used;
}

static void assert_content(const char *text)
{
    assert_true(bytes_equal(buffer_bytes(&content), bytes_of_string(text)));
}

EACH_TEST(clear, clear)

TEST(a_body_by_length_ends_there)
{
    for (size_t piece = 1; piece < 12; piece++) {
        struct http_body body;
        clear(NULL);
        http_body_begin(&body, &(struct http_head){.framing = HTTP_LENGTH, .length = 5});
        assert_int_equal(read_body(&body, "helloGET /", piece), 5);
        assert_true(http_body_has_ended(&body));
        assert_content("hello");
    }
}

TEST(no_body_has_ended_before_it_begins)
{
    struct http_body body;
    http_body_begin(&body, &(struct http_head){.framing = HTTP_NO_BODY});
    assert_int_equal(read_body(&body, "GET /", 5), 0);
}

TEST(a_body_until_the_end_of_the_connection_does_not_end)
{
    struct http_body body;
    http_body_begin(&body, &(struct http_head){.framing = HTTP_UNTIL_CLOSE});
    assert_int_equal(read_body(&body, "0\r\n\r\n", 2), 5);
    assert_false(http_body_has_ended(&body));
    assert_content("0\r\n\r\n");
}

TEST(chunks_end_behind_the_trailer)
{
    static const char text[] = "5\r\nhello\r\n00A;a=\"b\";c\r\n, my world\r\n0\r\nX-Sum: 1\r\nY:\r\n\r\n";
    static const char all[] = "5\r\nhello\r\n00A;a=\"b\";c\r\n, my world\r\n0\r\nX-Sum: 1\r\nY:\r\n\r\nGET / HTTP/1.1\r\n";
    for (size_t piece = 1; piece < sizeof all; piece++) {
        assert_int_equal(read_chunks(all, piece), sizeof text - 1);
        assert_content("hello, my world");
    }
    assert_int_equal(read_chunks("0\r\n\r\n", 1), 5);
    assert_content("");
}

TEST(chunks_that_may_be_read_in_two_ways_are_refused)
{
    static const char *const bodies[] = {
        "5\nhello\r\n0\r\n\r\n",
        "5\r\nhello\n0\r\n\r\n",
        "5\r\nhello0\r\n\r\n",
        "5\r\nhello world\r\n0\r\n\r\n",
        "5 \r\nhello\r\n0\r\n\r\n",
        " 5\r\nhello\r\n0\r\n\r\n",
        "+5\r\nhello\r\n0\r\n\r\n",
        "-5\r\nhello\r\n0\r\n\r\n",
        "0x5\r\nhello\r\n0\r\n\r\n",
        "5,\r\nhello\r\n0\r\n\r\n",
        "\r\nhello\r\n0\r\n\r\n",
        ";a=b\r\nhello\r\n0\r\n\r\n",
        "5g\r\nhello\r\n0\r\n\r\n",
        "5\r\r\nhello\r\n0\r\n\r\n",
        "5;a\x01\r\nhello\r\n0\r\n\r\n",
        "5;a\nb\r\nhello\r\n0\r\n\r\n",
        "1000000000000005\r\nhello\r\n0\r\n\r\n",
        "ffffffffffffffff\r\nhello\r\n0\r\n\r\n",
        "10000000000000005\r\nhello\r\n0\r\n\r\n",
        "0\r\nno colon\r\n\r\n",
        "0\r\nContent-Length: 3\r\n\r\n",
        "0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "0\r\nHost: a\r\n\r\n",
        "0\r\nA: b\r\n folded\r\n\r\n",
        "0\r\nA : b\r\n\r\n",
        "0\r\nA: b\n\r\n",
        "0\n\n",
        "0\r\n\n",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        for (size_t piece = 1; piece < 40; piece++) {
            if (read_chunks(bodies[i], piece) != SIZE_MAX || error.code != STATUS_INVALID_ARGUMENT) {
                fail_msg("in pieces of %zu bytes this was not refused: %s", piece, bodies[i]);
            }
        }
    }
}

/* `before`, then `count` bytes of a letter, then `after`. */
static char *long_text(const char *before, size_t count, const char *after)
{
    char *text = malloc(strlen(before) + count + strlen(after) + 1);
    assert_non_null(text);
    strcpy(text, before);
    memset(text + strlen(before), 'a', count);
    strcpy(text + strlen(before) + count, after);
    return text;
}

TEST(lines_of_chunks_and_trailers_are_bounded)
{
    char *text = long_text("1;", HTTP_CHUNK_LINE_LONGEST - 4, "\r\nx\r\n0\r\n\r\n");
    assert_int_equal(read_chunks(text, 7), strlen(text));
    free(text);
    text = long_text("1;", HTTP_CHUNK_LINE_LONGEST - 3, "\r\nx\r\n0\r\n\r\n");
    assert_int_equal(read_chunks(text, 7), SIZE_MAX);
    free(text);
    text = long_text("1;", HTTP_CHUNK_LINE_LONGEST, "");
    assert_int_equal(read_chunks(text, 1000), SIZE_MAX);
    free(text);
    struct buffer trailer = {0};
    assert_true(buffer_append(&trailer, bytes_of_string("0\r\n"), 1 << 20));
    while (trailer.len < HTTP_TRAILER_LARGEST + 10) {
        assert_true(buffer_append(&trailer, bytes_of_string("Name: value\r\n"), 1 << 20));
    }
    assert_true(buffer_append(&trailer, bytes_of("\r\n", 3), 1 << 20));
    assert_int_equal(read_chunks((const char *)trailer.data, 1000), SIZE_MAX);
    buffer_clear(&trailer);
}
