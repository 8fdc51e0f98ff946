#include "base/http/rewrite.h"

#include "base/http/syntax.h"

static bool is_one_of(struct bytes name, const char *const *names)
{
    for (; *names; names++) {
        if (http_same_name(name, *names)) {
            return true;
        }
    }
    return false;
}

bool http_head_rewrite(struct bytes head, const char *const *without, struct bytes added, struct buffer *out)
{
    struct bytes rest = head;
    struct bytes line, name, value;
    struct bytes begin = head;
    bool good = buffer_reserve(out, head.len + added.len, SIZE_MAX);
    for (bool first = true; good && http_take_line(&rest, &line, NULL); first = false) {
        struct bytes whole = bytes_of(begin.data, begin.len - rest.len);
        begin = rest;
        bool left_out = !first && line.len > 0 && http_read_field(line, &name, &value, NULL) && is_one_of(name, without);
        good = line.len > 0 || buffer_append(out, added, SIZE_MAX);
        good = good && (left_out || buffer_append(out, whole, SIZE_MAX));
    }
    return good;
}
