#include "translate/walk/path.h"

#include <stdio.h>

#include "translate/bytes/wire.h"

static unsigned count_field(struct wire_reader reader, uint32_t number)
{
    unsigned count = 0;
    struct wire_field field;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        count += field.number == number;
    }
    return count;
}

/* The number of occurrences of the field in the parent's message before this frame. */
static unsigned occurrence_of(const struct walk_frame *frame)
{
    const struct pieces *before = frame->parent ? frame->parent->before : NULL;
    unsigned index = count_field((struct wire_reader){.at = frame->message, .end = frame->at}, frame->field->number);
    for (size_t i = 0; before && i < before->count; i++) {
        index += count_field(wire_reader_of(before->each[i]), frame->field->number);
    }
    return index;
}

void walk_path(const struct walk_frame *frame, char *text, size_t size)
{
    text[0] = '\0';
    if (!frame || !frame->field) {
        return;
    }
    walk_path(frame->parent, text, size);
    size_t used = strlen(text);
    const char *dot = used > 0 ? "." : "";
    if (frame->field->repeated) {
        snprintf(text + used, size - used, "%s%s[%u]", dot, frame->field->name, occurrence_of(frame));
    } else {
        snprintf(text + used, size - used, "%s%s", dot, frame->field->name);
    }
}
