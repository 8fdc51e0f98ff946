#include "docker/proxy/raw_stream.h"

/* Takes the last part off a path, which has no slash then. */
static struct bytes take_last(struct bytes *path)
{
    const uint8_t *slash = path->len > 0 ? memrchr(path->data, '/', path->len) : NULL;
    size_t before = slash ? (size_t)(slash - path->data) : 0;
    struct bytes last = slash ? bytes_after(*path, before + 1) : *path;
    *path = bytes_of(path->data, before);
    return last;
}

static bool is(struct bytes text, const char *word)
{
    return bytes_equal(text, bytes_of_string(word));
}

bool raw_stream_may_answer(struct bytes method, struct bytes target)
{
    const uint8_t *query = memchr(target.data, '?', target.len);
    struct bytes path = bytes_of(target.data, query ? (size_t)(query - target.data) : target.len);
    if (!is(method, "POST")) {
        return false;
    }
    struct bytes last = take_last(&path);
    if (is(last, "session") || is(last, "grpc")) {
        return true;
    }
    take_last(&path);
    struct bytes kind = take_last(&path);
    return (is(last, "attach") && is(kind, "containers")) || (is(last, "start") && is(kind, "exec"));
}
