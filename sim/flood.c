#include "sim/flood.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/fields.h"
#include "sim/common/memory.h"
#include "translate/bytes/wire.h"

#define STAGES 4
#define DIGITS 16 /* digits at the beginning of the id that distinguish made-up containers */
#define MOST_PLACES 4
#define NANOSECONDS_A_SECOND 1000000000LL

/* The largest number of events that are due at once. */
#define BURST 1000

/* An encoded event with places for the container's id, and one for the time. */
struct mould {
    grpc_slice bytes;
    size_t places[MOST_PLACES];
    size_t place_count;
    size_t time_place; /* nine bytes until the year 2262 */
};

struct flood {
    unsigned rate;
    uint64_t most;
    struct mould of_pod[STAGES];
    struct mould moulds[STAGES];
    uint64_t made;
    int64_t since; /* 0: not started */
    uint64_t made_then;
};

static void find_places(struct mould *mould, const char *id)
{
    const uint8_t *bytes = GRPC_SLICE_START_PTR(mould->bytes);
    size_t length = GRPC_SLICE_LENGTH(mould->bytes);
    for (size_t at = 0; at + ID_SIZE - 1 <= length && mould->place_count < MOST_PLACES; at++) {
        if (memcmp(bytes + at, id, ID_SIZE - 1) == 0) {
            mould->places[mould->place_count++] = at;
        }
    }
}

static void find_time_place(struct mould *mould, uint64_t time)
{
    uint8_t varint[WIRE_MAX_VARINT];
    size_t length = wire_put_varint(varint, time);
    const uint8_t *bytes = GRPC_SLICE_START_PTR(mould->bytes);
    const uint8_t *place = memmem(bytes, GRPC_SLICE_LENGTH(mould->bytes), varint, length);
    mould->time_place = place ? (size_t)(place - bytes) : 0;
}

/* Takes over the event. */
static void make_mould(struct mould *mould, struct json_object *event, const char *id, const struct target *target)
{
    struct error error = {0};
    if (!service_encode(target, event, &mould->bytes, &error)) {
        abort();
    }
    find_time_place(mould, (uint64_t)field_number(event, "createdAt"));
    json_object_put(event);
    find_places(mould, id);
}

struct flood *flood_new(unsigned rate, unsigned most, const struct target *target)
{
    static const struct simulation_settings settings = {.name = "flood", .version = "0"};
    struct flood *flood = sim_zeroed(1, sizeof *flood);
    struct simulation simulation;
    struct error error = {0};
    simulation_init(&simulation, &settings);
    if (!simulation_preload(&simulation, 1, 0, &error)) {
        abort();
    }
    flood->rate = rate;
    flood->most = most > 0 ? most : UINT64_MAX;
    struct container *container = simulation.containers.items[0];
    for (unsigned stage = 0; stage < STAGES; stage++) {
        if (stage == EVENT_STOPPED) {
            simulation_stop_container(&simulation, container, 0);
        }
        make_mould(&flood->moulds[stage], event_message(&simulation, (enum event_type)stage, container->pod, container),
                   container->id, target);
        make_mould(&flood->of_pod[stage], event_message(&simulation, (enum event_type)stage, container->pod, NULL),
                   container->pod->id, target);
    }
    simulation_clear(&simulation);
    return flood;
}

void flood_free(struct flood *flood)
{
    for (unsigned stage = 0; flood && stage < STAGES; stage++) {
        grpc_slice_unref(flood->moulds[stage].bytes);
        grpc_slice_unref(flood->of_pod[stage].bytes);
    }
    free(flood);
}

unsigned flood_due(struct flood *flood, int64_t now)
{
    if (flood->since == 0) {
        flood_skip(flood, now);
    }
    uint64_t by_now = (uint64_t)(now - flood->since) * flood->rate / NANOSECONDS_A_SECOND;
    uint64_t made = flood->made - flood->made_then;
    uint64_t due = by_now > made ? by_now - made : 0;
    due = due < flood->most - flood->made ? due : flood->most - flood->made;
    return due < BURST ? (unsigned)due : BURST;
}

grpc_slice flood_next(struct flood *flood)
{
    const struct mould *moulds = flood->made < STAGES ? flood->of_pod : flood->moulds;
    const struct mould *mould = &moulds[flood->made % STAGES];
    grpc_slice event = grpc_slice_malloc(GRPC_SLICE_LENGTH(mould->bytes));
    char digits[DIGITS + 1];
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)(flood->made / STAGES));
    memcpy(GRPC_SLICE_START_PTR(event), GRPC_SLICE_START_PTR(mould->bytes), GRPC_SLICE_LENGTH(mould->bytes));
    for (size_t i = 0; i < mould->place_count; i++) {
        memcpy(GRPC_SLICE_START_PTR(event) + mould->places[i], digits, DIGITS);
    }
    if (mould->time_place > 0) {
        wire_put_varint(GRPC_SLICE_START_PTR(event) + mould->time_place, (uint64_t)simulation_now());
    }
    flood->made++;
    return event;
}

void flood_skip(struct flood *flood, int64_t now)
{
    flood->since = now;
    flood->made_then = flood->made;
}

uint64_t flood_made(const struct flood *flood)
{
    return flood->made;
}
