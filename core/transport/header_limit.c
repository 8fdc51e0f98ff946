#include "header_limit.h"

#include <stdio.h>
#include <string.h>

/* RFC 9113, sections 3.4, 4.1 and 6. */
#define PREFACE_SIZE 24
#define TYPE_HEADERS 1
#define TYPE_SETTINGS 4
#define TYPE_PUSH_PROMISE 5
#define TYPE_GOAWAY 7
#define TYPE_CONTINUATION 9
#define FLAG_END_HEADERS 4

/* Senders fill a frame before they begin the next one; this leaves room for those that do not. */
#define LEAST_PIECE 1024

void header_limit_init(struct header_limit *guard, bool client, size_t most)
{
    *guard = (struct header_limit){.most = most, .to_skip = client ? PREFACE_SIZE : 0};
}

static bool begin_frame(struct header_limit *guard)
{
    const uint8_t *header = guard->header;
    size_t length = (size_t)header[0] << 16 | (size_t)header[1] << 8 | header[2];
    uint8_t type = header[3];
    bool ends = (header[4] & FLAG_END_HEADERS) != 0;
    guard->gathered = 0;
    guard->to_skip = length;
    guard->frames++;
    guard->settings = guard->settings || type == TYPE_SETTINGS;
    guard->goaway = guard->goaway || type == TYPE_GOAWAY;
    if (type == TYPE_HEADERS || type == TYPE_PUSH_PROMISE) {
        guard->blocks++;
        guard->block = length;
        guard->in_pieces = 0;
        guard->in_block = !ends;
    } else if (type == TYPE_CONTINUATION && guard->in_block) {
        guard->block += length;
        guard->in_pieces++;
        guard->in_block = !ends;
    }
    return guard->block <= guard->most && guard->in_pieces <= guard->most / LEAST_PIECE;
}

bool header_limit_take(struct header_limit *guard, const uint8_t *bytes, size_t count)
{
    while (count > 0) {
        size_t wanted = guard->to_skip > 0 ? guard->to_skip : FRAME_HEADER_SIZE - guard->gathered;
        size_t step = count < wanted ? count : wanted;
        if (guard->to_skip > 0) {
            guard->to_skip -= step;
        } else {
            memcpy(guard->header + guard->gathered, bytes, step);
            guard->gathered += (unsigned)step;
            if (guard->gathered == FRAME_HEADER_SIZE && !begin_frame(guard)) {
                return false;
            }
        }
        bytes += step;
        count -= step;
    }
    return true;
}

void header_limit_describe(const struct header_limit *guard, char *text, size_t size)
{
    snprintf(text, size, "sent a block of headers of more than %zu bytes, or in too many pieces", guard->most);
}
