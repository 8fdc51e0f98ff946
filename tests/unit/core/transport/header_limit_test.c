#include <stdlib.h>
#include <string.h>

#include "core/transport/header_limit.h"
#include "tests/cmocka.h"

#define MOST 4096

enum { DATA = 0, HEADERS = 1, PING = 6, CONTINUATION = 9, END_STREAM = 1, END_HEADERS = 4 };

/* Bytes of a connection, as they are put together. */
struct traffic {
    uint8_t bytes[65536];
    size_t size;
};

static void put(struct traffic *traffic, uint8_t type, uint8_t flags, size_t length)
{
    uint8_t header[FRAME_HEADER_SIZE] = {
        (uint8_t)(length >> 16), (uint8_t)(length >> 8), (uint8_t)length, type, flags, 0, 0, 0, 1};
    assert_true(traffic->size + sizeof header + length <= sizeof traffic->bytes);
    memcpy(traffic->bytes + traffic->size, header, sizeof header);
    /* A payload that would be a frame of headers if it were read as one. */
    memset(traffic->bytes + traffic->size + sizeof header, 1, length);
    traffic->size += sizeof header + length;
}

/* Whether all of it is let through, in steps of that size. */
static bool passes(const struct traffic *traffic, size_t step, struct header_limit *guard)
{
    for (size_t at = 0; at < traffic->size; at += step) {
        size_t left = traffic->size - at;
        if (!header_limit_take(guard, traffic->bytes + at, left < step ? left : step)) {
            return false;
        }
    }
    return true;
}

/* The same in all ways to cut it. */
static void expect(const struct traffic *traffic, bool good, uint64_t frames, uint64_t blocks)
{
    static const size_t steps[] = {1, 2, 3, 7, 8, 9, 10, 4096, 65536};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct header_limit guard;
        header_limit_init(&guard, false, MOST);
        assert_int_equal(passes(traffic, steps[i], &guard), good);
        if (good) {
            assert_int_equal(guard.frames, frames);
            assert_int_equal(guard.blocks, blocks);
        }
    }
}

TEST(frames_are_told_apart_wherever_they_are_cut)
{
    struct traffic *traffic = calloc(1, sizeof *traffic);
    put(traffic, HEADERS, END_HEADERS, 300);
    put(traffic, DATA, END_STREAM, 16384);
    put(traffic, PING, 0, 8);
    put(traffic, HEADERS, END_HEADERS | END_STREAM, 0);
    put(traffic, DATA, 0, 0);
    expect(traffic, true, 5, 2);
    free(traffic);
}

TEST(a_block_in_pieces_passes_up_to_its_bound)
{
    struct traffic *traffic = calloc(1, sizeof *traffic);
    put(traffic, HEADERS, 0, MOST - 200);
    put(traffic, CONTINUATION, 0, 100);
    put(traffic, CONTINUATION, END_HEADERS, 100);
    put(traffic, HEADERS, END_HEADERS, MOST);
    expect(traffic, true, 4, 2);
    put(traffic, HEADERS, 0, MOST - 200);
    put(traffic, CONTINUATION, 0, 100);
    put(traffic, CONTINUATION, END_HEADERS, 101);
    expect(traffic, false, 0, 0);
    free(traffic);
}

TEST(a_block_in_empty_pieces_does_not_go_on_for_ever)
{
    struct traffic *traffic = calloc(1, sizeof *traffic);
    put(traffic, HEADERS, 0, 10);
    for (size_t i = 0; i < MOST / 1024; i++) {
        put(traffic, CONTINUATION, 0, 0);
    }
    expect(traffic, true, 5, 1);
    put(traffic, CONTINUATION, 0, 0);
    expect(traffic, false, 0, 0);
    free(traffic);
}

TEST(what_a_client_says_first_is_no_frame)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    struct traffic *traffic = calloc(1, sizeof *traffic);
    memcpy(traffic->bytes, preface, sizeof preface - 1);
    traffic->size = sizeof preface - 1;
    put(traffic, HEADERS, END_HEADERS, 30);
    struct header_limit guard;
    header_limit_init(&guard, true, MOST);
    assert_true(passes(traffic, 5, &guard));
    assert_int_equal(guard.frames, 1);
    assert_int_equal(guard.blocks, 1);
    free(traffic);
}
