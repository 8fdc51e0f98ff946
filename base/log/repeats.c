#include "base/log/repeats.h"

#include <string.h>

static bool is_of(const struct repeat *item, struct bytes path)
{
    return item->path[0] != '\0' && bytes_equal(bytes_of_string(item->path), path);
}

/* The one that is equal, or else the one that makes room. */
static struct repeat *find(struct repeats *repeats, struct bytes path, unsigned code, unsigned target)
{
    struct repeat *oldest = &repeats->items[0];
    for (size_t i = 0; i < REPEATS_MOST; i++) {
        struct repeat *item = &repeats->items[i];
        if (is_of(item, path) && item->code == code && item->target == target) {
            return item;
        }
        if (oldest->path[0] != '\0' && (item->path[0] == '\0' || item->logged < oldest->logged)) {
            oldest = item;
        }
    }
    repeats->used -= oldest->path[0] != '\0';
    oldest->path[0] = '\0';
    return oldest;
}

bool repeats_allow(struct repeats *repeats, struct bytes path, unsigned code, unsigned target, int64_t now, unsigned *skipped)
{
    *skipped = 0;
    if (path.len == 0 || path.len >= REPEATS_PATH || memchr(path.data, '\0', path.len)) {
        return true;
    }
    struct repeat *item = find(repeats, path, code, target);
    bool known = item->path[0] != '\0';
    if (known && now - item->logged < REPEATS_NS) {
        item->skipped++;
        return false;
    }
    *skipped = known ? item->skipped : 0;
    repeats->used += !known;
    *item = (struct repeat){.code = code, .target = target, .logged = now};
    memcpy(item->path, path.data, path.len);
    return true;
}

void repeats_forget(struct repeats *repeats, struct bytes path)
{
    for (size_t i = 0; repeats->used > 0 && i < REPEATS_MOST; i++) {
        if (is_of(&repeats->items[i], path)) {
            repeats->items[i] = (struct repeat){0};
            repeats->used--;
        }
    }
}
