/* The generated tables hold what rules.yaml and methods.yaml say: samples of each kind. */
#include <stdio.h>
#include <string.h>

#include "generated/functions.h"
#include "tests/cmocka.h"
#include "translate/model/normalisations.h"
#include "translate/schema/method.h"
#include "translate/schema/schema.h"
#include "translate/walk/table.h"
#include "translate/walk/text_table.h"

static const struct schema_field *field_by_name(const struct schema_message *message, const char *name)
{
    for (size_t i = 0; i < message->field_count; i++) {
        if (strcmp(message->fields[i].name, name) == 0) {
            return &message->fields[i];
        }
    }
    return NULL;
}

static const struct walk_step *step_of(const struct walk_table *table, const char *name)
{
    const struct schema_field *field = field_by_name(table->message, name);
    assert_non_null(field);
    return &table->steps[field - table->message->fields];
}

/* The table that is reached from another one by a chain of message fields such as "config.linux". */
static const struct walk_table *table_at(const struct walk_table *table, const char *path)
{
    char copy[128];
    char *rest = NULL;
    snprintf(copy, sizeof(copy), "%s", path);
    for (char *name = strtok_r(copy, ".", &rest); name != NULL; name = strtok_r(NULL, ".", &rest)) {
        table = step_of(table, name)->into;
        assert_non_null(table);
    }
    return table;
}

static const struct walk_table *request_table(const char *method, enum dialect from, enum dialect to)
{
    return walk_table_of_request(method_by_name(method), from, to);
}

static const struct walk_table *response_table(const char *method, enum dialect from, enum dialect to)
{
    return walk_table_of_response(method_by_name(method), from, to);
}

TEST(dialects_know_their_package_and_caller)
{
    enum dialect dialect;
    assert_int_equal(DIALECT_COUNT, 4);
    assert_int_equal(DIALECT_MODEL, DIALECT_V1);
    assert_string_equal(dialects[DIALECT_V1_9].package, "runtime");
    assert_int_equal(dialects[DIALECT_V1_9].caller, DIALECT_V1_9);
    assert_int_equal(dialects[DIALECT_V1_12].caller, DIALECT_V1ALPHA2);
    assert_true(dialect_from_name(bytes_of_string("v1_12"), &dialect));
    assert_int_equal(dialect, DIALECT_V1_12);
    assert_false(dialect_from_name(bytes_of_string("v2"), &dialect));
}

TEST(messages_are_found_by_name)
{
    for (int dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        const struct schema_message *message = schema_message_by_name((enum dialect)dialect, "PodSandboxConfig.LabelsEntry");
        assert_non_null(message);
        assert_string_equal(message->name, "PodSandboxConfig.LabelsEntry");
        assert_int_equal(message->field_count, 2);
        assert_null(schema_message_by_name((enum dialect)dialect, "Nothing"));
    }
    assert_null(schema_message_by_name(DIALECT_V1_9, "SecurityProfile"));
    assert_non_null(schema_message_by_name(DIALECT_V1, "SecurityProfile"));
}

TEST(fields_are_found_by_number)
{
    const struct schema_message *message = schema_message_by_name(DIALECT_V1, "LinuxSandboxSecurityContext");
    for (size_t i = 0; i < message->field_count; i++) {
        assert_ptr_equal(schema_field_by_number(message, message->fields[i].number), &message->fields[i]);
        assert_true(i == 0 || message->fields[i - 1].number < message->fields[i].number);
    }
    assert_null(schema_field_by_number(message, 0));
    assert_null(schema_field_by_number(message, 12));
    assert_null(schema_field_by_number(message, UINT32_MAX));
    assert_null(schema_field_by_number(schema_message_by_name(DIALECT_V1, "StopPodSandboxResponse"), 1));
}

TEST(fields_know_type_name_kind_and_privacy)
{
    const struct schema_field *devices = field_by_name(schema_message_by_name(DIALECT_V1, "ContainerConfig"), "CDI_devices");
    assert_string_equal(devices->json_name, "CDIDevices");
    assert_int_equal(devices->type, FIELD_MESSAGE);
    assert_true(devices->repeated);
    assert_false(devices->map);
    const struct schema_field *labels = field_by_name(schema_message_by_name(DIALECT_V1_9, "PodSandbox"), "labels");
    assert_true(labels->repeated && labels->map);
    assert_string_equal(labels->message->name, "PodSandbox.LabelsEntry");
    const struct schema_field *profile = field_by_name(schema_message_by_name(DIALECT_V1, "SecurityProfile"), "profile_type");
    assert_int_equal(profile->type, FIELD_ENUM);
    assert_string_equal(profile->enumeration->name, "SecurityProfile.ProfileType");
    assert_string_equal(profile->enumeration->values[2].name, "Localhost");
    for (int dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        const struct schema_message *auth = schema_message_by_name((enum dialect)dialect, "AuthConfig");
        assert_int_equal(field_by_name(auth, "password")->privacy, PRIVACY_SECRET);
        assert_int_equal(field_by_name(auth, "username")->privacy, PRIVACY_PUBLIC);
        const struct schema_message *image = schema_message_by_name((enum dialect)dialect, "Image");
        assert_int_equal(field_by_name(image, "repo_tags")->name_kind, NAME_IMAGE);
        assert_int_equal(field_by_name(image, "size")->name_kind, NAME_NONE);
    }
}

TEST(methods_are_found_by_path)
{
    enum dialect caller = DIALECT_COUNT;
    const struct method *method = method_find(bytes_of_string("/runtime.v1alpha2.RuntimeService/Version"), &caller);
    assert_ptr_equal(method, method_by_name("Version"));
    assert_int_equal(caller, DIALECT_V1ALPHA2);
    assert_non_null(method_find(bytes_of_string("/runtime.ImageService/PullImage"), &caller));
    assert_int_equal(caller, DIALECT_V1_9);
    assert_null(method_find(bytes_of_string("/runtime.ImageService/PullImag"), &caller));
    assert_null(method_find(bytes_of_string("/runtime.ImageService/PullImages"), &caller));
    assert_null(method_find(bytes_of_string("/runtime.RuntimeService/RuntimeConfig"), &caller));
    assert_null(method_find(bytes_of_string(""), &caller));
    assert_null(method_by_name("Nothing"));
    for (size_t i = 0; i < method_count; i++) {
        assert_ptr_equal(method_by_name(methods[i].name), &methods[i]);
        for (int dialect = 0; dialect < DIALECT_COUNT; dialect++) {
            if (methods[i].in[dialect].path != NULL) {
                assert_ptr_equal(method_find(bytes_of_string(methods[i].in[dialect].path), &caller), &methods[i]);
                assert_int_equal(caller, dialects[dialect].caller);
            }
        }
    }
}

TEST(paths_of_unknown_methods_tell_their_package)
{
    enum dialect caller = DIALECT_COUNT;
    assert_true(method_path_package(bytes_of_string("/runtime.v1.RuntimeService/Future"), &caller));
    assert_int_equal(caller, DIALECT_V1);
    assert_true(method_path_package(bytes_of_string("/runtime.v1alpha2.ImageService/Future"), &caller));
    assert_int_equal(caller, DIALECT_V1ALPHA2);
    assert_false(method_path_package(bytes_of_string("/runtime.v2.RuntimeService/Future"), &caller));
    assert_false(method_path_package(bytes_of_string("/runtime.v1.RuntimeServices/Future"), &caller));
    assert_false(method_path_package(bytes_of_string(""), &caller));
}

static void assert_peek(const struct method *method, enum dialect dialect, enum peek peek, struct peek_path expected)
{
    const struct peek_path *found = &method->in[dialect].peeks[peek];
    assert_int_equal(found->depth, expected.depth);
    assert_memory_equal(found->numbers, expected.numbers, expected.depth);
}

TEST(peeks_are_chains_of_numbers)
{
    const struct method *list = method_by_name("ListContainers");
    assert_peek(list, DIALECT_V1_9, PEEK_CONTAINER, (struct peek_path){2, {1, 1}});
    assert_peek(list, DIALECT_V1, PEEK_POD, (struct peek_path){2, {1, 3}});
    assert_peek(list, DIALECT_V1, PEEK_IMAGE, (struct peek_path){0, {0}});
    const struct method *create = method_by_name("CreateContainer");
    assert_peek(create, DIALECT_V1, PEEK_POD, (struct peek_path){1, {1}});
    assert_peek(create, DIALECT_V1, PEEK_IMAGE, (struct peek_path){3, {2, 2, 1}});
    assert_peek(create, DIALECT_V1, PEEK_IMAGE_ANNOTATIONS, (struct peek_path){3, {2, 2, 2}});
    assert_peek(create, DIALECT_V1, PEEK_IMAGE_HANDLER, (struct peek_path){3, {2, 2, 19}});
    assert_peek(create, DIALECT_V1_9, PEEK_IMAGE_HANDLER, (struct peek_path){0, {0}});
    const struct method *run = method_by_name("RunPodSandbox");
    assert_peek(run, DIALECT_V1_9, PEEK_SANDBOX_ANNOTATIONS, (struct peek_path){2, {1, 7}});
    assert_peek(run, DIALECT_V1_9, PEEK_HANDLER, (struct peek_path){0, {0}});
    assert_peek(run, DIALECT_V1_12, PEEK_HANDLER, (struct peek_path){1, {2}});
    assert_peek(method_by_name("Status"), DIALECT_V1, PEEK_VERBOSE, (struct peek_path){1, {1}});
}

TEST(rows_say_what_the_file_says)
{
    const struct method *pull = method_by_name("PullImage");
    assert_int_equal(pull->service, SERVICE_IMAGE);
    assert_int_equal(pull->route, ROUTE_PULL);
    assert_int_equal(pull->merge, MERGE_NONE);
    assert_int_equal(pull->lacking, LACKING_REFUSE);
    assert_int_equal(pull->away, AWAY_FAIL);
    assert_int_equal(pull->remember, REMEMBER_IMAGE_PULLED);
    assert_int_equal(pull->log_level, 3);
    assert_false(pull->server_stream);
    const struct method *events = method_by_name("GetContainerEvents");
    assert_int_equal(events->lacking, LACKING_OMIT);
    assert_true(events->server_stream);
    assert_null(events->in[DIALECT_V1_9].path);
    assert_null(walk_table_of_request(events, DIALECT_V1_9, DIALECT_V1));
    assert_null(walk_table_of_response(events, DIALECT_V1, DIALECT_V1_12));
    assert_non_null(walk_table_of_response(events, DIALECT_V1, DIALECT_V1));
}

TEST(rows_say_what_is_remembered)
{
    static const struct {
        const char *method;
        enum away away;
        enum remember remember;
    } rows[] = {
        {"ListPodSandbox", AWAY_KNOWN, REMEMBER_POD_LIST},
        {"PodSandboxStatus", AWAY_KNOWN, REMEMBER_POD_STATUS},
        {"RunPodSandbox", AWAY_FAIL, REMEMBER_POD_CREATED},
        {"RemovePodSandbox", AWAY_FAIL, REMEMBER_POD_REMOVED},
        {"ListContainers", AWAY_KNOWN, REMEMBER_CONTAINER_LIST},
        {"ContainerStatus", AWAY_KNOWN, REMEMBER_CONTAINER_STATUS},
        {"CreateContainer", AWAY_FAIL, REMEMBER_CONTAINER_CREATED},
        {"RemoveContainer", AWAY_FAIL, REMEMBER_CONTAINER_REMOVED},
        {"ImageStatus", AWAY_RUNTIME, REMEMBER_IMAGE_STATUS},
        {"ListContainerStats", AWAY_OMIT, REMEMBER_NOTHING},
        {"StopContainer", AWAY_FAIL, REMEMBER_NOTHING},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct method *method = method_by_name(rows[i].method);
        assert_int_equal(method->away, rows[i].away);
        assert_int_equal(method->remember, rows[i].remember);
    }
}

TEST(rows_have_points_for_hooks)
{
    static const struct {
        const char *method;
        enum hook_point point;
    } rows[] = {
        {"RunPodSandbox", HOOK_RUN_POD},
        {"StopPodSandbox", HOOK_STOP_POD},
        {"CreateContainer", HOOK_CREATE_CONTAINER},
        {"StartContainer", HOOK_START_CONTAINER},
        {"StopContainer", HOOK_STOP_CONTAINER},
        {"UpdateContainerResources", HOOK_UPDATE_CONTAINER},
    };
    size_t points = 0;
    for (size_t i = 0; i < method_count; i++) {
        points += methods[i].hook != HOOK_NONE ? 1 : 0;
    }
    assert_int_equal(points, sizeof rows / sizeof rows[0]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(method_by_name(rows[i].method)->hook, rows[i].point);
    }
}

TEST(rules_become_steps)
{
    const struct walk_table *container = model_tables[MODEL_CONTAINER][DIALECT_V1][DIALECT_V1_9];
    const struct walk_step *read_only = step_of(table_at(container, "mounts"), "recursive_read_only");
    assert_int_equal(read_only->action, WALK_REJECT);
    assert_string_equal(translation_rules[read_only->rule].field, "Mount.recursive_read_only");
    assert_string_equal(translation_rules[read_only->rule].why, "mounts below the volume would stay writable");
    assert_int_equal(step_of(table_at(container, "image"), "annotations")->action, WALK_DROP);
    const struct walk_step *masked = step_of(table_at(container, "linux.security_context"), "masked_paths");
    assert_int_equal(masked->action, WALK_JUDGED);
    assert_string_equal(translation_rules[masked->rule].field, "LinuxContainerSecurityContext.masked_paths");
    /* From one older dialect to another, the target's rule counts. */
    const struct walk_table *older = model_tables[MODEL_CONTAINER][DIALECT_V1ALPHA2][DIALECT_V1_12];
    assert_int_equal(step_of(table_at(older, "linux.resources"), "unified")->action, WALK_JUDGED);
    const struct walk_table *same = model_tables[MODEL_CONTAINER][DIALECT_V1][DIALECT_V1];
    assert_int_equal(step_of(table_at(same, "mounts"), "recursive_read_only")->action, WALK_COPY);
    assert_int_equal(step_of(table_at(container, "envs"), "value")->action, WALK_COPY);
}

TEST(what_refuses_a_request_can_be_let_through)
{
    assert_string_equal(translation_rules[RULE_Mount_image].field, "Mount.image");
    assert_true(translation_rules[RULE_Mount_image].refuses);
    assert_true(translation_rules[RULE_NamespaceOption_pid].refuses);  /* carried, and refused where it cannot be */
    assert_true(translation_rules[RULE_NamespaceMode_TARGET].refuses); /* judged */
    assert_false(translation_rules[RULE_NamespaceOption_target_id].refuses);
    assert_false(translation_rules[RULE_Image_pinned].refuses);
}

TEST(carried_fields_are_captured)
{
    const char *const path = "linux.security_context.namespace_options";
    const struct walk_table *up = table_at(model_tables[MODEL_POD][DIALECT_V1_9][DIALECT_V1], path);
    assert_ptr_equal(up->carry, carry_namespace_option_up);
    assert_int_equal(step_of(up, "host_pid")->action, WALK_CAPTURE);
    assert_int_equal(step_of(up, "host_pid")->slot, 1);
    assert_true(up->changes);
    const struct walk_table *down = table_at(model_tables[MODEL_POD][DIALECT_V1ALPHA2][DIALECT_V1_9], path);
    assert_ptr_equal(down->carry, carry_namespace_option_down);
    assert_int_equal(step_of(down, "ipc")->slot, 2);
    assert_int_equal(step_of(down, "target_id")->action, WALK_JUDGED);
    const struct walk_table *same = table_at(model_tables[MODEL_POD][DIALECT_V1_9][DIALECT_V1_9], path);
    assert_null(same->carry);
    assert_int_equal(step_of(same, "host_pid")->action, WALK_COPY);

    const struct walk_table *list = table_at(response_table("ListContainers", DIALECT_V1_9, DIALECT_V1), "containers");
    assert_ptr_equal(list->carry, carry_container_image_id_up);
    assert_int_equal(step_of(list, "image_ref")->action, WALK_CAPTURE);
    assert_true(list->names);
    list = table_at(response_table("ListContainers", DIALECT_V1_9, DIALECT_V1ALPHA2), "containers");
    assert_null(list->carry);
    assert_int_equal(step_of(list, "image_ref")->action, WALK_NAME);
    assert_int_equal(step_of(list, "metadata")->action, WALK_DESCEND);

    for (int dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        const struct walk_table *version = response_table("Version", (enum dialect)dialect, (enum dialect)dialect);
        assert_ptr_equal(version->carry, carry_version);
        assert_int_equal(step_of(version, "runtime_api_version")->slot, 3);
        assert_true(version->changes);
    }
}

TEST(lacking_enum_values_are_listed)
{
    const char *const path = "linux.security_context.namespace_options";
    const struct walk_step *pid = step_of(table_at(model_tables[MODEL_POD][DIALECT_V1][DIALECT_V1_12], path), "pid");
    assert_int_equal(pid->action, WALK_COPY);
    assert_int_equal(pid->value_count, 1);
    assert_int_equal(pid->values[0].number, 3);
    assert_int_equal(pid->values[0].action, WALK_JUDGED);
    assert_string_equal(translation_rules[pid->values[0].rule].field, "NamespaceMode.TARGET");
    const struct walk_step *protocol =
        step_of(table_at(model_tables[MODEL_POD][DIALECT_V1_12][DIALECT_V1_9], "port_mappings"), "protocol");
    assert_int_equal(protocol->value_count, 1);
    assert_int_equal(protocol->values[0].action, WALK_REJECT);
    protocol = step_of(table_at(model_tables[MODEL_POD][DIALECT_V1_9][DIALECT_V1_12], "port_mappings"), "protocol");
    assert_int_equal(protocol->value_count, 0);
}

TEST(configurations_in_requests_go_through_the_model)
{
    for (int from = 0; from < DIALECT_COUNT; from++) {
        for (int to = 0; to < DIALECT_COUNT; to++) {
            const struct walk_table *create = request_table("CreateContainer", (enum dialect)from, (enum dialect)to);
            const struct walk_step *config = step_of(create, "config");
            assert_int_equal(config->action, WALK_MODEL);
            assert_int_equal(config->slot, MODEL_CONTAINER);
            assert_ptr_equal(config->into, model_tables[MODEL_CONTAINER][from][to]);
            assert_int_equal(step_of(create, "sandbox_config")->slot, MODEL_POD);
            assert_ptr_equal(step_of(create, "sandbox_config")->into, model_tables[MODEL_POD][from][to]);
            assert_true(create->changes && (create->names & 1U << NAME_IMAGE) != 0);
            const struct walk_table *update = request_table("UpdateContainerResources", (enum dialect)from, (enum dialect)to);
            assert_int_equal(step_of(update, "linux")->action, WALK_MODEL);
            assert_int_equal(step_of(update, "linux")->slot, MODEL_RESOURCES);
            assert_ptr_equal(step_of(update, "linux")->into, model_tables[MODEL_RESOURCES][from][to]);
        }
    }
    const struct walk_table *update = request_table("UpdatePodSandboxResources", DIALECT_V1, DIALECT_V1);
    assert_int_equal(step_of(update, "resources")->action, WALK_COPY);
}

TEST(what_differs_below_is_told_above)
{
    const struct walk_table *list = response_table("ListPodSandbox", DIALECT_V1, DIALECT_V1);
    assert_true(list->same_package && !list->changes);
    assert_int_equal(list->names, 1U << NAME_POD | 1U << NAME_HANDLER);
    assert_int_equal(step_of(list, "items")->action, WALK_DESCEND);
    assert_int_equal(step_of(list->steps[0].into, "metadata")->action, WALK_COPY);
    assert_non_null(step_of(list->steps[0].into, "metadata")->into);
    list = response_table("ListPodSandbox", DIALECT_V1_12, DIALECT_V1ALPHA2);
    assert_true(list->same_package && !list->changes);
    list = response_table("ListPodSandbox", DIALECT_V1ALPHA2, DIALECT_V1_12);
    assert_true(list->same_package && list->changes);
    list = response_table("ListPodSandbox", DIALECT_V1ALPHA2, DIALECT_V1);
    assert_true(!list->same_package && list->changes);
    const struct walk_table *descriptors = response_table("ListMetricDescriptors", DIALECT_V1, DIALECT_V1);
    assert_true(!descriptors->changes);
    assert_int_equal(descriptors->names, 0);
}

TEST(what_passes_without_a_look_is_told)
{
    const struct walk_table *pods = response_table("ListPodSandbox", DIALECT_V1, DIALECT_V1_9);
    assert_int_equal(pods->plain[1], WALK_PLAIN_INTO);
    const struct walk_table *pod = pods->steps[0].into;
    assert_int_equal(pod->plain[1], WALK_PLAIN_NAME);
    assert_int_equal(pod->plain[2], WALK_PLAIN_ONCE);
    assert_int_equal(pod->plain[4], WALK_PLAIN_NUMBER);
    assert_int_equal(pod->plain[5], WALK_PLAIN_INTO);
    assert_int_equal(pod->plain[7], WALK_PLAIN_NOT); /* runtime_handler, which v1_9 lacks */
    assert_int_equal(pod->plain[0], WALK_PLAIN_NOT);
    pod = response_table("ListPodSandbox", DIALECT_V1, DIALECT_V1)->steps[0].into;
    assert_int_equal(pod->plain[5], WALK_PLAIN_COPIED);
    assert_int_equal(pod->plain[7], WALK_PLAIN_NAME);
    const struct walk_table *container = response_table("ListContainers", DIALECT_V1, DIALECT_V1_9)->steps[0].into;
    assert_int_equal(container->plain[5], WALK_PLAIN_NOT); /* image_ref, which is carried */
    const struct walk_table *mapping = table_at(model_tables[MODEL_POD][DIALECT_V1_12][DIALECT_V1_9], "port_mappings");
    assert_int_equal(mapping->plain[1], WALK_PLAIN_NOT); /* an enum of which v1_9 lacks a value */
    const struct walk_table *config = model_tables[MODEL_CONTAINER][DIALECT_V1][DIALECT_V1];
    assert_int_equal(config->plain[3], WALK_PLAIN_STRING);
}

static size_t chain_length(normalisation *const *chain)
{
    size_t length = 0;
    while (chain[length] != NULL) {
        length++;
    }
    return length;
}

TEST(normalisations_stand_in_the_order_of_the_rules)
{
    normalisation *const *up = normalisations_up[MODEL_CONTAINER][DIALECT_V1_9];
    assert_int_equal(chain_length(up), 4);
    assert_ptr_equal(up[0], normalise_namespaces_said);
    assert_ptr_equal(up[1], normalise_masked_paths_default);
    assert_ptr_equal(up[2], normalise_profiles_from_strings);
    assert_ptr_equal(up[3], normalise_user_specified_image);
    assert_int_equal(chain_length(normalisations_up[MODEL_RESOURCES][DIALECT_V1_9]), 0);
    assert_ptr_equal(normalisations_down[MODEL_RESOURCES][DIALECT_V1_12][0], normalise_resources);
    assert_int_equal(chain_length(normalisations_down[MODEL_RESOURCES][DIALECT_V1]), 0);
    assert_ptr_equal(normalisations_down[MODEL_POD][DIALECT_V1][0], normalise_profiles_to_strings);
}

/* What the walk relies on everywhere: a table for each field that is descended into, of the field's own message. */
static void check_table(const struct walk_table *table, unsigned depth)
{
    assert_true(depth <= 20);
    for (size_t i = 0; i < table->message->field_count; i++) {
        const struct schema_field *field = &table->message->fields[i];
        const struct walk_step *step = &table->steps[i];
        bool enters = step->action == WALK_COPY || step->action == WALK_DESCEND || step->action == WALK_MODEL;
        if (field->type == FIELD_MESSAGE && enters) {
            assert_non_null(step->into);
            assert_ptr_equal(step->into->message, field->message);
            assert_true(step->action != WALK_COPY || !(step->into->changes || step->into->names));
            check_table(step->into, depth + 1);
        }
        assert_true(step->action != WALK_NAME || (field->type == FIELD_STRING && field->name_kind != NAME_NONE));
        assert_true(step->action != WALK_CAPTURE || table->carry != NULL);
        assert_true(step->rule < TRANSLATION_RULE_COUNT);
    }
}

TEST(every_table_is_complete)
{
    size_t checked = 0;
    for (size_t i = 0; i < method_count; i++) {
        for (int pair = 0; pair < DIALECT_COUNT * DIALECT_COUNT; pair++) {
            enum dialect from = (enum dialect)(pair / DIALECT_COUNT);
            enum dialect to = (enum dialect)(pair % DIALECT_COUNT);
            bool both = methods[i].in[from].path != NULL && methods[i].in[to].path != NULL;
            assert_true((walk_table_of_request(&methods[i], from, to) != NULL) == both);
            assert_true((walk_table_of_response(&methods[i], from, to) != NULL) == both);
            if (both) {
                assert_ptr_equal(walk_table_of_request(&methods[i], from, to)->message, methods[i].in[from].request);
                assert_ptr_equal(walk_table_of_response(&methods[i], from, to)->message, methods[i].in[from].response);
                check_table(walk_table_of_request(&methods[i], from, to), 0);
                check_table(walk_table_of_response(&methods[i], from, to), 0);
                checked++;
            }
        }
    }
    assert_true(checked > 400);
}
