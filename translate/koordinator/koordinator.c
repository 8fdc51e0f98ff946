#include "translate/koordinator/koordinator.h"

#include <pthread.h>

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

/* The fields that two messages share. */
struct field_pairs {
    const ProtobufCMessageDescriptor *model;
    const ProtobufCMessageDescriptor *hook;
    /* A field of the model's configuration, and of a message of the protocol; until a NULL. */
    struct {
        const char *outer; /* the message of the configuration that holds it; NULL: the configuration itself */
        const char *model;
        const char *hook;
    } fields[6];
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

/* A field that is moved, and the number of the message that holds it in the configuration; 0: none. */
struct config_link {
    uint32_t outer;
    const char *outer_name;
    struct field_link link;
};

/* What a request or an answer has of a configuration. */
struct config_links {
    size_t count;
    struct config_link links[6];
    struct field_link metadata; /* of requests */
};

/* All of it, by the numbers of the schemas. */
static struct {
    struct config_links pod_request, pod_answer, container_request, container_request_pod, container_answer, container_answer_pod;
    uint32_t handler;
    uint32_t container_id;
} links;

static pthread_once_t links_made = PTHREAD_ONCE_INIT;

static struct config_link link_of(const struct field_pairs *pairs, size_t at, bool answer)
{
    const char *outer = pairs->fields[at].outer, *name = pairs->fields[at].model, *hook = pairs->fields[at].hook;
    const ProtobufCMessageDescriptor *holder = pairs->model;
    struct config_link link = {.outer_name = outer};
    if (outer) {
        const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(holder, outer);
        link.outer = field->id;
        holder = field->descriptor;
    }
    link.link = answer ? field_link_of(pairs->hook, hook, holder, name) : field_link_of(holder, name, pairs->hook, hook);
    return link;
}

static struct config_links links_of(const struct field_pairs *pairs, const char *metadata)
{
    struct config_links made = {0};
    for (; pairs->fields[made.count].model; made.count++) {
        made.links[made.count] = link_of(pairs, made.count, !metadata);
    }
    if (metadata) {
        made.metadata = field_link_of(pairs->model, "metadata", pairs->hook, metadata);
    }
    return made;
}

static uint32_t number_of(const ProtobufCMessageDescriptor *message, const char *field)
{
    return protobuf_c_message_descriptor_get_field_by_name(message, field)->id;
}

static void make_links(void)
{
    links.pod_request = links_of(&pod_request, "pod_meta");
    links.pod_answer = links_of(&pod_answer, NULL);
    links.container_request = links_of(&container_request, "container_meta");
    links.container_request_pod = links_of(&container_request_pod, "pod_meta");
    links.container_answer = links_of(&container_answer, NULL);
    links.container_answer_pod = links_of(&container_answer_pod, NULL);
    links.handler = number_of(&runtime__v1alpha1__pod_sandbox_hook_request__descriptor, "runtime_handler");
    links.container_id = number_of(&runtime__v1alpha1__container_metadata__descriptor, "id");
}

/* ---- requests ---- */

static bool put_fields(const struct config_links *all, struct bytes config, struct walk_output *request, struct error *error)
{
    struct bytes content = {0};
    uint32_t taken = 0; /* the message whose content that is */
    for (size_t i = 0; i < all->count; i++) {
        const struct config_link *link = &all->links[i];
        bool found;
        if (link->outer != 0 && link->outer != taken &&
            !field_take_message(config, link->outer, link->outer_name, request->arena, &content, &found, error)) {
            return false;
        }
        taken = link->outer != 0 ? link->outer : taken;
        if (!field_move(link->outer != 0 ? content : config, &link->link, request, error)) {
            return false;
        }
    }
    return true;
}

static bool put_text(uint32_t number, struct bytes text, struct walk_output *request, struct error *error)
{
    return text.len == 0 || !hook_text_can_be_sent(text) || walk_output_put_field(request, number, text) ||
           error_no_memory(error);
}

/* The metadata of a pod or container, with the container's id. It is always sent, also if nothing is known: plugins rely on it.
 */
static bool put_metadata(const struct field_link *link, struct bytes config, struct bytes id, struct walk_output *request,
                         struct error *error)
{
    struct bytes metadata = wire_last_payload(config, link->from);
    size_t expected = metadata.len + id.len;
    size_t opened = walk_output_open(request, link->to, expected);
    if (opened == SIZE_MAX) {
        return error_no_memory(error);
    }
    return field_move_all(metadata, link->inside, request, error) && put_text(links.container_id, id, request, error) &&
           (walk_output_close(request, opened, expected) || error_no_memory(error));
}

static bool put_pod(const struct hook_facts *facts, struct walk_output *request, struct error *error)
{
    return put_metadata(&links.pod_request.metadata, facts->pod, (struct bytes){0}, request, error) &&
           put_text(links.handler, facts->handler, request, error) && put_fields(&links.pod_request, facts->pod, request, error);
}

static bool put_container(const struct hook_facts *facts, struct walk_output *request, struct error *error)
{
    return put_metadata(&links.container_request_pod.metadata, facts->pod, (struct bytes){0}, request, error) &&
           put_metadata(&links.container_request.metadata, facts->container, facts->container_id, request, error) &&
           put_fields(&links.container_request, facts->container, request, error) &&
           put_fields(&links.container_request_pod, facts->pod, request, error);
}

static bool encode_request(struct hook_stage stage, const struct hook_facts *facts, struct arena *arena, struct bytes *request,
                           struct error *error)
{
    if (!path(stage)) {
        return lacks_stage(error);
    }
    pthread_once(&links_made, make_links);
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
    return is_of_pod(stage) ? echo_prepare(pod_request.hook, request, pod_answer.hook, arena)
                            : echo_prepare(container_request.hook, request, container_answer.hook, arena);
}

static bool drop_echo(const struct hook_sent *sent, struct bytes answer, struct arena *arena, struct bytes *rest,
                      struct error *error)
{
    *rest = answer;
    return answer.len > HOOK_ANSWER_SIZE || echo_drop(sent, answer, arena, rest) || error_no_memory(error);
}

static bool take_fields(const struct config_links *all, struct bytes answer, struct arena *arena, struct bytes *config,
                        struct error *error)
{
    struct walk_output output;
    if (!walk_output_start(&output, arena, answer.len)) {
        return error_no_memory(error);
    }
    for (size_t i = 0; i < all->count; i++) {
        const struct config_link *link = &all->links[i];
        if (!(link->outer != 0 ? field_move_into(answer, &link->link, link->outer, &output, error)
                               : field_move(answer, &link->link, &output, error))) {
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
    pthread_once(&links_made, make_links);
    if (is_of_pod(stage)) {
        return answer_check(pod_answer.hook, bytes, error) && take_fields(&links.pod_answer, bytes, arena, &answer->pod, error);
    }
    return answer_check(container_answer.hook, bytes, error) &&
           take_fields(&links.container_answer, bytes, arena, &answer->container, error) &&
           take_fields(&links.container_answer_pod, bytes, arena, &answer->pod, error);
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
