#include "gaps.h"

#include <stdlib.h>
#include <string.h>

static void free_tales(struct event_tale *tales, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free((void *)tales[i].id.data);
        free((void *)tales[i].pod.data);
    }
}

void event_gaps_clear(struct event_gaps *gaps)
{
    free_tales(gaps->tales, gaps->count);
    free(gaps->tales);
    *gaps = (struct event_gaps){0};
}

static bool learn_of_pod(struct event_gaps *gaps, enum container_stage stage, unsigned stages, bool stands)
{
    if (stands && stage > STAGE_CREATED && (stages & 1U << STAGE_CREATED)) {
        gaps->tells_made = gaps->tells_removed = false;
        return true;
    }
    gaps->tells_made = gaps->tells_made || stage == STAGE_CREATED;
    gaps->tells_removed = gaps->tells_removed || stage == STAGE_DELETED;
    return false;
}

bool event_gaps_learn(struct event_gaps *gaps, enum id_kind kind, const struct container_event *event, unsigned stages,
                      bool stands)
{
    gaps->heard = true;
    if (kind == ID_POD) {
        return learn_of_pod(gaps, event->stage, stages, stands);
    }
    if (event->has_statuses) {
        gaps->lacks_statuses = false;
    } else if (event->stage != STAGE_DELETED) {
        gaps->lacks_statuses = true;
        return true;
    }
    return false;
}

bool event_gaps_need_lists(const struct event_gaps *gaps)
{
    return !gaps->tells_made || !gaps->tells_removed;
}

bool event_gaps_incomplete(const struct event_gaps *gaps, const struct container_event *event)
{
    return gaps->lacks_statuses && !event->has_statuses;
}

static bool own_copy(struct bytes bytes, struct bytes *copy)
{
    uint8_t *data = malloc(bytes.len > 0 ? bytes.len : 1);
    if (data && bytes.len > 0) {
        memcpy(data, bytes.data, bytes.len);
    }
    *copy = bytes_of(data, bytes.len);
    return data != NULL;
}

bool event_gaps_keep(struct event_gaps *gaps, enum id_kind kind, const struct container_event *event)
{
    if (gaps->count == gaps->room) {
        size_t room = gaps->room > 0 ? 2 * gaps->room : 16;
        struct event_tale *grown = realloc(gaps->tales, room * sizeof *grown);
        if (!grown) {
            return false;
        }
        gaps->tales = grown;
        gaps->room = room;
    }
    struct event_tale tale = {.kind = kind, .stage = event->stage};
    bool copied = own_copy(event->id, &tale.id);
    copied = own_copy(event->pod, &tale.pod) && copied;
    if (!copied) {
        free_tales(&tale, 1);
        return false;
    }
    gaps->tales[gaps->count++] = tale;
    return true;
}

void event_gaps_drop(struct event_gaps *gaps, size_t count)
{
    free_tales(gaps->tales, count);
    gaps->count -= count;
    if (gaps->count > 0) {
        memmove(gaps->tales, gaps->tales + count, gaps->count * sizeof *gaps->tales);
    }
}
