#include "tests/faults/requests.h"

#include <stdio.h>
#include <string.h>

#include "sim/common/fields.h"
#include "tests/faults/node.h"

#define TARGET_ANNOTATION "kubernetes.io/target-runtime"

struct json_object *request_with_id(const char *key, const char *id)
{
    struct json_object *request = json_object_new_object();
    field_set_text(request, key, id);
    return request;
}

struct json_object *request_pod_config(const char *uid, const char *runtime)
{
    char parent[80];
    snprintf(parent, sizeof parent, "/kubepods/%s", uid);
    struct json_object *config = json_object_new_object();
    struct json_object *metadata = field_new_object(config, "metadata");
    field_set_text(metadata, "name", uid);
    field_set_text(metadata, "uid", uid);
    field_set_text(metadata, "namespace", "default");
    struct json_object *labels = field_new_object(config, "labels");
    field_set_text(labels, UID_LABEL, uid);
    if (strncmp(uid, UNHOOKED_POD, strlen(UNHOOKED_POD)) == 0) {
        field_set_text(labels, NODE_SKIP_LABEL, NODE_SKIP_VALUE);
    }
    field_set_text(field_new_object(config, "annotations"), TARGET_ANNOTATION, runtime);
    field_set_text(field_new_object(config, "linux"), "cgroupParent", parent);
    return config;
}

struct json_object *request_container_config(const char *uid, unsigned attempt, const char *image)
{
    struct json_object *config = json_object_new_object();
    struct json_object *metadata = field_new_object(config, "metadata");
    field_set_text(metadata, "name", "app");
    field_set_number(metadata, "attempt", attempt);
    field_set_text(field_new_object(config, "image"), "image", image);
    field_set_text(field_new_object(config, "labels"), UID_LABEL, uid);
    field_set_number(field_new_object(field_new_object(config, "linux"), "resources"), "cpuShares", 512);
    return config;
}

struct json_object *request_update(const char *container, unsigned shares)
{
    struct json_object *request = request_with_id("containerId", container);
    field_set_number(field_new_object(request, "linux"), "cpuShares", shares);
    return request;
}
