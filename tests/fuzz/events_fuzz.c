/* Any bytes as what a runtime tells of itself: events and lists, one after the other. Nothing of it is told twice, and what is
   told of a pod or container is told in order; some events wait, or were over before. Input: pieces of a byte that says what
   follows, two bytes of length, and the bytes. */
#include "core/events/table.h"
#include "tests/fuzz/fuzz.h"

struct runtime_told {
    struct event_table *table;
    struct arena *arena;
    enum dialect dialect;
    struct bytes containers;
    uint64_t containers_asked;
    struct event_tale heard; /* that waits to be told with lists */
    size_t heard_count;
};

/* As whoever tells it does: all stages at once, the earliest first. */
static void tell(struct runtime_told *told, enum id_kind kind, struct bytes id, struct bytes pod, enum container_stage stage,
                 bool never_started)
{
    unsigned stages = event_table_untold(told->table, kind, id, stage, never_started);
    must((stages >> stage >> 1) == 0);
    must(stages == 0 || (stages >> stage & 1) == 1);
    for (unsigned each = 0; each < STAGE_COUNT; each++) {
        if (!(stages >> each & 1)) {
            continue;
        }
        if (!event_table_told(told->table, kind, id, pod, (enum container_stage)each)) {
            return;
        }
        must(event_table_untold(told->table, kind, id, (enum container_stage)each, false) == 0);
    }
    must(event_table_untold(told->table, kind, id, stage, never_started) == 0);
}

static void take_event(struct runtime_told *told, struct bytes bytes)
{
    struct container_event event;
    struct container_event again;
    struct bytes other;
    if (!container_event_read(told->dialect, bytes, &event) || event.id.len > EVENT_TABLE_LONGEST_ID ||
        event.pod.len > EVENT_TABLE_LONGEST_ID) {
        return;
    }
    for (enum container_stage stage = 0; stage < STAGE_COUNT; stage++) {
        must(container_event_retell(told->dialect, bytes, stage, told->arena, &other));
        must(container_event_read(told->dialect, other, &again));
        must(again.stage == stage && bytes_equal(again.id, event.id) && bytes_equal(again.pod, event.pod));
    }
    enum id_kind kind = bytes_equal(event.id, event.pod) ? ID_POD : ID_CONTAINER;
    tell(told, kind, event.id, event.pod, event.stage, event.never_started);
    struct container_event_pod seen = {.dialect = told->dialect, .message = event.pod_status};
    event_table_see_pod(told->table, event.pod, &seen);
}

/* As one that waits for its statuses, or was over before anybody listened. */
static void take_aside(struct runtime_told *told, struct bytes bytes, bool was_before)
{
    struct container_event event;
    if (!container_event_read(told->dialect, bytes, &event)) {
        return;
    }
    enum id_kind kind = bytes_equal(event.id, event.pod) ? ID_POD : ID_CONTAINER;
    if (was_before) {
        event_table_was_before(told->table, kind, event.id, event.stage);
    } else {
        told->heard = (struct event_tale){.kind = kind, .stage = event.stage, .id = event.id, .pod = event.pod};
        told->heard_count = event.id.len <= EVENT_TABLE_LONGEST_ID && event.pod.len <= EVENT_TABLE_LONGEST_ID;
    }
}

static void tell_tales(struct runtime_told *told, const struct event_comparison *comparison)
{
    for (size_t i = 0; i < comparison->tale_count; i++) {
        const struct event_tale *tale = &comparison->tales[i];
        struct container_event_pod seen;
        struct bytes answer;
        if (event_table_seen_pod(told->table, tale->pod, &seen)) {
            container_event_pod_at_end(&seen, told->arena, &answer);
        }
        tell(told, tale->kind, tale->id, tale->pod, tale->stage, false);
    }
}

/* Looked at again and again, the same lists soon show nothing new: not at once only where an id is that of a pod and of a
   container. */
static void take_lists(struct runtime_told *told, struct bytes pods)
{
    struct event_comparison comparison;
    struct error error = {0};
    struct event_lists lists = {
        .dialect = told->dialect,
        .containers = told->containers,
        .pods = pods,
        .containers_asked = told->containers_asked,
        .pods_asked = event_table_ask(told->table),
        .heard = &told->heard,
        .heard_count = told->heard_count,
    };
    if (!event_table_compare(told->table, &lists, told->arena, &comparison, &error)) {
        must(error.code != STATUS_OK);
        return;
    }
    for (unsigned round = 0; round < 3; round++) {
        tell_tales(told, &comparison);
        must(event_table_compare(told->table, &lists, told->arena, &comparison, &error));
    }
    for (size_t i = 0; i < comparison.tale_count; i++) {
        const struct event_tale *tale = &comparison.tales[i];
        must(event_table_untold(told->table, tale->kind, tale->id, tale->stage, false) == 0);
    }
}

static void take_piece(struct runtime_told *told, uint8_t what, struct bytes piece)
{
    switch (what % 5) {
    case 0:
        take_event(told, piece);
        break;
    case 1:
        told->containers = piece;
        told->containers_asked = event_table_ask(told->table);
        break;
    case 2:
        take_lists(told, piece);
        break;
    default:
        take_aside(told, piece, what % 5 == 3);
        break;
    }
}

void fuzz_try(struct bytes bytes, struct arena *arena)
{
    struct runtime_told told = {.table = event_table_new(), .arena = arena, .dialect = DIALECT_MODEL};
    must(told.table);
    while (bytes.len >= 3) {
        uint8_t what = bytes.data[0];
        bytes = bytes_after(bytes, 1);
        take_piece(&told, what, fuzz_take_piece(&bytes));
    }
    event_table_free(told.table);
}
