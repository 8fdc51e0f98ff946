#include "tests/faults/history.h"

#include <stdlib.h>

#include "sim/common/memory.h"

struct span {
    int64_t from;
    int64_t until; /* INT64_MAX: it lasts */
};

struct spans {
    struct span *items; /* in the order of time, apart from each other */
    size_t count;
};

struct history {
    struct spans called[PLUGIN_COUNT][STAGE_COUNT];
    struct spans disturbed;
    struct spans killed; /* moments */
};

struct history *history_new(void)
{
    return sim_zeroed(1, sizeof(struct history));
}

void history_free(struct history *history)
{
    for (unsigned plugin = 0; plugin < PLUGIN_COUNT; plugin++) {
        for (unsigned stage = 0; stage < STAGE_COUNT; stage++) {
            free(history->called[plugin][stage].items);
        }
    }
    free(history->disturbed.items);
    free(history->killed.items);
    free(history);
}

static struct span *latest(const struct spans *spans)
{
    return spans->count > 0 ? &spans->items[spans->count - 1] : NULL;
}

static void add(struct spans *spans, int64_t from, int64_t until)
{
    spans->items = sim_grown(spans->items, spans->count, sizeof *spans->items);
    spans->items[spans->count++] = (struct span){from, until};
}

/* ---- plugins ---- */

static void end(struct spans *spans, int64_t at)
{
    struct span *span = latest(spans);
    if (span && span->until > at) {
        span->until = at;
    }
}

void history_file(struct history *history, unsigned plugin, unsigned stages, int64_t at)
{
    for (unsigned stage = 0; stage < STAGE_COUNT; stage++) {
        if (!(stages & (1U << stage))) {
            end(&history->called[plugin][stage], at);
        }
    }
}

void history_confirmed(struct history *history, unsigned plugin, unsigned stages, int64_t at)
{
    for (unsigned stage = 0; stage < STAGE_COUNT; stage++) {
        struct spans *spans = &history->called[plugin][stage];
        const struct span *span = latest(spans);
        if ((stages & (1U << stage)) && !(span && span->until == INT64_MAX)) {
            add(spans, at, INT64_MAX);
        }
    }
}

void history_not_read(struct history *history, unsigned plugin, int64_t since)
{
    history_file(history, plugin, 0, since);
}

bool history_called(const struct history *history, unsigned plugin, enum stage stage, int64_t from, int64_t until)
{
    const struct spans *spans = &history->called[plugin][stage];
    for (size_t i = 0; i < spans->count; i++) {
        if (spans->items[i].from <= from && spans->items[i].until >= until) {
            return true;
        }
    }
    return false;
}

/* ---- the gateway ---- */

void history_gateway_disturbed(struct history *history, int64_t from, int64_t until)
{
    struct span *span = latest(&history->disturbed);
    if (span && span->until >= from) {
        span->until = until;
    } else {
        add(&history->disturbed, from, until);
    }
}

static bool overlap(const struct span *span, int64_t from, int64_t until)
{
    return span->from <= until && span->until >= from;
}

static bool any_overlaps(const struct spans *spans, int64_t from, int64_t until)
{
    for (size_t i = 0; i < spans->count; i++) {
        if (overlap(&spans->items[i], from, until)) {
            return true;
        }
    }
    return false;
}

bool history_gateway_served(const struct history *history, int64_t from, int64_t until)
{
    return !any_overlaps(&history->disturbed, from, until);
}

void history_successor_killed(struct history *history, int64_t at)
{
    add(&history->killed, at, at);
}

bool history_may_have_forgotten(const struct history *history, int64_t from, int64_t until)
{
    for (size_t i = 0; i < history->disturbed.count; i++) {
        const struct span *span = &history->disturbed.items[i];
        if (overlap(span, from, until) && any_overlaps(&history->killed, span->from, span->until)) {
            return true;
        }
    }
    return false;
}
