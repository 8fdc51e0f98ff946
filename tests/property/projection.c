#include "projection.h"

#include <string.h>

/* Fields that carry rules write anew, under any dialect's name. */
static const struct {
    const char *message, *field;
} carried[] = {
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
};

/* Requests carry these through the model. */
static const char *const configurations[] = {"PodSandboxConfig", "ContainerConfig"};

static bool is_rewritten(const struct schema_message *message, const struct schema_field *field)
{
    for (size_t i = 0; i < sizeof carried / sizeof carried[0]; i++) {
        if (strcmp(carried[i].message, message->name) == 0 && strcmp(carried[i].field, field->name) == 0) {
            return true;
        }
    }
    for (size_t i = 0; field->message && i < sizeof configurations / sizeof configurations[0]; i++) {
        if (strcmp(configurations[i], field->message->name) == 0) {
            return true;
        }
    }
    return strcmp(message->name, "UpdateContainerResourcesRequest") == 0 && strcmp(field->name, "linux") == 0;
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
        }
    }
}
