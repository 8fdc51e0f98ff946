/* What kubelets ask of Docker's API, and what Docker answers. The first byte chooses: 0 a target, behind a byte that chooses the
   method; 1 the body of a request that makes a sandbox, 2 that makes a container, 3 that updates one; 4 an inspection, 5 a list,
   6 a created container. */
#include <json-c/json.h>

#include "model/api.pb-c.h"
#include "tests/fuzz/fuzz.h"
#include "translate/bytes/packing.h"
#include "translate/docker/answers.h"
#include "translate/docker/request.h"
#include "translate/docker/route.h"

#define KINDS 7

static const char sandbox_name[] = "k8s_POD_web_shop_uid_1";
static const char container_name[] = "k8s_main_web_shop_uid_2";

/* ---- targets ---- */

static struct bytes target_of(const struct docker_route *route, struct arena *arena)
{
    static const char *const ends[] = {
        [DOCKER_START] = "/start", [DOCKER_STOP] = "/stop", [DOCKER_UPDATE] = "/update", [DOCKER_REMOVE] = ""};
    static const char folder[] = "/v1.41/containers/", digits[] = "0123456789abcdef";
    char *target = arena_alloc(arena, sizeof folder + 3 * route->container.len + sizeof "/update");
    must(target);
    size_t len = sizeof folder - 1;
    memcpy(target, folder, len);
    for (size_t i = 0; i < route->container.len; i++) {
        target[len++] = '%';
        target[len++] = digits[route->container.data[i] >> 4];
        target[len++] = digits[route->container.data[i] & 15];
    }
    strcpy(target + len, ends[route->kind]);
    return bytes_of_string(target);
}

/* The container that was found is found again by a target that is clean. */
static void try_target(struct bytes method, struct bytes target, struct arena *arena)
{
    struct docker_route route, again;
    struct error error = {0};
    if (!docker_route_read(method, target, arena, &route, &error)) {
        must(error.code == STATUS_INVALID_ARGUMENT && error.message[0] != '\0');
        return;
    }
    must((route.container.len > 0) == (route.kind != DOCKER_OTHER && route.kind != DOCKER_CREATE));
    must(route.name.len == 0 || route.kind == DOCKER_CREATE);
    if (route.container.len > 0) {
        must(docker_route_read(method, target_of(&route, arena), arena, &again, &error));
        must(again.kind == route.kind && bytes_equal(again.container, route.container));
    }
}

/* ---- bodies ---- */

/* NULL: json-c takes it for none. */
static struct json_object *parse(struct bytes text)
{
    struct json_tokener *tokener = json_tokener_new_ex(64);
    must(tokener);
    struct json_object *object = json_tokener_parse_ex(tokener, (const char *)text.data, (int)text.len);
    bool whole = json_tokener_get_error(tokener) == json_tokener_success;
    json_tokener_free(tokener);
    if (!whole) {
        json_object_put(object);
        return NULL;
    }
    return object;
}

/* What another reader of JSON finds under the key is what the facts have. It cuts keys at a NUL. */
static void must_agree(struct bytes body, struct bytes facts, struct arena *arena)
{
    if (memmem(body.data, body.len, "\\u0000", strlen("\\u0000"))) {
        return;
    }
    struct json_object *object = parse(body), *settings = NULL, *memory = NULL;
    const Model__ContainerConfig *container = arena_unpack(arena, &model__container_config__descriptor, facts);
    must(container);
    int64_t limit = container->linux && container->linux->resources ? container->linux->resources->memory_limit_in_bytes : 0;
    if (object && json_object_object_get_ex(object, "HostConfig", &settings)) {
        must(json_object_object_get_ex(settings, "Memory", &memory) || limit == 0);
        must(json_object_get_int64(memory) == limit);
    }
    json_object_put(object);
}

/* Facts that plugins can be shown. */
static void must_be_facts(enum model_kind kind, struct bytes facts, struct arena *arena)
{
    struct bytes shown;
    must(hook_facts_of(kind, facts, arena, &shown, NULL) && bytes_equal(shown, facts));
}

static struct bytes packed(const ProtobufCMessage *message, struct arena *arena)
{
    struct bytes bytes;
    must(arena_pack(arena, message, &bytes));
    return bytes;
}

/* What a plugin answers: a label, an annotation and a cgroup parent of a pod. */
static struct bytes pod_answer(struct arena *arena)
{
    Model__PodSandboxConfig__LabelsEntry label = MODEL__POD_SANDBOX_CONFIG__LABELS_ENTRY__INIT, *labels[] = {&label};
    Model__PodSandboxConfig__AnnotationsEntry note = MODEL__POD_SANDBOX_CONFIG__ANNOTATIONS_ENTRY__INIT, *notes[] = {&note};
    Model__LinuxPodSandboxConfig part = MODEL__LINUX_POD_SANDBOX_CONFIG__INIT;
    Model__PodSandboxConfig pod = MODEL__POD_SANDBOX_CONFIG__INIT;
    label.key = note.key = (char *)(uintptr_t) "a";
    label.value = note.value = (char *)(uintptr_t) "\"\\";
    part.cgroup_parent = (char *)(uintptr_t) "/a.slice/a-b.slice";
    pod.n_labels = pod.n_annotations = 1;
    pod.labels = labels;
    pod.annotations = notes;
    pod.linux = &part;
    return packed(&pod.base, arena);
}

/* An annotation, two variables, and resources of a container. */
static struct bytes container_answer(struct arena *arena)
{
    Model__ContainerConfig__AnnotationsEntry note = MODEL__CONTAINER_CONFIG__ANNOTATIONS_ENTRY__INIT, *notes[] = {&note};
    Model__KeyValue first = MODEL__KEY_VALUE__INIT, second = MODEL__KEY_VALUE__INIT, *variables[] = {&first, &second};
    Model__LinuxContainerResources resources = MODEL__LINUX_CONTAINER_RESOURCES__INIT;
    Model__LinuxContainerConfig part = MODEL__LINUX_CONTAINER_CONFIG__INIT;
    Model__ContainerConfig container = MODEL__CONTAINER_CONFIG__INIT;
    note.key = first.key = (char *)(uintptr_t) "A";
    note.value = (char *)(uintptr_t) "\n";
    first.value = (ProtobufCBinaryData){1, (uint8_t *)(uintptr_t) "1"};
    second.key = (char *)(uintptr_t) "NEW";
    resources.memory_limit_in_bytes = 8192;
    resources.cpuset_cpus = (char *)(uintptr_t) "0-3";
    part.resources = &resources;
    container.n_annotations = 1;
    container.annotations = notes;
    container.n_envs = 2;
    container.envs = variables;
    container.linux = &part;
    return packed(&container.base, arena);
}

static bool merge(enum hook_point point, const struct hook_facts *facts, struct hook_facts *merged, struct arena *arena)
{
    struct hook_facts answer = {.pod = pod_answer(arena), .container = container_answer(arena)};
    struct hook_changes changes = {0};
    *merged = *facts;
    must(hook_facts_limit(point, &answer, arena, NULL) && hook_facts_merge(facts, merged, &answer, arena, &changes, NULL));
    return changes.changed;
}

/* Of variables that are there twice, a plugin sees and changes the last; then it sees the one before. */
static bool has_double_variables(struct bytes facts, struct arena *arena)
{
    const Model__ContainerConfig *container = arena_unpack(arena, &model__container_config__descriptor, facts);
    must(container);
    for (size_t i = 0; i < container->n_envs; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(container->envs[i]->key, container->envs[j]->key) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* What was written is read back: then there is nothing left to change, and what json-c took before it takes now. */
static void must_read_back(struct bytes name, struct bytes body, const struct docker_container *container, struct bytes changed,
                           struct arena *arena)
{
    struct docker_container again;
    struct hook_facts merged;
    struct json_object *before = parse(body), *after = parse(changed);
    struct error error = {0};
    must(!before || after);
    must(docker_create_read(name, changed, arena, &again, &error) && again.kubernetes);
    must(again.of_pod == container->of_pod && bytes_equal(again.sandbox_id, container->sandbox_id));
    if (again.of_pod || !has_double_variables(container->facts.container, arena)) {
        must(!merge(again.of_pod ? HOOK_RUN_POD : HOOK_CREATE_CONTAINER, &again.facts, &merged, arena));
    }
    json_object_put(before);
    json_object_put(after);
}

static void try_create(const char *text, struct bytes body, struct arena *arena)
{
    struct bytes name = bytes_of_string(text), changed;
    struct docker_container container;
    struct hook_facts merged;
    struct error error = {0};
    if (!docker_create_read(name, body, arena, &container, &error)) {
        must(error.code == STATUS_INVALID_ARGUMENT && error.message[0] != '\0');
        return;
    }
    if (!container.kubernetes) {
        return;
    }
    must_be_facts(MODEL_POD, container.facts.pod, arena);
    if (!container.of_pod) {
        must_be_facts(MODEL_CONTAINER, container.facts.container, arena);
        must_agree(body, container.facts.container, arena);
    }
    must(docker_create_write(body, &container, &container.facts, &container.facts, arena, &changed, &error));
    must(bytes_equal(body, changed));
    merge(container.of_pod ? HOOK_RUN_POD : HOOK_CREATE_CONTAINER, &container.facts, &merged, arena);
    must(docker_create_write(body, &container, &container.facts, &merged, arena, &changed, &error));
    must_read_back(name, body, &container, changed, arena);
}

static void try_update(struct bytes body, struct arena *arena)
{
    struct bytes resources, changed;
    struct hook_facts facts = {0}, merged;
    struct error error = {0};
    if (!docker_update_read(body, arena, &resources, &error)) {
        must(error.code == STATUS_INVALID_ARGUMENT && error.message[0] != '\0');
        return;
    }
    must(hook_facts_update(facts.container, resources, arena, &facts.container, NULL));
    merge(HOOK_UPDATE_CONTAINER, &facts, &merged, arena);
    must(docker_update_write(body, facts.container, merged.container, arena, &changed, &error));
    must(docker_update_read(changed, arena, &resources, &error));
    facts.container = (struct bytes){0};
    must(hook_facts_update(facts.container, resources, arena, &facts.container, NULL));
    must(!merge(HOOK_UPDATE_CONTAINER, &facts, &merged, arena));
}

/* ---- answers ---- */

static void must_be_id(void *state, struct bytes id)
{
    (void)state;
    must(id.len > 0 && !memchr(id.data, '/', id.len) && !memchr(id.data, ' ', id.len));
}

static void try_inspection(struct bytes answer, struct arena *arena)
{
    struct docker_container container;
    struct error error = {0};
    if (!docker_inspection_read(answer, arena, &container, &error)) {
        must(error.code == STATUS_INTERNAL && error.message[0] != '\0');
        return;
    }
    must_be_id(NULL, container.id);
    if (container.kubernetes) {
        must(container.of_pod == (container.sandbox_id.len == 0));
        must_be_facts(MODEL_POD, container.facts.pod, arena);
        must_be_facts(MODEL_CONTAINER, container.facts.container, arena);
    }
}

static void try_other_answer(bool list, struct bytes answer, struct arena *arena)
{
    struct bytes id;
    struct error error = {0};
    bool read =
        list ? docker_list_read(answer, arena, must_be_id, NULL, &error) : docker_created_read(answer, arena, &id, &error);
    must(read || error.code == STATUS_INTERNAL);
}

void fuzz_try(struct bytes bytes, struct arena *arena)
{
    static const char *const methods[] = {"POST", "DELETE", "GET"};
    if (bytes.len < 2) {
        return;
    }
    unsigned kind = bytes.data[0] % KINDS;
    struct bytes rest = bytes_after(bytes, 1);
    switch (kind) {
    case 0:
        try_target(bytes_of_string(methods[rest.data[0] % 3]), bytes_after(rest, 1), arena);
        break;
    case 1:
        try_create(sandbox_name, rest, arena);
        break;
    case 2:
        try_create(container_name, rest, arena);
        break;
    case 3:
        try_update(rest, arena);
        break;
    case 4:
        try_inspection(rest, arena);
        break;
    default:
        try_other_answer(kind == 5, rest, arena);
    }
}
