/* Heads of HTTP/1 messages: which are taken, what they say of the body, and which are refused. */
#include <stdlib.h>
#include <string.h>

#include "base/http/rewrite.h"
#include "tests/cmocka.h"

static struct error error;
static struct http_head head;

/* Bytes on the heap, so that a sanitizer sees who reads beyond their end. */
static struct bytes copy_of(struct bytes text)
{
    uint8_t *copy = malloc(text.len > 0 ? text.len : 1);
    assert_non_null(copy);
    memcpy(copy, text.data, text.len);
    return bytes_of(copy, text.len);
}

/* Whether the bytes are the whole head of a request. */
static bool reads_bytes(struct bytes text)
{
    struct http_head_scan scan = {0};
    struct bytes copy = copy_of(text);
    error = (struct error){0};
    size_t size = http_head_find_end(&scan, copy, &error);
    bool good = size == text.len && http_head_read_request(copy, &head, &error);
    head.method = head.target = bytes_of(NULL, 0);
    free((void *)copy.data);
    return good;
}

static bool reads(const char *text)
{
    return reads_bytes(bytes_of_string(text));
}

static bool answers(const char *text, bool to_head)
{
    struct http_head_scan scan = {0};
    struct bytes copy = copy_of(bytes_of_string(text));
    error = (struct error){0};
    size_t size = http_head_find_end(&scan, copy, &error);
    bool good = size == copy.len && http_head_read_answer(copy, to_head, &head, &error);
    free((void *)copy.data);
    return good;
}

/* ---- requests ---- */

TEST(a_request_has_method_target_and_version)
{
    static const char text[] =
        "POST /v1.41/containers/create?name=a%20b HTTP/1.1\r\nHost: docker\r\nContent-Length: 12\r\n\r\nmore";
    struct bytes bytes = bytes_of_string(text);
    struct http_head_scan scan = {0};
    size_t size = http_head_find_end(&scan, bytes, &error);
    assert_int_equal(size, sizeof text - 1 - strlen("more"));
    assert_true(http_head_read_request(bytes, &head, &error));
    assert_true(bytes_equal(head.method, bytes_of_string("POST")));
    assert_true(bytes_equal(head.target, bytes_of_string("/v1.41/containers/create?name=a%20b")));
    assert_int_equal(head.size, size);
    assert_int_equal(head.minor, 1);
    assert_int_equal(head.framing, HTTP_LENGTH);
    assert_int_equal(head.length, 12);
    assert_true(head.keeps_alive);
    assert_false(head.upgrades || head.awaits_continue);
}

TEST(the_fields_say_how_the_body_ends)
{
    assert_true(reads("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    assert_int_equal(head.framing, HTTP_NO_BODY);
    assert_true(reads("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n"));
    assert_int_equal(head.framing, HTTP_NO_BODY);
    assert_true(reads("POST / HTTP/1.1\r\ntransfer-ENCODING:\tChunked \r\n\r\n"));
    assert_int_equal(head.framing, HTTP_CHUNKED);
    assert_true(reads("GET / HTTP/1.1\r\nContent-Length: 999999999999999999\r\n\r\n"));
    assert_true(head.length == UINT64_C(999999999999999999));
}

TEST(what_follows_on_the_connection)
{
    assert_true(reads("GET / HTTP/1.0\r\n\r\n"));
    assert_false(head.keeps_alive);
    assert_true(reads("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    assert_true(head.keeps_alive);
    assert_true(reads("GET / HTTP/1.1\r\nConnection: close\r\n\r\n"));
    assert_false(head.keeps_alive);
    assert_true(reads("POST / HTTP/1.1\r\nConnection: x, Upgrade\r\nUpgrade: tcp\r\n\r\n"));
    assert_true(head.upgrades);
    assert_true(reads("POST / HTTP/1.1\r\nUpgrade: tcp\r\n\r\n"));
    assert_false(head.upgrades);
    assert_true(reads("POST / HTTP/1.1\r\nConnection: upgrade\r\n\r\n"));
    assert_false(head.upgrades);
    assert_true(reads("POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n"));
    assert_true(head.awaits_continue);
    assert_true(reads("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"));
    assert_false(head.awaits_continue);
}

/* Each of them is read differently by some program, or not at all. */
static const char *const doubtful[] = {
    "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 3, 3\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: +3\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: -3\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 0x3\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 3 4\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length:\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 9999999999999999999\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 18446744073709551619\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked, identity\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: \"chunked\"\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding:\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n",
    "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding : chunked\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length : 3\r\n\r\n",
    "POST / HTTP/1.1\r\n Content-Length: 3\r\n\r\n",
    "POST / HTTP/1.1\r\nA: b\r\n Content-Length: 3\r\n\r\n",
    "POST / HTTP/1.1\r\nA: b\r\n\tc\r\n\r\n",
    "POST / HTTP/1.1\r\nContent\tLength: 3\r\n\r\n",
    "POST / HTTP/1.1\r\nA\x01: b\r\n\r\n",
    "POST / HTTP/1.1\r\nA: b\x01\r\n\r\n",
    "POST / HTTP/1.1\r\nA: b\x7f\r\n\r\n",
    "POST / HTTP/1.1\r\nA: b\rContent-Length: 3\r\n\r\n",
    "POST / HTTP/1.1\r\nno colon\r\n\r\n",
    "POST / HTTP/1.1\r\n: no name\r\n\r\n",
    "POST / HTTP/1.1\r\nn\xc3\xa4me: x\r\n\r\n",
    "POST / HTTP/1.1\nA: b\n\n",
    "POST / HTTP/1.1\r\nA: b\nC: d\r\n\r\n",
    "POST / HTTP/1.1\r\nA: b\r\n\n",
    "POST / HTTP/1.1\r\r\n\r\n",
    "\r\nPOST / HTTP/1.1\r\n\r\n",
    " POST / HTTP/1.1\r\n\r\n",
    "POST  / HTTP/1.1\r\n\r\n",
    "POST /  HTTP/1.1\r\n\r\n",
    "POST / HTTP/1.1 \r\n\r\n",
    "POST\t/ HTTP/1.1\r\n\r\n",
    "POST /a b HTTP/1.1\r\n\r\n",
    "POST /\xc3\xa4 HTTP/1.1\r\n\r\n",
    "POST /#a HTTP/1.1\r\n\r\n",
    "POST /\x7f HTTP/1.1\r\n\r\n",
    "POST http://docker/containers/create HTTP/1.1\r\n\r\n",
    "POST containers HTTP/1.1\r\n\r\n",
    "CONNECT /a HTTP/1.1\r\n\r\n",
    "CONNECT a:80 HTTP/1.1\r\n\r\n",
    "CREATE / HTTP/1.1\r\n\r\n",
    "P@ST / HTTP/1.1\r\n\r\n",
    "POST /\r\n\r\n",
    "POST / HTTP/1.2\r\n\r\n",
    "POST / HTTP/0.9\r\n\r\n",
    "POST / HTTP/2.0\r\n\r\n",
    "POST / HTTP/1.10\r\n\r\n",
    "POST / http/1.1\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\n",
    "POST / ICE/1.1\r\n\r\n",
    "HTTP/1.1 200 OK\r\n\r\n",
};

TEST(what_is_doubtful_is_refused)
{
    for (size_t i = 0; i < sizeof doubtful / sizeof doubtful[0]; i++) {
        if (reads(doubtful[i]) || error.code != STATUS_INVALID_ARGUMENT) {
            fail_msg("this was not refused as it should be (%s): %s", error.message, doubtful[i]);
        }
    }
    static const char nul[] = "POST / HTTP/1.1\r\nA: b\0c\r\n\r\n";
    assert_false(reads_bytes(bytes_of(nul, sizeof nul - 1)));
    static const char nul_in_target[] = "POST /\0 HTTP/1.1\r\n\r\n";
    assert_false(reads_bytes(bytes_of(nul_in_target, sizeof nul_in_target - 1)));
}

TEST(a_refusal_says_nothing_of_the_content)
{
    assert_false(reads("POST / HTTP/1.1\r\nX-Registry-Auth: secret\x01\r\n\r\n"));
    assert_null(strstr(error.message, "secret"));
    assert_false(reads("POST /?token=secret\x01 HTTP/1.1\r\n\r\n"));
    assert_null(strstr(error.message, "secret"));
}

/* ---- pieces and limits ---- */

TEST(a_head_may_come_byte_by_byte)
{
    static const char text[] = "GET /a HTTP/1.1\r\nHost: a\r\nA: b\r\n\r\n";
    struct http_head_scan scan = {0};
    error = (struct error){0};
    for (size_t len = 0; len < sizeof text - 1; len++) {
        assert_int_equal(http_head_find_end(&scan, bytes_of(text, len), &error), 0);
        assert_int_equal(error.code, STATUS_OK);
    }
    assert_int_equal(http_head_find_end(&scan, bytes_of(text, sizeof text - 1), &error), sizeof text - 1);
}

TEST(a_wrong_line_is_refused_before_the_head_is_whole)
{
    struct http_head_scan scan = {0};
    error = (struct error){0};
    assert_int_equal(http_head_find_end(&scan, bytes_of_string("GET / HTTP/1.1\n"), &error), 0);
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
}

/* A head with this many fields of this many bytes each. */
static struct bytes big_head(size_t fields, size_t bytes)
{
    static const char line[] = "GET / HTTP/1.1\r\n";
    char *text = malloc(sizeof line + fields * bytes + 2);
    assert_non_null(text);
    memcpy(text, line, sizeof line - 1);
    size_t len = sizeof line - 1;
    for (size_t i = 0; i < fields; i++) {
        memset(text + len, 'a', bytes);
        text[len + 1] = ':';
        len += bytes;
        memcpy(text + len - 2, "\r\n", 2);
    }
    memcpy(text + len, "\r\n", 2);
    return bytes_of(text, len + 2);
}

static void assert_head(size_t fields, size_t bytes, enum status_code code)
{
    struct bytes text = big_head(fields, bytes);
    bool good = reads_bytes(text);
    free((void *)text.data);
    assert_int_equal(error.code, code);
    assert_true(good == (code == STATUS_OK));
}

TEST(size_and_count_of_fields_are_bounded)
{
    assert_head(HTTP_FIELDS_MOST, 10, STATUS_OK);
    assert_head(HTTP_FIELDS_MOST + 1, 10, STATUS_RESOURCE_EXHAUSTED);
    assert_head(1, HTTP_HEAD_LARGEST - 18, STATUS_OK);
    assert_head(1, HTTP_HEAD_LARGEST - 17, STATUS_RESOURCE_EXHAUSTED);
    /* A line that does not end. */
    struct bytes text = big_head(1, 2 * HTTP_HEAD_LARGEST);
    struct http_head_scan scan = {0};
    error = (struct error){0};
    assert_int_equal(http_head_find_end(&scan, bytes_of(text.data, HTTP_HEAD_LARGEST), &error), 0);
    assert_int_equal(error.code, STATUS_OK);
    assert_int_equal(http_head_find_end(&scan, bytes_of(text.data, HTTP_HEAD_LARGEST + 1), &error), 0);
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    free((void *)text.data);
}

/* ---- answers ---- */

TEST(status_and_request_say_whether_an_answer_has_a_body)
{
    assert_true(answers("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", false));
    assert_int_equal(head.framing, HTTP_LENGTH);
    assert_int_equal(head.status, 200);
    assert_true(answers("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", true));
    assert_int_equal(head.framing, HTTP_NO_BODY);
    assert_true(answers("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false));
    assert_int_equal(head.framing, HTTP_CHUNKED);
    assert_true(answers("HTTP/1.1 200 OK\r\n\r\n", false));
    assert_int_equal(head.framing, HTTP_UNTIL_CLOSE);
    assert_true(answers("HTTP/1.1 204\r\n\r\n", false));
    assert_int_equal(head.framing, HTTP_NO_BODY);
    assert_true(answers("HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n", false));
    assert_int_equal(head.framing, HTTP_NO_BODY);
    assert_true(answers("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n", false));
    assert_int_equal(head.framing, HTTP_NO_BODY);
    assert_true(answers("HTTP/1.0 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n", false));
    assert_int_equal(head.framing, HTTP_NO_BODY);
    assert_false(head.keeps_alive);
}

TEST(doubtful_answers_are_refused)
{
    static const char *const heads[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n folded\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 3\n\n",
        "HTTP/1.1 200 O\x01K\r\n\r\n",
        "HTTP/1.1 099 OK\r\n\r\n",
        "HTTP/1.1 600 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.1  200 OK\r\n\r\n",
        "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n",
        "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 100 Continue\r\nContent-Length: 3\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "200 OK\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        if (answers(heads[i], false) || error.code != STATUS_INVALID_ARGUMENT) {
            fail_msg("this was not refused: %s", heads[i]);
        }
    }
}

/* ---- heads that are framed anew ---- */

TEST(a_head_is_rewritten_without_some_fields)
{
    static const char *const without[] = {"content-length", "expect", NULL};
    static const char text[] =
        "POST /content-length: HTTP/1.1\r\nCONTENT-Length: 3\r\nX-Content-Length: 4\r\nA:b\r\nExpect: 100-continue\r\n\r\n";
    struct buffer out = {0};
    assert_true(http_head_rewrite(bytes_of_string(text), without, bytes_of_string("Content-Length: 7\r\n"), &out));
    assert_true(bytes_equal(buffer_bytes(&out), bytes_of_string("POST /content-length: HTTP/1.1\r\nX-Content-Length: 4\r\nA:b\r\n"
                                                                "Content-Length: 7\r\n\r\n")));
    assert_true(http_head_read_request(buffer_bytes(&out), &head, &error));
    assert_int_equal(head.length, 7);
    buffer_clear(&out);
}
