#include "translate/koordinator/koordinator.h"

#include "hook_v1alpha1/api.pb-c.h"
#include "model/api.pb-c.h"
#include "translate/hooks/text.h"
#include "translate/koordinator/answer_check.h"
#include "translate/koordinator/echo.h"
#include "translate/koordinator/field_move.h"

/* ---- stages ---- */

#define PATH(method) "/runtime.v1alpha1.RuntimeHookService/" method "Hook"

static const struct hook_name {
    const char *name; /* in plugins' files */
    struct hook_stage stage;
    const char *path; /* NULL: has no method, although files name it */
} hook_names[] = {
    {"PreRunPodSandbox", {HOOK_RUN_POD, HOOK_BEFORE}, PATH("PreRunPodSandbox")},
    {"PostStopPodSandbox", {HOOK_STOP_POD, HOOK_AFTER}, PATH("PostStopPodSandbox")},
    {"PreCreateContainer", {HOOK_CREATE_CONTAINER, HOOK_BEFORE}, PATH("PreCreateContainer")},
    {"PreStartContainer", {HOOK_START_CONTAINER, HOOK_BEFORE}, PATH("PreStartContainer")},
    {"PostStartContainer", {HOOK_START_CONTAINER, HOOK_AFTER}, PATH("PostStartContainer")},
    {"PostStopContainer", {HOOK_STOP_CONTAINER, HOOK_AFTER}, PATH("PostStopContainer")},
    {"PreUpdateContainerResources", {HOOK_UPDATE_CONTAINER, HOOK_BEFORE}, PATH("PreUpdateContainerResources")},
    {"PreRemoveRunPodSandbox", {HOOK_NONE, HOOK_BEFORE}, NULL},
};

#define STAGES                                                                                                                   \
    (HOOK_STAGE_BIT(HOOK_RUN_POD, HOOK_BEFORE) | HOOK_STAGE_BIT(HOOK_STOP_POD, HOOK_AFTER) |                                     \
     HOOK_STAGE_BIT(HOOK_CREATE_CONTAINER, HOOK_BEFORE) | HOOK_STAGE_BIT(HOOK_START_CONTAINER, HOOK_BEFORE) |                    \
     HOOK_STAGE_BIT(HOOK_START_CONTAINER, HOOK_AFTER) | HOOK_STAGE_BIT(HOOK_STOP_CONTAINER, HOOK_AFTER) |                        \
     HOOK_STAGE_BIT(HOOK_UPDATE_CONTAINER, HOOK_BEFORE))

#define HOOK_NAME_COUNT (sizeof hook_names / sizeof hook_names[0])

bool koordinator_stage_by_name(struct bytes name, uint32_t *stage)
{
    for (size_t i = 0; i < HOOK_NAME_COUNT; i++) {
        if (bytes_equal(name, bytes_of_string(hook_names[i].name))) {
            *stage = hook_names[i].path ? hook_stage_bit(hook_names[i].stage) : 0;
            return true;
        }
    }
    return false;
}

static const char *path(struct hook_stage stage)
{
    for (size_t i = 0; i < HOOK_NAME_COUNT; i++) {
        if (hook_names[i].stage.point == stage.point && hook_names[i].stage.time == stage.time) {
            return hook_names[i].path;
        }
    }
    return NULL;
}

static const char *stage_name(struct hook_stage stage)
{
    for (size_t i = 0; i < HOOK_NAME_COUNT; i++) {
        if (hook_names[i].path && hook_names[i].stage.point == stage.point && hook_names[i].stage.time == stage.time) {
            return hook_names[i].name;
        }
    }
    return NULL;
}

static bool is_of_pod(struct hook_stage stage)
{
    return stage.point == HOOK_RUN_POD || stage.point == HOOK_STOP_POD;
}

static bool lacks_stage(struct error *error)
{
    return error_set(error, STATUS_UNIMPLEMENTED, "the protocol has no such hook");
}

/* ---- fields ---- */

/* A field of the model's configuration, and of a message of the protocol. */
struct field_pair {
    const char *outer; /* the message of the configuration that holds it; NULL: the configuration itself */
    const char *model;
    const char *hook;
};

/* The fields that two messages share. */
struct field_pairs {
    const ProtobufCMessageDescriptor *model;
    const ProtobufCMessageDescriptor *hook;
    struct field_pair fields[6]; /* until a NULL */
};

static const struct field_pairs pod_request = {
    .model = &model__pod_sandbox_config__descriptor,
    .hook = &runtime__v1alpha1__pod_sandbox_hook_request__descriptor,
    .fields = {{NULL, "labels", "labels"},
               {NULL, "annotations", "annotations"},
               {"linux", "cgroup_parent", "cgroup_parent"},
               {"linux", "overhead", "overhead"},
               {"linux", "resources", "resources"}},
};

static const struct field_pairs pod_answer = {
    .model = &model__pod_sandbox_config__descriptor,
    .hook = &runtime__v1alpha1__pod_sandbox_hook_response__descriptor,
    .fields = {{NULL, "labels", "labels"}, {NULL, "annotations", "annotations"}, {"linux", "cgroup_parent", "cgroup_parent"}},
};

static const struct field_pairs container_request = {
    .model = &model__container_config__descriptor,
    .hook = &runtime__v1alpha1__container_resource_hook_request__descriptor,
    .fields = {{NULL, "annotations", "container_annotations"},
               {"linux", "resources", "container_resources"},
               {NULL, "envs", "container_envs"}},
};

static const struct field_pairs container_request_pod = {
    .model = &model__pod_sandbox_config__descriptor,
    .hook = &runtime__v1alpha1__container_resource_hook_request__descriptor,
    .fields = {{"linux", "resources", "pod_resources"},
               {NULL, "annotations", "pod_annotations"},
               {NULL, "labels", "pod_labels"},
               {"linux", "cgroup_parent", "pod_cgroup_parent"}},
};

static const struct field_pairs container_answer = {
    .model = &model__container_config__descriptor,
    .hook = &runtime__v1alpha1__container_resource_hook_response__descriptor,
    .fields = {{NULL, "annotations", "container_annotations"},
               {"linux", "resources", "container_resources"},
               {NULL, "envs", "container_envs"}},
};

static const struct field_pairs container_answer_pod = {
    .model = &model__pod_sandbox_config__descriptor,
    .hook = &runtime__v1alpha1__container_resource_hook_response__descriptor,
    .fields = {{"linux", "cgroup_parent", "pod_cgroup_parent"}},
};

/* ---- requests ---- */

static bool put_fields(const struct field_pairs *pairs, struct bytes config, struct walk_output *request, struct error *error)
{
    for (const struct field_pair *pair = pairs->fields; pair->model; pair++) {
        const struct field_place from = {.message = pairs->model, .outer = pair->outer, .name = pair->model};
        const struct field_place to = {.message = pairs->hook, .name = pair->hook};
        if (!field_move(config, &from, &to, request, error)) {
            return false;
        }
    }
    return true;
}

static bool put_text(const ProtobufCMessageDescriptor *message, const char *field, struct bytes text, struct walk_output *request,
                     struct error *error)
{
    if (text.len == 0 || !hook_text_can_be_sent(text)) {
        return true;
    }
    uint32_t number = protobuf_c_message_descriptor_get_field_by_name(message, field)->id;
    return walk_output_put_field(request, number, text) || error_no_memory(error);
}

/* The metadata of a pod or container, with the container's id. It is always sent, also if nothing is known: plugins rely on it.
 */
static bool put_metadata(const struct field_pairs *pairs, struct bytes config, const char *field, struct bytes id,
                         struct walk_output *request, struct error *error)
{
    const ProtobufCFieldDescriptor *from = protobuf_c_message_descriptor_get_field_by_name(pairs->model, "metadata");
    const ProtobufCFieldDescriptor *to = protobuf_c_message_descriptor_get_field_by_name(pairs->hook, field);
    struct bytes metadata = wire_last_payload(config, from->id);
    size_t expected = metadata.len + id.len;
    size_t opened = walk_output_open(request, to->id, expected);
    if (opened == SIZE_MAX) {
        return error_no_memory(error);
    }
    return field_move_all(metadata, from->descriptor, to->descriptor, request, error) &&
           put_text(to->descriptor, "id", id, request, error) &&
           (walk_output_close(request, opened, expected) || error_no_memory(error));
}

static bool put_pod(const struct hook_facts *facts, struct walk_output *request, struct error *error)
{
    return put_metadata(&pod_request, facts->pod, "pod_meta", (struct bytes){0}, request, error) &&
           put_text(pod_request.hook, "runtime_handler", facts->handler, request, error) &&
           put_fields(&pod_request, facts->pod, request, error);
}

static bool put_container(const struct hook_facts *facts, struct walk_output *request, struct error *error)
{
    return put_metadata(&container_request_pod, facts->pod, "pod_meta", (struct bytes){0}, request, error) &&
           put_metadata(&container_request, facts->container, "container_meta", facts->container_id, request, error) &&
           put_fields(&container_request, facts->container, request, error) &&
           put_fields(&container_request_pod, facts->pod, request, error);
}

static bool encode_request(struct hook_stage stage, const struct hook_facts *facts, struct arena *arena, struct bytes *request,
                           struct error *error)
{
    if (!path(stage)) {
        return lacks_stage(error);
    }
    struct walk_output output;
    if (!walk_output_start(&output, arena, facts->pod.len + facts->container.len)) {
        return error_no_memory(error);
    }
    if (is_of_pod(stage) ? !put_pod(facts, &output, error) : !put_container(facts, &output, error)) {
        return false;
    }
    *request = walk_output_finish(&output);
    return true;
}

/* ---- answers ---- */

static bool drop_echo(struct hook_stage stage, struct bytes request, struct bytes answer, struct arena *arena, struct bytes *rest,
                      struct error *error)
{
    *rest = answer;
    if (answer.len > HOOK_ANSWER_SIZE) {
        return true;
    }
    bool dropped = is_of_pod(stage) ? echo_drop(pod_request.hook, request, pod_answer.hook, answer, arena, rest)
                                    : echo_drop(container_request.hook, request, container_answer.hook, answer, arena, rest);
    return dropped || error_no_memory(error);
}

static bool take_fields(const struct field_pairs *pairs, struct bytes answer, struct arena *arena, struct bytes *config,
                        struct error *error)
{
    struct walk_output output;
    if (!walk_output_start(&output, arena, answer.len)) {
        return error_no_memory(error);
    }
    for (const struct field_pair *pair = pairs->fields; pair->model; pair++) {
        const struct field_place from = {.message = pairs->hook, .name = pair->hook};
        const struct field_place to = {.message = pairs->model, .outer = pair->outer, .name = pair->model};
        if (!field_move(answer, &from, &to, &output, error)) {
            return false;
        }
    }
    *config = walk_output_finish(&output);
    return true;
}

static bool read_answer(struct hook_stage stage, struct bytes bytes, struct arena *arena, struct hook_facts *answer,
                        struct error *error)
{
    *answer = (struct hook_facts){0};
    if (!path(stage)) {
        return lacks_stage(error);
    }
    if (bytes.len > HOOK_ANSWER_SIZE) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the answer has %zu bytes, more than %zu", bytes.len,
                         HOOK_ANSWER_SIZE);
    }
    if (is_of_pod(stage)) {
        return answer_check(pod_answer.hook, bytes, error) && take_fields(&pod_answer, bytes, arena, &answer->pod, error);
    }
    return answer_check(container_answer.hook, bytes, error) &&
           take_fields(&container_answer, bytes, arena, &answer->container, error) &&
           take_fields(&container_answer_pod, bytes, arena, &answer->pod, error);
}

const struct hook_protocol koordinator_protocol = {
    .name = "koordinator",
    .stages = STAGES,
    .path = path,
    .stage_name = stage_name,
    .request = encode_request,
    .rest = drop_echo,
    .answer = read_answer,
};
