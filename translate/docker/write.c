#include "translate/docker/write.h"

#include "translate/bytes/output.h"
#include "translate/bytes/packing.h"
#include "translate/docker/facts.h"
#include "translate/docker/labels.h"
#include "translate/docker/object.h"

/* The facts in both versions, decoded; a list of entries or variables as pairs. */
struct pair {
    struct bytes key;
    struct bytes value;
};

struct pairs {
    struct pair *items;
    size_t count;
};

static bool mismatch(struct error *error)
{
    return error_set(error, STATUS_INTERNAL, "facts that are not those of the request");
}

static bool start_pairs(struct pairs *pairs, size_t count, struct arena *arena)
{
    *pairs = (struct pairs){arena_alloc(arena, (count + 1) * sizeof *pairs->items), count};
    return pairs->items != NULL;
}

static struct pair text_pair(const char *key, const char *value)
{
    return (struct pair){bytes_of_string(key), bytes_of_string(value)};
}

/* ---- labels ---- */

/* A map before and after: what was in it keeps its place, what is new comes last. */
struct label_change {
    enum docker_label_kind kind;
    struct pairs before;
    struct pairs after;
    size_t next; /* of `before`, in the body */
};

static bool add_label(const struct docker_body *body, enum docker_label_kind kind, const struct pair *label, struct error *error)
{
    struct bytes key, json;
    if (!docker_label_key(kind, label->key, body->edits->arena, &key, error)) {
        return false;
    }
    return (docker_quote(label->value, body->edits->arena, &json) &&
            docker_edits_set(body->edits, body->labels, (struct bytes){0}, key, json)) ||
           error_no_memory(error);
}

/* The next label of the change's kind in the body. */
static bool change_label(const struct docker_body *body, struct label_change *change, const struct docker_label *label,
                         struct error *error)
{
    size_t i = change->next++;
    struct bytes json;
    if (i >= change->before.count || i >= change->after.count || !bytes_equal(change->before.items[i].key, label->key) ||
        !bytes_equal(change->after.items[i].key, label->key)) {
        return mismatch(error);
    }
    if (bytes_equal(change->before.items[i].value, change->after.items[i].value)) {
        return true;
    }
    return (docker_quote(change->after.items[i].value, body->edits->arena, &json) &&
            docker_edits_replace(body->edits, label->text, json)) ||
           error_no_memory(error);
}

static bool write_labels(const struct docker_body *body, bool of_pod, struct label_change *changes, size_t count,
                         struct error *error)
{
    struct docker_labels labels;
    struct docker_label label;
    struct error none = {0};
    bool good = docker_labels_open(body->labels, of_pod, body->edits->arena, &labels, error);
    while (good && docker_labels_next(&labels, &label, &none)) {
        for (size_t i = 0; good && i < count; i++) {
            good = label.kind != changes[i].kind || change_label(body, &changes[i], &label, error);
        }
    }
    for (size_t i = 0; good && i < count; i++) {
        for (size_t j = changes[i].before.count; good && j < changes[i].after.count; j++) {
            good = add_label(body, changes[i].kind, &changes[i].after.items[j], error);
        }
    }
    return good;
}

/* Entries of maps have a type of their own for each map. */
#define READ_PAIRS(pairs, entries)                                                                                               \
    for (size_t entry = 0; entry < (pairs)->count; entry++) {                                                                    \
        (pairs)->items[entry] = text_pair((entries)[entry]->key, (entries)[entry]->value);                                       \
    }

static bool read_pod_pairs(struct bytes facts, struct arena *arena, struct pairs *labels, struct pairs *annotations,
                           struct error *error)
{
    Model__PodSandboxConfig *pod = arena_unpack(arena, &model__pod_sandbox_config__descriptor, facts);
    if (!pod || !start_pairs(labels, pod->n_labels, arena) || !start_pairs(annotations, pod->n_annotations, arena)) {
        return error_no_memory(error);
    }
    READ_PAIRS(labels, pod->labels)
    READ_PAIRS(annotations, pod->annotations)
    return true;
}

bool docker_write_pod(const struct docker_body *body, struct bytes before, struct bytes after, struct error *error)
{
    struct label_change changes[] = {{.kind = DOCKER_LABEL}, {.kind = DOCKER_ANNOTATION}};
    struct arena *arena = body->edits->arena;
    return read_pod_pairs(before, arena, &changes[0].before, &changes[1].before, error) &&
           read_pod_pairs(after, arena, &changes[0].after, &changes[1].after, error) &&
           write_labels(body, true, changes, 2, error);
}

/* ---- containers ---- */

static Model__ContainerConfig *read_container(struct bytes facts, struct arena *arena)
{
    return arena_unpack(arena, &model__container_config__descriptor, facts);
}

static bool read_variables(const Model__ContainerConfig *container, struct arena *arena, struct pairs *pairs)
{
    if (!start_pairs(pairs, container->n_envs, arena)) {
        return false;
    }
    for (size_t i = 0; i < container->n_envs; i++) {
        const Model__KeyValue *variable = container->envs[i];
        pairs->items[i] = (struct pair){bytes_of_string(variable->key), bytes_of(variable->value.data, variable->value.len)};
    }
    return true;
}

static bool is_same(const struct pairs *a, const struct pairs *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        same = bytes_equal(a->items[i].key, b->items[i].key) && bytes_equal(a->items[i].value, b->items[i].value);
    }
    return same;
}

/* An array that is written; its items come one by one. */
static bool put_item(struct walk_output *output, struct bytes json)
{
    return (output->len == 1 || walk_output_put(output, ",", 1)) && walk_output_put(output, json.data, json.len);
}

static bool put_variable(struct walk_output *output, const struct pair *variable)
{
    struct bytes parts[] = {variable->key, bytes_of_string("="), variable->value};
    struct bytes text = arena_join(output->arena, parts, 3), json;
    return text.data && docker_quote(text, output->arena, &json) && put_item(output, json);
}

/* An item of the body's array: it stays as it is, gets another value, or goes. What is not a variable stays. */
static bool put_old_item(struct walk_output *output, struct bytes item, const struct pairs *after, size_t *next,
                         struct error *error)
{
    struct bytes key, value;
    bool is_variable;
    if (!docker_variable_read(item, output->arena, &key, &value, &is_variable, error)) {
        return false;
    }
    if (is_variable && (*next == after->count || !bytes_equal(key, after->items[*next].key))) {
        return true;
    }
    const struct pair *variable = is_variable ? &after->items[(*next)++] : NULL;
    bool put = !variable || bytes_equal(value, variable->value) ? put_item(output, item) : put_variable(output, variable);
    return put || error_no_memory(error);
}

static bool put_environment(struct bytes environment, const struct pairs *after, struct walk_output *output, struct error *error)
{
    struct json_scan scan;
    struct bytes none, item;
    size_t next = 0;
    bool good = walk_output_put(output, "[", 1) || error_no_memory(error);
    if (!docker_is_null(environment)) {
        json_scan_open(environment, false, &scan);
        while (good && json_scan_next(&scan, &none, &item)) {
            good = put_old_item(output, item, after, &next, error);
        }
    }
    for (; good && next < after->count; next++) {
        good = put_variable(output, &after->items[next]) || error_no_memory(error);
    }
    return good && (walk_output_put(output, "]", 1) || error_no_memory(error));
}

static bool write_environment(const struct docker_body *body, const Model__ContainerConfig *before,
                              const Model__ContainerConfig *after, struct error *error)
{
    struct arena *arena = body->edits->arena;
    struct pairs sent, changed;
    struct walk_output output;
    if (!read_variables(before, arena, &sent) || !read_variables(after, arena, &changed)) {
        return error_no_memory(error);
    }
    if (is_same(&sent, &changed)) {
        return true;
    }
    if (!walk_output_start(&output, arena, body->environment.len)) {
        return error_no_memory(error);
    }
    return put_environment(body->environment, &changed, &output, error) &&
           (docker_edits_set(body->edits, body->text, body->environment, bytes_of_string("Env"), walk_output_finish(&output)) ||
            error_no_memory(error));
}

static bool write_annotations(const struct docker_body *body, const Model__ContainerConfig *before,
                              const Model__ContainerConfig *after, struct error *error)
{
    struct label_change change = {.kind = DOCKER_ANNOTATION};
    struct arena *arena = body->edits->arena;
    if (!start_pairs(&change.before, before->n_annotations, arena) || !start_pairs(&change.after, after->n_annotations, arena)) {
        return error_no_memory(error);
    }
    READ_PAIRS(&change.before, before->annotations)
    READ_PAIRS(&change.after, after->annotations)
    return write_labels(body, false, &change, 1, error);
}

static const Model__LinuxContainerResources *resources_of(const Model__ContainerConfig *container)
{
    return container->linux ? container->linux->resources : NULL;
}

bool docker_write_resources(const struct docker_body *body, struct bytes before, struct bytes after, struct error *error)
{
    Model__ContainerConfig *from = read_container(before, body->edits->arena), *to = read_container(after, body->edits->arena);
    if (!from || !to) {
        return error_no_memory(error);
    }
    return docker_settings_write(body->settings, resources_of(from), resources_of(to), body->edits, error);
}

bool docker_write_container(const struct docker_body *body, struct bytes before, struct bytes after, struct error *error)
{
    Model__ContainerConfig *from = read_container(before, body->edits->arena), *to = read_container(after, body->edits->arena);
    if (!from || !to) {
        return error_no_memory(error);
    }
    return docker_settings_write(body->settings, resources_of(from), resources_of(to), body->edits, error) &&
           write_environment(body, from, to, error) && write_annotations(body, from, to, error);
}
