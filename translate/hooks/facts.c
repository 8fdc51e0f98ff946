#include "translate/hooks/facts.h"

#include "translate/hooks/check.h"
#include "translate/hooks/compare.h"

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

/* The occurrences of one field. */
static bool keep_field(uint32_t number, struct arena *arena, struct bytes *message, struct error *error)
{
    struct walk_output output;
    struct wire_reader reader = wire_reader_of(*message);
    struct wire_field field;
    if (!walk_output_start(&output, arena, message->len)) {
        return error_no_memory(error);
    }
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field)) {
            return error_set(error, STATUS_INVALID_ARGUMENT, "the answer is malformed");
        }
        if (field.number == number && !walk_output_put(&output, field.start, (size_t)(field.end - field.start))) {
            return error_no_memory(error);
        }
    }
    *message = walk_output_finish(&output);
    return true;
}

bool hook_facts_limit(enum hook_point point, struct hook_facts *answer, struct arena *arena, struct error *error)
{
    switch (point) {
    case HOOK_RUN_POD:
        answer->container = (struct bytes){0};
        return true;
    case HOOK_CREATE_CONTAINER:
        return keep_field(hook_places[HOOK_POD_LINUX]->number, arena, &answer->pod, error);
    case HOOK_UPDATE_CONTAINER:
        answer->pod = (struct bytes){0};
        return keep_field(hook_places[HOOK_CONTAINER_LINUX]->number, arena, &answer->container, error);
    case HOOK_NONE:
    case HOOK_STOP_POD:
    case HOOK_START_CONTAINER:
    case HOOK_STOP_CONTAINER:
    case HOOK_POINT_COUNT:
        break;
    }
    answer->pod = answer->container = (struct bytes){0};
    return true;
}

/* Checks facts, which may come from a file. They are not the plugin's mistake, so they have a code of their own. */
static bool check_facts(enum model_kind kind, struct bytes facts, struct error *error)
{
    struct error reason = {0};
    return hook_show(hook_messages[kind], facts, NULL, &reason) || error_set(error, STATUS_INTERNAL, "facts: %s", reason.message);
}

/* Merges the answer about one of the two. */
static bool merge(const struct hook_compare *compare, enum model_kind kind, const struct hook_versions *versions,
                  struct bytes *merged)
{
    const struct hook_message *message = hook_messages[kind];
    struct hook_edits *edits;
    return hook_show(message, versions->after, NULL, compare->error) && check_facts(kind, versions->original, compare->error) &&
           check_facts(kind, versions->before, compare->error) && hook_compare_messages(compare, message, versions, &edits) &&
           hook_edits_run(edits, versions->before, compare->arena, merged, compare->error);
}

bool hook_facts_merge(const struct hook_facts *original, struct hook_facts *facts, const struct hook_facts *answer,
                      struct arena *arena, struct hook_changes *changes, struct error *error)
{
    struct hook_changes merged_changes = {0};
    struct hook_compare compare = {.comparison = HOOK_COMPARE_ANSWER, .arena = arena, .changes = &merged_changes, .error = error};
    struct hook_versions pod = {.original = original->pod, .before = facts->pod, .after = answer->pod};
    struct hook_versions container = {.original = original->container, .before = facts->container, .after = answer->container};
    struct bytes merged_pod, merged_container;
    if (!merge(&compare, MODEL_POD, &pod, &merged_pod) || !merge(&compare, MODEL_CONTAINER, &container, &merged_container)) {
        return false;
    }
    facts->pod = merged_pod;
    facts->container = merged_container;
    *changes = merged_changes;
    return true;
}

bool hook_facts_update(struct bytes container, struct bytes resources, struct arena *arena, struct bytes *updated,
                       struct error *error)
{
    struct hook_versions versions = {.before = container};
    struct hook_compare compare = {.comparison = HOOK_COMPARE_UPDATE, .arena = arena, .error = error};
    struct hook_edits *edits;
    return hook_facts_of(MODEL_RESOURCES, resources, arena, &versions.after, error) &&
           check_facts(MODEL_CONTAINER, container, error) &&
           hook_compare_messages(&compare, hook_messages[MODEL_CONTAINER], &versions, &edits) &&
           hook_edits_run(edits, container, arena, updated, error);
}

/* The resources in the facts of a container. */
static struct bytes resources_of(struct bytes container)
{
    struct bytes linux_config = wire_last_payload(container, hook_places[HOOK_CONTAINER_LINUX]->number);
    return wire_last_payload(linux_config, hook_places[HOOK_CONTAINER_RESOURCES]->number);
}

bool hook_facts_apply(enum model_kind kind, struct bytes config, struct bytes before, struct bytes after, struct arena *arena,
                      struct bytes *out, struct error *error)
{
    bool resources = kind == MODEL_RESOURCES;
    enum model_kind facts = resources ? MODEL_CONTAINER : kind;
    struct hook_versions versions = {
        .before = resources ? resources_of(before) : before,
        .after = resources ? resources_of(after) : after,
    };
    struct hook_compare compare = {.comparison = HOOK_COMPARE_EXACT, .arena = arena, .error = error};
    struct hook_edits *edits;
    return check_facts(facts, before, error) && check_facts(facts, after, error) &&
           hook_compare_messages(&compare, hook_messages[kind], &versions, &edits) &&
           hook_edits_run(edits, config, arena, out, error);
}

/* Adjacent fields of a message. */
struct run {
    const uint8_t *from;
    const uint8_t *to;
};

static bool put_run(struct run *run, struct walk_output *output)
{
    bool put = run->from == run->to || walk_output_put(output, run->from, (size_t)(run->to - run->from));
    run->from = run->to;
    return put;
}

bool hook_facts_split(struct bytes container, struct arena *arena, struct bytes *rest, struct bytes *environment)
{
    uint32_t envs = hook_places[HOOK_CONTAINER_ENVS]->number;
    struct walk_output outputs[2]; /* the rest, and the environment */
    struct wire_reader reader = wire_reader_of(container);
    struct wire_field found;
    struct run run = {container.data, container.data};
    bool of_environment = false;
    if (!walk_output_start(&outputs[0], arena, container.len) || !walk_output_start(&outputs[1], arena, container.len)) {
        return false;
    }
    while (reader.at < reader.end && wire_read_field(&reader, &found)) {
        if ((found.number == envs) != of_environment && !put_run(&run, &outputs[of_environment])) {
            return false;
        }
        of_environment = found.number == envs;
        run.to = found.end;
    }
    if (!put_run(&run, &outputs[of_environment])) {
        return false;
    }
    *rest = bytes_of(outputs[0].data, outputs[0].len);
    *environment = walk_output_finish(&outputs[1]);
    return true;
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
