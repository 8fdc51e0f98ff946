/* What the kubelet-like client sends, as JSON. */
#pragma once

#include <json-c/json.h>

#define UID_LABEL "io.kubernetes.pod.uid"

/* How uids of pods begin that want no hooks. */
#define UNHOOKED_POD "unhooked"

/* {key: id} */
struct json_object *request_with_id(const char *key, const char *id);

struct json_object *request_pod_config(const char *uid, const char *runtime);

/* Of a container of that pod. */
struct json_object *request_container_config(const char *uid, unsigned attempt, const char *image);

/* UpdateContainerResources */
struct json_object *request_update(const char *container, unsigned shares);
