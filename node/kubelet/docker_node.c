#include "node/kubelet/docker_node.h"

#include <string.h>
#include <unistd.h>

#include "node/kubelet/checkpoints.h"
#include "node/kubelet/config.h"
#include "node/kubelet/environment.h"
#include "node/systemd/join.h"

#define DEFAULT_ENGINE "unix:///var/run/docker.sock"
#define FILE_MODE 0644

/* Of its packages, and of a build by hand. */
static const char *const programs[] = {"/usr/bin/cri-dockerd", "/usr/local/bin/cri-dockerd"};

const struct docker_node_paths docker_node_paths = {.programs = programs,
                                                    .program_count = sizeof programs / sizeof programs[0],
                                                    .environment = DOCKER_SHIM_ENVIRONMENT,
                                                    .checkpoints = "/var/lib/dockershim/sandbox"};

struct planning {
    const struct kubelet *kubelet;
    const struct docker_node_paths *paths;
    struct kubelet_flags flags;
    struct arena *arena;
    struct docker_node *node;
    struct error *error;
};

bool docker_node_is_built_in(const struct kubelet *kubelet)
{
    const char *kind = kubelet->container_runtime.value;
    return kubelet->layout != KUBELET_K3S && kubelet->layout != KUBELET_RKE2 && kubelet_is_since(kubelet, 1, 0) &&
           !kubelet_is_since(kubelet, 1, KUBELET_FIRST_WITHOUT_DOCKER) && (kind[0] == '\0' || strcmp(kind, "docker") == 0);
}

static bool read_flags(const struct kubelet *kubelet, struct arena *arena, struct kubelet_flags *flags, struct error *error)
{
    return kubelet_flags_read(kubelet->arguments, kubelet->argument_count, 0, arena, flags, error);
}

const char *docker_node_engine(const struct kubelet *kubelet, struct arena *arena)
{
    struct kubelet_flags flags;
    const struct kubelet_flag *flag =
        read_flags(kubelet, arena, &flags, NULL) ? kubelet_flags_last(&flags, "docker-endpoint") : NULL;
    return flag && flag->value[0] ? flag->value : DEFAULT_ENGINE;
}

static void warn(const struct planning *planning, const char *line)
{
    struct docker_node *node = planning->node;
    if (line && node->warning_count < DOCKER_NODE_MOST_LINES) {
        node->warnings[node->warning_count++] = line;
    }
}

static void by_hand(const struct planning *planning, const char *line)
{
    struct docker_node *node = planning->node;
    if (node->by_hand_count < DOCKER_NODE_MOST_LINES) {
        node->by_hand[node->by_hand_count++] = line;
    }
}

/* NULL with an error: there is none that only root can have written. */
static const char *find_program(const struct planning *planning)
{
    for (size_t i = 0; i < planning->paths->program_count; i++) {
        const char *program = planning->paths->programs[i];
        if (access(program, X_OK) == 0) {
            return node_file_check_owner(program, planning->error) ? program : NULL;
        }
    }
    error_set(planning->error, STATUS_FAILED_PRECONDITION,
              "the kubelet has Docker built in, which stops when the kubelet calls crigate, and there is no " DOCKER_SHIM_NAME
              " at %s that could replace it",
              planning->paths->programs[0]);
    return NULL;
}

static bool plan_environment(const struct planning *planning, const char *program)
{
    const struct kubelet *kubelet = planning->kubelet;
    struct planned_file *file = &planning->node->environment;
    struct kubelet_setting hairpin = {.value = ""};
    const struct config_files config = {.file = kubelet->config_file, .folder = kubelet->config_folder, .suffix = ".conf"};
    *file = (struct planned_file){.mode = FILE_MODE, .why = "the options of the kubelet's built-in dockershim"};
    return config_find(&config, "hairpinMode", planning->arena, &hairpin, planning->error) &&
           docker_environment_text(program, &planning->flags, hairpin.value, planning->arena, &file->after, planning->error) &&
           node_file_check_owner(planning->paths->environment, planning->error) &&
           node_file_read(planning->paths->environment, planning->arena, &file->before, planning->error);
}

/* What a kubelet does differently when its runtime is not built in (Kubernetes 1.18, 1.22). */
static void warn_of_changes(const struct planning *planning)
{
    warn(planning, "the kubelet will take statistics of containers from CRI, and no longer from cAdvisor");
    warn(planning,
         "the kubelet will try to rotate logs of containers, which Docker does not support: let Docker do it, with max-size "
         "under log-opts in /etc/docker/daemon.json");
    if (!kubelet_flags_last(&planning->flags, "pod-infra-container-image")) {
        warn(planning,
             "the kubelet has no --pod-infra-container-image: new pods get cri-dockerd's own pause image, which must be "
             "on the node or come from its registry");
    }
    const struct kubelet_flag *plugin = kubelet_flags_last(&planning->flags, "network-plugin");
    const struct kubelet_flag *root = kubelet_flags_last(&planning->flags, "experimental-dockershim-root-directory");
    const char *folder =
        root ? join_strings(planning->arena, root->value, "/sandbox", (char *)NULL) : planning->paths->checkpoints;
    const char *names = folder ? checkpoints_with_ports(folder, planning->arena) : NULL;
    if (plugin && strcmp(plugin->value, "cni") == 0 && names && names[0]) {
        warn(planning, join_strings(planning->arena, "these pods have host ports: ", names,
                                    ". They keep running, but once such a pod is deleted, CNI's rules for its ports stay until "
                                    "the node reboots: cri-dockerd does not know about them",
                                    (char *)NULL));
    }
}

static bool give_up(const struct planning *planning)
{
    struct docker_node *node = planning->node;
    bool refused = planning->error->code == STATUS_FAILED_PRECONDITION || planning->error->code == STATUS_PERMISSION_DENIED;
    if (!refused) {
        return false;
    }
    node->impossible = arena_string(planning->arena, bytes_of_string(planning->error->message));
    *planning->error = (struct error){.code = STATUS_OK};
    by_hand(planning, "install the package cri-dockerd. Its own units are not needed: systemctl disable --now cri-docker.socket "
                      "cri-docker.service");
    by_hand(planning, "then crigate install starts a cri-dockerd with this kubelet's options, and points the kubelet at crigate. "
                      "Running pods are not affected");
    return node->impossible || error_out_of_memory(planning->error);
}

bool docker_node_plan(const struct kubelet *kubelet, const struct docker_node_paths *paths, struct arena *arena,
                      struct docker_node *node, struct error *error)
{
    struct planning planning = {.kubelet = kubelet, .paths = paths, .arena = arena, .node = node, .error = error};
    *node = (struct docker_node){.built_in = docker_node_is_built_in(kubelet)};
    if (!node->built_in) {
        return true;
    }
    if (!read_flags(kubelet, arena, &planning.flags, error)) {
        return false;
    }
    const char *program = find_program(&planning);
    if (!program || !plan_environment(&planning, program)) {
        return give_up(&planning);
    }
    warn_of_changes(&planning);
    return true;
}
