#include "translate/hooks/facts.h"

#include "translate/hooks/check.h"
#include "translate/hooks/edits.h"

/* Facts of a container that have only these resources. */
static bool wrap_resources(struct bytes resources, struct walk_output *output, struct error *error)
{
    size_t expected = resources.len + WIRE_MAX_VARINT;
    size_t linux_opened = walk_output_open(output, hook_places[HOOK_CONTAINER_LINUX]->number, expected);
    if (linux_opened == SIZE_MAX) {
        return error_no_memory(error);
    }
    size_t opened = walk_output_open(output, hook_places[HOOK_CONTAINER_RESOURCES]->number, resources.len);
    if (opened == SIZE_MAX) {
        return error_no_memory(error);
    }
    return hook_show(hook_messages[MODEL_RESOURCES], resources, output, error) &&
           ((walk_output_close(output, opened, resources.len) && walk_output_close(output, linux_opened, expected)) ||
            error_no_memory(error));
}

bool hook_facts_of(enum model_kind kind, struct bytes config, struct arena *arena, struct bytes *facts, struct error *error)
{
    struct walk_output output;
    if (!walk_output_start(&output, arena, config.len)) {
        return error_no_memory(error);
    }
    bool shown =
        kind == MODEL_RESOURCES ? wrap_resources(config, &output, error) : hook_show(hook_messages[kind], config, &output, error);
    if (shown) {
        *facts = walk_output_finish(&output);
    }
    return shown;
}

/* Copies the fields of that number, or all others. */
static bool copy_fields(struct bytes message, uint32_t number, bool others, struct arena *arena, struct bytes *copied)
{
    struct walk_output output;
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field found;
    if (!walk_output_start(&output, arena, message.len)) {
        return false;
    }
    while (reader.at < reader.end && wire_read_field(&reader, &found)) {
        if ((found.number != number) == others && !walk_output_put(&output, found.start, (size_t)(found.end - found.start))) {
            return false;
        }
    }
    *copied = walk_output_finish(&output);
    return true;
}

bool hook_facts_split(struct bytes container, struct arena *arena, struct bytes *rest, struct bytes *environment)
{
    uint32_t envs = hook_places[HOOK_CONTAINER_ENVS]->number;
    return copy_fields(container, envs, true, arena, rest) && copy_fields(container, envs, false, arena, environment);
}

struct bytes hook_facts_label(struct bytes pod, struct bytes key)
{
    const struct hook_field *labels = hook_places[HOOK_POD_LABELS];
    struct bytes value = {0};
    struct wire_reader reader = wire_reader_of(pod);
    struct wire_field found;
    while (reader.at < reader.end && wire_read_field(&reader, &found)) {
        if (found.number == labels->number && found.type == WIRE_LENGTH &&
            bytes_equal(wire_last_payload(found.payload, labels->message->fields[0].number), key)) {
            value = wire_last_payload(found.payload, labels->message->fields[1].number);
            value = value.data ? value : bytes_of("", 0);
        }
    }
    return value;
}

struct bytes hook_facts_cgroup_parent(struct bytes pod)
{
    struct bytes linux_config = wire_last_payload(pod, hook_places[HOOK_POD_LINUX]->number);
    return wire_last_payload(linux_config, hook_places[HOOK_POD_CGROUP_PARENT]->number);
}

bool hook_facts_set_cgroup_parent(struct bytes pod, struct bytes parent, struct arena *arena, struct bytes *changed)
{
    const struct hook_field *linux_field = hook_places[HOOK_POD_LINUX], *field = hook_places[HOOK_POD_CGROUP_PARENT];
    struct hook_edits inside = {.message = linux_field->message};
    inside.fields[field - inside.message->fields] = (struct hook_edit){.kind = HOOK_EDIT_TEXT, .bytes = parent};
    const struct hook_edits *edits = hook_edits_around(hook_messages[MODEL_POD], linux_field, &inside, arena);
    return edits && hook_edits_run(edits, pod, arena, changed, NULL);
}
