#include "node/preflight/survey.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "core/map/load.h"
#include "core/map/shim.h"
#include "core/map/socket.h"
#include "node/kubelet/layout.h"
#include "node/preflight/runtime_info.h"
#include "node/preflight/socket.h"
#include "node/systemd/join.h"
#include "node/systemd/systemd.h"

#define DEFAULT_LISTEN "/run/crigate/crigate.sock"
#define CONTAINERD "unix:///run/containerd/containerd.sock"
#define DOCKERSHIM "unix:///var/run/dockershim.sock"
#define CRIO "unix:///run/crio/crio.sock"

/* Of Kubernetes 1. */
enum { FIRST_WITH_DEFAULT = 27 };

const char *survey_default_endpoint(const struct kubelet *kubelet)
{
    if (layout_own_endpoint(kubelet)) {
        return layout_own_endpoint(kubelet);
    }
    if (!kubelet_is_since(kubelet, 1, 0)) {
        return NULL;
    }
    if (!kubelet_is_since(kubelet, 1, KUBELET_FIRST_WITHOUT_DOCKER)) {
        return DOCKERSHIM;
    }
    return kubelet_is_since(kubelet, 1, FIRST_WITH_DEFAULT) ? CONTAINERD : NULL;
}

static unsigned read_cgroup_version(void)
{
    struct statfs filesystem;
    if (statfs("/sys/fs/cgroup", &filesystem) != 0) {
        return 0;
    }
    return filesystem.f_type == CGROUP2_SUPER_MAGIC ? 2 : filesystem.f_type == TMPFS_MAGIC ? 1 : 0;
}

/* What matters here of the runtime map, if there is a good one. */
struct present_map {
    const char *listen;  /* a path */
    const char *primary; /* an endpoint; NULL: no map */
};

static struct present_map read_map(struct arena *arena)
{
    struct present_map present = {.listen = DEFAULT_LISTEN};
    struct runtime_map *map = runtime_map_load_good(RUNTIME_MAP_DEFAULT_PATH);
    if (map) {
        const char *listen = arena_string(arena, bytes_of_string(map->listen.path));
        present.listen = listen ? listen : present.listen;
        const char *primary = docker_endpoint_to_ask(map->runtimes[map->primary].endpoint);
        present.primary = arena_string(arena, bytes_of_string(primary));
    }
    runtime_map_free(map);
    return present;
}

/* What becomes of the Docker that is built into the kubelet belongs to the plan. */
static bool plan_docker(struct arena *arena, struct survey *survey)
{
    const struct docker_node *docker = &survey->docker;
    struct plan *plan = &survey->plan;
    if (!docker_node_plan(&survey->kubelet, &docker_node_paths, arena, &survey->docker, &survey->why_no_plan)) {
        return false;
    }
    if (docker->impossible && !plan->impossible) {
        *plan = (struct plan){.impossible = docker->impossible, .needs_callers = plan->needs_callers};
    }
    for (size_t i = 0; i < docker->by_hand_count && plan->by_hand_count < PLAN_MOST_LINES; i++) {
        plan->by_hand[plan->by_hand_count++] = docker->by_hand[i];
    }
    for (size_t i = 0; i < docker->warning_count && plan->warning_count < PLAN_MOST_LINES; i++) {
        plan->warnings[plan->warning_count++] = docker->warnings[i];
    }
    return true;
}

/* With the Docker that is built into it, a kubelet reads logs of other drivers by Docker's API; else only files of this one. */
static void ask_engine(struct arena *arena, struct survey *survey)
{
    const char *path = socket_path(docker_node_engine(&survey->kubelet, arena));
    struct plan *plan = &survey->plan;
    if (!survey->docker.built_in || plan->impossible || !path) {
        return;
    }
    const char *driver = runtime_http_log_driver(socket_http_get(path, "/info", RUNTIMES_FIND_TIMEOUT, arena), arena);
    if (driver[0] && strcmp(driver, "json-file") != 0 && plan->warning_count < PLAN_MOST_LINES) {
        const char *line = join_strings(arena, "Docker's log driver is ", driver,
                                        ": kubectl logs will show nothing, since kubelets read "
                                        "logs of json-file only, where Docker is not built in",
                                        (char *)NULL);
        plan->warnings[plan->warning_count++] = line ? line : "Docker's log driver is not json-file";
    }
}

static void find_kubelet(const struct survey_options *options, struct arena *arena, struct survey *survey)
{
    struct kubelet *kubelet = &survey->kubelet;
    survey->search = (struct kubelet_search){.pid = options->kubelet};
    survey->has_kubelet = kubelet_find(&survey->search, arena, kubelet, &survey->why_no_kubelet);
    if (survey->has_kubelet) {
        survey->default_endpoint = kubelet->runtime_endpoint.value[0] == '\0';
        survey->endpoint = survey->default_endpoint ? survey_default_endpoint(kubelet) : kubelet->runtime_endpoint.value;
        survey->listen = plan_listen_endpoint(kubelet, arena);
        survey->has_plan = survey->listen && plan_make(kubelet, survey->listen, arena, &survey->plan, &survey->why_no_plan) &&
                           plan_docker(arena, survey);
        ask_engine(arena, survey);
    }
}

const char *survey_behind_crigate(const char *called, const char *listen, const char *primary, const char *own)
{
    if (!socket_is_same(called, listen) && strcmp(called, socket_path(PLAN_LISTEN_LIKE_CRIO)) == 0) {
        return CRIO;
    }
    const char *path = primary ? socket_path(primary) : NULL;
    return own && (!path || access(path, F_OK) != 0) ? own : primary;
}

/* The path of crigate's socket that the kubelet calls: that of the map, or, where people led the kubelet to crigate before there
   was a map for this node, the one that install has named to them. NULL: it calls neither. */
static const char *find_crigate(const struct present_map *map, const struct survey *survey)
{
    const char *called = survey->endpoint ? socket_path(survey->endpoint) : NULL;
    const char *listen = survey->listen ? socket_path(survey->listen) : NULL;
    return socket_is_same(called, map->listen) ? map->listen : socket_is_same(called, listen) ? listen : NULL;
}

/* The runtime that the kubelet calls: directly, or through crigate. */
static void find_present(const struct present_map *map, struct arena *arena, struct survey *survey)
{
    const char *endpoint = survey->endpoint, *crigate = find_crigate(map, survey);
    struct error ignored;
    struct stat file;
    survey->calls_crigate = crigate != NULL;
    survey->bypassed = crigate && lstat(crigate, &file) == 0 && S_ISLNK(file.st_mode);
    if (crigate) {
        endpoint = survey_behind_crigate(crigate, map->listen, map->primary, layout_own_endpoint(&survey->kubelet));
    }
    if (endpoint && runtimes_add(&survey->runtimes, endpoint, arena, &ignored)) {
        survey->present = runtimes_at(&survey->runtimes, endpoint);
    }
}

static void find_images(const struct present_map *map, struct arena *arena, struct survey *survey)
{
    const char *set = survey->has_kubelet ? survey->kubelet.image_endpoint.value : "";
    const char *path = socket_path(set);
    struct pair pair;
    if (!path || !survey->present || socket_is_same(path, socket_path(survey->present->endpoint)) ||
        socket_is_same(path, map->listen) || (survey->listen && socket_is_same(path, socket_path(survey->listen)))) {
        return;
    }
    survey->has_images = true;
    image_service_ask(set, RUNTIMES_FIND_TIMEOUT, arena, &survey->images);
    survey->images_direct = !survey->images.answers || !pair_of(&survey->kubelet.version, &survey->images, &pair) || pair.direct;
}

/* A systemd that cannot be asked is not an obstacle here: install reports it. */
static const char *find_systemd_obstacle(struct arena *arena)
{
    struct systemd_unit service;
    struct error ignored;
    return systemd_is_running() && systemd_show("crigate.service", arena, &service, &ignored)
               ? systemd_obstacle(systemd_release(arena), &service, arena)
               : NULL;
}

bool survey_take(const struct survey_options *options, struct arena *arena, struct survey *survey, struct error *error)
{
    *survey = (struct survey){
        .root = geteuid() == 0, .systemd_obstacle = find_systemd_obstacle(arena), .cgroup_version = read_cgroup_version()};
    struct present_map map = read_map(arena);
    if (!runtimes_find(options->named, options->named_count, map.listen, arena, &survey->runtimes, error)) {
        return false;
    }
    find_kubelet(options, arena, survey);
    find_present(&map, arena, survey);
    survey->has_pair =
        survey->has_kubelet && survey->present && pair_of(&survey->kubelet.version, survey->present, &survey->pair);
    find_images(&map, arena, survey);
    if (survey->has_pair && survey->docker.built_in) {
        pair_replace_runtime(&survey->pair, DIALECT_V1, DOCKER_SHIM_RUNTIME);
    }
    return true;
}
