#include "sim/events.h"

#include <string.h>

#include "sim/common/fields.h"
#include "sim/common/grpc_server.h"
#include "sim/common/journal_line.h"
#include "sim/flood.h"

/* How often, in milliseconds, made-up events are checked. */
#define FLOOD_INTERVAL 5

/* If the listener is slow, made-up events wait. */
#define MOST_WAITING 1000

static const char *last_event_of_pod(const struct pod *pod)
{
    return pod->ready ? "CONTAINER_STARTED_EVENT" : "CONTAINER_STOPPED_EVENT";
}

static const char *last_event_of_container(const struct container *container)
{
    static const char *const names[] = {
        [CONTAINER_CREATED] = "CONTAINER_CREATED_EVENT",
        [CONTAINER_RUNNING] = "CONTAINER_STARTED_EVENT",
        [CONTAINER_EXITED] = "CONTAINER_STOPPED_EVENT",
    };
    return names[container->state];
}

static struct json_object *new_line(const char *id, const char *pod, const char *key, const char *type)
{
    struct json_object *line = json_object_new_object();
    field_set_text(line, "id", id);
    field_set_text(line, "pod", pod);
    field_set_text(line, key, type);
    return line;
}

static void write_held(const struct events *events)
{
    const struct simulation *simulation = &events->calls->service->simulation;
    for (size_t i = 0; i < simulation->pods.count; i++) {
        const struct pod *pod = simulation->pods.items[i];
        journal_append(events->journal, new_line(pod->id, pod->id, "held", last_event_of_pod(pod)));
    }
    for (size_t i = 0; i < simulation->containers.count; i++) {
        const struct container *container = simulation->containers.items[i];
        struct json_object *line = new_line(container->id, container->pod->id, "held", last_event_of_container(container));
        field_set_flag(line, "never_started", container->started_at == 0);
        journal_append(events->journal, line);
    }
    struct json_object *line = json_object_new_object();
    field_set_flag(line, "start", true);
    journal_append(events->journal, line);
}

void events_init(struct events *events, struct calls *calls, FILE *journal)
{
    *events = (struct events){.calls = calls, .journal = journal, .waiting = json_object_new_array()};
    if (journal) {
        write_held(events);
    }
    const struct options *options = calls->service->options;
    events->kept = options->keep_events ? json_object_new_array() : NULL;
    struct error error = {0};
    struct target target;
    static const bool offered[2] = {true, true};
    const struct method *method = method_by_name("GetContainerEvents");
    if (options->events_rate > 0 &&
        service_find(calls->service, bytes_of_string(method->in[DIALECT_MODEL].path), offered, &target, &error)) {
        events->flood = flood_new(options->events_rate, options->events_most, &target);
    }
}

void events_take(void *state, enum event_type type, const struct pod *pod, const struct container *container)
{
    struct events *events = state;
    if (events->journal || events->kept || events->calls->subscribers) {
        json_object_array_add(events->waiting, event_message(&events->calls->service->simulation, type, pod, container));
    }
}

/* Whether the event is sent, and its content. */
static bool shape_event(const struct events *events, struct json_object *event)
{
    const char *type = field_text(event, "containerEventType");
    const char *pod = field_text(field_child(event, "podSandboxStatus"), "id");
    if (!events->calls->service->options->bare_events) {
        return true;
    }
    json_object_object_del(event, "containersStatuses");
    return strcmp(pod, field_text(event, "containerId")) != 0 ||
           (strcmp(type, "CONTAINER_CREATED_EVENT") != 0 && strcmp(type, "CONTAINER_DELETED_EVENT") != 0);
}

void events_flush(struct events *events)
{
    size_t count = json_object_array_length(events->waiting);
    for (size_t i = 0; i < count; i++) {
        struct json_object *event = json_object_array_get_idx(events->waiting, i);
        if (events->journal) {
            const char *pod = field_text(field_child(event, "podSandboxStatus"), "id");
            journal_append(events->journal,
                           new_line(field_text(event, "containerId"), pod, "type", field_text(event, "containerEventType")));
        }
        if (shape_event(events, event)) {
            calls_send_event(events->calls, event);
            if (events->kept) {
                json_object_array_add(events->kept, json_object_get(event));
            }
        }
    }
    if (count > 0) {
        json_object_put(events->waiting);
        events->waiting = json_object_new_array();
    }
}

void events_make_up(struct events *events, int64_t now)
{
    if (!events->flood) {
        return;
    }
    if (!events->calls->subscribers || calls_most_waiting(events->calls) >= MOST_WAITING) {
        flood_skip(events->flood, now);
        return;
    }
    for (unsigned due = flood_due(events->flood, now); due > 0; due--) {
        calls_send_encoded(events->calls, flood_next(events->flood));
    }
}

gpr_timespec events_next(const struct events *events)
{
    bool soon = events->flood && events->calls->subscribers;
    return soon ? sim_from_now(FLOOD_INTERVAL) : gpr_inf_future(GPR_CLOCK_MONOTONIC);
}

void events_clear(struct events *events)
{
    if (events->flood && events->journal) {
        struct json_object *line = json_object_new_object();
        field_set_number(line, "made_up", (int64_t)flood_made(events->flood));
        journal_append(events->journal, line);
    }
    flood_free(events->flood);
    json_object_put(events->waiting);
    json_object_put(events->kept);
}
