#include "translate/koordinator/koordinator.h"

#include <pthread.h>

#include "hook_v1alpha1/api.pb-c.h"
#include "model/api.pb-c.h"
#include "translate/hooks/text.h"
#include "translate/koordinator/answer_check.h"
#include "translate/koordinator/config_fields.h"
#include "translate/koordinator/echo.h"

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

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct config_field_names pod_request_names[] = {
    {NULL, "labels", "labels"},        {NULL, "annotations", "annotations"}, {"linux", "cgroup_parent", "cgroup_parent"},
    {"linux", "overhead", "overhead"}, {"linux", "resources", "resources"},
};

static const struct config_field_names pod_answer_names[] = {
    {NULL, "labels", "labels"},
    {NULL, "annotations", "annotations"},
    {"linux", "cgroup_parent", "cgroup_parent"},
};

/* The same in requests and answers. */
static const struct config_field_names container_names[] = {
    {NULL, "annotations", "container_annotations"},
    {"linux", "resources", "container_resources"},
    {NULL, "envs", "container_envs"},
};

static const struct config_field_names container_request_pod_names[] = {
    {"linux", "resources", "pod_resources"},
    {NULL, "annotations", "pod_annotations"},
    {NULL, "labels", "pod_labels"},
    {"linux", "cgroup_parent", "pod_cgroup_parent"},
};

static const struct config_field_names container_answer_pod_names[] = {
    {"linux", "cgroup_parent", "pod_cgroup_parent"},
};

/* The messages of the protocol, and of the model. */
static const ProtobufCMessageDescriptor *const pod_request = &runtime__v1alpha1__pod_sandbox_hook_request__descriptor;
static const ProtobufCMessageDescriptor *const pod_answer = &runtime__v1alpha1__pod_sandbox_hook_response__descriptor;
static const ProtobufCMessageDescriptor *const container_request =
    &runtime__v1alpha1__container_resource_hook_request__descriptor;
static const ProtobufCMessageDescriptor *const container_answer =
    &runtime__v1alpha1__container_resource_hook_response__descriptor;
static const ProtobufCMessageDescriptor *const pod_config = &model__pod_sandbox_config__descriptor;
static const ProtobufCMessageDescriptor *const container_config = &model__container_config__descriptor;

/* The same by numbers. */
static struct {
    struct config_fields pod_request, container_request, container_request_pod;
    struct config_fields pod_answer, container_answer, container_answer_pod;
    struct echo_fields pod_echo, container_echo;
    uint32_t handler, container_id;
} fields;

static pthread_once_t fields_found = PTHREAD_ONCE_INIT;

static uint32_t number_of(const ProtobufCMessageDescriptor *message, const char *field)
{
    return protobuf_c_message_descriptor_get_field_by_name(message, field)->id;
}

static void find_fields(void)
{
    fields.pod_request = config_fields_sent(pod_config, pod_request, pod_request_names, COUNT(pod_request_names), "pod_meta");
    fields.container_request =
        config_fields_sent(container_config, container_request, container_names, COUNT(container_names), "container_meta");
    fields.container_request_pod = config_fields_sent(pod_config, container_request, container_request_pod_names,
                                                      COUNT(container_request_pod_names), "pod_meta");
    fields.pod_answer = config_fields_answered(pod_config, pod_answer, pod_answer_names, COUNT(pod_answer_names));
    fields.container_answer = config_fields_answered(container_config, container_answer, container_names, COUNT(container_names));
    fields.container_answer_pod =
        config_fields_answered(pod_config, container_answer, container_answer_pod_names, COUNT(container_answer_pod_names));
    fields.pod_echo = echo_fields_of(pod_request, pod_answer);
    fields.container_echo = echo_fields_of(container_request, container_answer);
    fields.handler = number_of(pod_request, "runtime_handler");
    fields.container_id = number_of(&runtime__v1alpha1__container_metadata__descriptor, "id");
}

/* ---- requests ---- */

static bool put_text(uint32_t number, struct bytes text, struct walk_output *request, struct error *error)
{
    return text.len == 0 || !hook_text_can_be_sent(text) || walk_output_put_field(request, number, text) ||
           error_no_memory(error);
}

/* The metadata of a pod or container, with the container's id. It is always sent, also if nothing is known: plugins rely on it.
 */
static bool put_metadata(const struct config_reading *reading, struct bytes id, struct walk_output *request, struct error *error)
{
    const struct field_link *link = &reading->fields->metadata;
    size_t expected = reading->metadata.len + id.len;
    size_t opened = walk_output_open(request, link->to, expected);
    if (opened == SIZE_MAX) {
        return error_no_memory(error);
    }
    return field_move_all(reading->metadata, link->inside, request, error) && put_text(fields.container_id, id, request, error) &&
           (walk_output_close(request, opened, expected) || error_no_memory(error));
}

static bool put_pod(const struct hook_facts *facts, struct walk_output *request, struct error *error)
{
    struct config_reading pod;
    config_read(&fields.pod_request, facts->pod, &pod);
    return put_metadata(&pod, (struct bytes){0}, request, error) && put_text(fields.handler, facts->handler, request, error) &&
           config_send(&pod, request, error);
}

static bool put_container(const struct hook_facts *facts, struct walk_output *request, struct error *error)
{
    struct config_reading pod, container;
    config_read(&fields.container_request_pod, facts->pod, &pod);
    config_read(&fields.container_request, facts->container, &container);
    return put_metadata(&pod, (struct bytes){0}, request, error) &&
           put_metadata(&container, facts->container_id, request, error) && config_send(&container, request, error) &&
           config_send(&pod, request, error);
}

static bool encode_request(struct hook_stage stage, const struct hook_facts *facts, struct arena *arena, struct bytes *request,
                           struct error *error)
{
    if (!path(stage)) {
        return lacks_stage(error);
    }
    pthread_once(&fields_found, find_fields);
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

static struct hook_sent *prepare_rest(struct hook_stage stage, struct bytes request, struct arena *arena)
{
    pthread_once(&fields_found, find_fields);
    return echo_prepare(is_of_pod(stage) ? &fields.pod_echo : &fields.container_echo, request, arena);
}

static bool drop_echo(const struct hook_sent *sent, struct bytes answer, struct arena *arena, struct bytes *rest,
                      struct error *error)
{
    *rest = answer;
    return answer.len > HOOK_ANSWER_SIZE || echo_drop(sent, answer, arena, rest) || error_no_memory(error);
}

static bool take_fields(const struct config_fields *all, struct bytes answer, struct arena *arena, struct bytes *config,
                        struct error *error)
{
    struct walk_output output;
    if (!walk_output_start(&output, arena, answer.len)) {
        return error_no_memory(error);
    }
    if (!config_take(all, answer, &output, error)) {
        return false;
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
    pthread_once(&fields_found, find_fields);
    if (is_of_pod(stage)) {
        return answer_check(pod_answer, bytes, error) && take_fields(&fields.pod_answer, bytes, arena, &answer->pod, error);
    }
    return answer_check(container_answer, bytes, error) &&
           take_fields(&fields.container_answer, bytes, arena, &answer->container, error) &&
           take_fields(&fields.container_answer_pod, bytes, arena, &answer->pod, error);
}

const struct hook_protocol koordinator_protocol = {
    .name = "koordinator",
    .stages = STAGES,
    .path = path,
    .stage_name = stage_name,
    .request = encode_request,
    .prepare_rest = prepare_rest,
    .rest = drop_echo,
    .answer = read_answer,
};
