#include "node/systemd/traced_text.h"

#include <string.h>

#define FIRST_ROOM 64

static bool grow(struct traced_builder *builder, size_t more)
{
    if (builder->failed) {
        return false;
    }
    if (builder->len + more <= builder->room) {
        return true;
    }
    size_t room = builder->room ? 2 * builder->room : FIRST_ROOM;
    room = room < builder->len + more ? builder->len + more : room;
    char *text = arena_alloc(builder->arena, room);
    struct origin *from = arena_alloc(builder->arena, room * sizeof *from);
    if (!text || !from) {
        builder->failed = true;
        return false;
    }
    if (builder->len > 0) {
        memcpy(text, builder->text, builder->len);
        memcpy(from, builder->from, builder->len * sizeof *from);
    }
    builder->text = text;
    builder->from = from;
    builder->room = room;
    return true;
}

void traced_put(struct traced_builder *builder, char c, struct origin from)
{
    if (grow(builder, 2)) {
        builder->text[builder->len] = c;
        builder->from[builder->len++] = from;
    }
}

void traced_put_text(struct traced_builder *builder, struct traced_text text)
{
    if (text.len > 0 && grow(builder, text.len + 1)) {
        memcpy(builder->text + builder->len, text.text, text.len);
        memcpy(builder->from + builder->len, text.from, text.len * sizeof *text.from);
        builder->len += text.len;
    }
}

bool traced_finish(struct traced_builder *builder, struct traced_text *text)
{
    if (!grow(builder, 1)) {
        return false;
    }
    builder->text[builder->len] = '\0';
    *text = (struct traced_text){.text = builder->text, .from = builder->from, .len = builder->len};
    *builder = (struct traced_builder){.arena = builder->arena};
    return true;
}

struct traced_text traced_part(struct traced_text text, size_t at, size_t len)
{
    return (struct traced_text){.text = text.text + at, .from = text.from + at, .len = len};
}

bool traced_is_literal(struct traced_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.from[i].file == ORIGIN_NOWHERE || text.from[i].file != text.from[0].file ||
            text.from[i].offset != text.from[0].offset + i) {
            return false;
        }
    }
    return text.len > 0;
}
