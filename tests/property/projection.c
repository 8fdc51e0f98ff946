#include "projection.h"

#include <string.h>

/* Fields that carry rules and normalisations write anew, under any dialect's name. */
static const struct {
    const char *message, *field;
} rewritten[] = {
    {"NamespaceOption", "network"},
    {"NamespaceOption", "pid"},
    {"NamespaceOption", "ipc"},
    {"NamespaceOption", "host_network"},
    {"NamespaceOption", "host_pid"},
    {"NamespaceOption", "host_ipc"},
    {"FilesystemUsage", "fs_id"},
    {"FilesystemUsage", "storage_id"},
    {"Container", "image_ref"},
    {"Container", "image_id"},
    {"ContainerStatus", "image_ref"},
    {"ContainerStatus", "image_id"},
    {"VersionResponse", "version"},
    {"VersionResponse", "runtime_name"},
    {"VersionResponse", "runtime_version"},
    {"VersionResponse", "runtime_api_version"},
    {"ExecResponse", "url"},
    {"AttachResponse", "url"},
    {"PortForwardResponse", "url"},
    {"LinuxSandboxSecurityContext", "namespace_options"},
    {"LinuxSandboxSecurityContext", "seccomp"},
    {"LinuxSandboxSecurityContext", "apparmor"},
    {"LinuxSandboxSecurityContext", "seccomp_profile_path"},
    {"LinuxContainerSecurityContext", "namespace_options"},
    {"LinuxContainerSecurityContext", "seccomp"},
    {"LinuxContainerSecurityContext", "apparmor"},
    {"LinuxContainerSecurityContext", "seccomp_profile_path"},
    {"LinuxContainerSecurityContext", "apparmor_profile"},
    {"LinuxContainerSecurityContext", "masked_paths"},
    {"LinuxContainerSecurityContext", "readonly_paths"},
};

/* Messages that normalisations create for what they have to say: empty, they say nothing. */
static const char *const created[] = {"LinuxPodSandboxConfig", "LinuxSandboxSecurityContext", "LinuxContainerConfig",
                                      "LinuxContainerSecurityContext"};

static bool is_rewritten(const struct schema_message *message, const struct schema_field *field)
{
    for (size_t i = 0; i < sizeof rewritten / sizeof rewritten[0]; i++) {
        if (strcmp(rewritten[i].message, message->name) == 0 && strcmp(rewritten[i].field, field->name) == 0) {
            return true;
        }
    }
    return false;
}

static bool says_nothing(struct json_object *value, const struct schema_field *field)
{
    for (size_t i = 0; field->message && i < sizeof created / sizeof created[0]; i++) {
        if (strcmp(created[i], field->message->name) == 0) {
            return json_object_object_length(value) == 0;
        }
    }
    return false;
}

/* A value of an enum that the other dialect does not have; a number without a name passes everywhere. */
static bool is_lacking(struct json_object *value, const struct schema_field *other)
{
    if (other->type != FIELD_ENUM || !json_object_is_type(value, json_type_string)) {
        return false;
    }
    for (uint16_t i = 0; i < other->enumeration->value_count; i++) {
        if (strcmp(other->enumeration->values[i].name, json_object_get_string(value)) == 0) {
            return false;
        }
    }
    return true;
}

static void apply_to_elements(struct json_object *value, const struct schema_field *field, const struct schema_field *other)
{
    if (field->map) {
        const struct schema_field *element = schema_field_by_number(field->message, 2);
        const struct schema_field *other_element = schema_field_by_number(other->message, 2);
        json_object_object_foreach(value, key, entry)
        {
            (void)key;
            if (element->message) {
                projection_apply(entry, element->message, other_element->message);
            }
        }
        return;
    }
    if (!field->message) {
        return;
    }
    if (!field->repeated) {
        projection_apply(value, field->message, other->message);
        return;
    }
    for (size_t i = 0; i < json_object_array_length(value); i++) {
        projection_apply(json_object_array_get_idx(value, i), field->message, other->message);
    }
}

void projection_apply(struct json_object *json, const struct schema_message *message, const struct schema_message *other)
{
    for (uint16_t i = 0; i < message->field_count; i++) {
        const struct schema_field *field = &message->fields[i];
        const struct schema_field *other_field = schema_field_by_number(other, field->number);
        struct json_object *value;
        if (!json_object_object_get_ex(json, field->json_name, &value)) {
            continue;
        }
        if (!other_field || is_rewritten(message, field) || is_lacking(value, other_field)) {
            json_object_object_del(json, field->json_name);
        } else {
            apply_to_elements(value, field, other_field);
            if (says_nothing(value, field)) {
                json_object_object_del(json, field->json_name);
            }
        }
    }
}
