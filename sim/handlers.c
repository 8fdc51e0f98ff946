#include "sim/handlers.h"

#include <string.h>

static const struct handler handlers[] = {
    {.method = "Version", .handle = version, .cacheable = true},
    {.method = "Status", .handle = status, .cacheable = true},
    {.method = "RuntimeConfig", .handle = runtime_config, .cacheable = true},
    {.method = "UpdateRuntimeConfig", .handle = update_runtime_config},
    {.method = "GetContainerEvents", .handle = get_container_events, .subscribes = true},

    {.method = "RunPodSandbox", .handle = run_pod_sandbox},
    {.method = "StopPodSandbox", .handle = stop_pod_sandbox},
    {.method = "RemovePodSandbox", .handle = remove_pod_sandbox},
    {.method = "PodSandboxStatus", .handle = pod_sandbox_status, .cacheable = true},
    {.method = "ListPodSandbox", .handle = list_pod_sandbox, .cacheable = true},
    {.method = "StreamPodSandboxes", .handle = list_pod_sandbox, .list_field = "items", .stream_field = "podSandboxes"},
    {.method = "UpdatePodSandboxResources", .handle = update_pod_sandbox_resources},
    {.method = "CheckpointPod", .handle = checkpoint_pod},
    {.method = "RestorePod", .handle = restore_pod},

    {.method = "CreateContainer", .handle = create_container},
    {.method = "StartContainer", .handle = start_container},
    {.method = "StopContainer", .handle = stop_container},
    {.method = "RemoveContainer", .handle = remove_container},
    {.method = "ContainerStatus", .handle = container_status, .cacheable = true},
    {.method = "ListContainers", .handle = list_containers, .cacheable = true},
    {.method = "StreamContainers", .handle = list_containers, .list_field = "containers", .stream_field = "containers"},
    {.method = "UpdateContainerResources", .handle = update_container_resources},
    {.method = "ReopenContainerLog", .handle = reopen_container_log},
    {.method = "CheckpointContainer", .handle = checkpoint_container},

    {.method = "ExecSync", .handle = exec_sync},
    {.method = "Exec", .handle = exec},
    {.method = "Attach", .handle = attach},
    {.method = "PortForward", .handle = port_forward},

    {.method = "ListImages", .handle = list_images, .cacheable = true},
    {.method = "StreamImages", .handle = list_images, .list_field = "images", .stream_field = "images"},
    {.method = "ImageStatus", .handle = image_status, .cacheable = true},
    {.method = "PullImage", .handle = pull_image},
    {.method = "RemoveImage", .handle = remove_image},
    {.method = "ImageFsInfo", .handle = image_fs_info},

    {.method = "ContainerStats", .handle = container_stats},
    {.method = "ListContainerStats", .handle = list_container_stats},
    {.method = "StreamContainerStats", .handle = list_container_stats, .list_field = "stats", .stream_field = "containerStats"},
    {.method = "PodSandboxStats", .handle = pod_sandbox_stats},
    {.method = "ListPodSandboxStats", .handle = list_pod_sandbox_stats},
    {.method = "StreamPodSandboxStats",
     .handle = list_pod_sandbox_stats,
     .list_field = "stats",
     .stream_field = "podSandboxStats"},
    {.method = "ListMetricDescriptors", .handle = list_metric_descriptors},
    {.method = "ListPodSandboxMetrics", .handle = list_pod_sandbox_metrics},
    {.method = "StreamPodSandboxMetrics",
     .handle = list_pod_sandbox_metrics,
     .list_field = "podMetrics",
     .stream_field = "podSandboxMetrics"},
};

const struct handler *handler_of_method(const char *method)
{
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++) {
        if (strcmp(handlers[i].method, method) == 0) {
            return &handlers[i];
        }
    }
    return NULL;
}
