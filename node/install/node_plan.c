#include "node/install/node_plan.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/control/protocol.h"
#include "core/map/load.h"
#include "core/map/socket.h"
#include "node/deploy/service.h"
#include "node/deploy/unit_file.h"
#include "node/files/node_folder.h"
#include "node/preflight/socket.h"
#include "node/systemd/systemd.h"

/* Milliseconds to find out whether a program listens. */
#define LISTENS_TIMEOUT 2000

#define REFUSE(...) error_set(error, STATUS_FAILED_PRECONDITION, __VA_ARGS__)

/* ---- the map as it is ---- */

const char *node_plan_control(struct arena *arena)
{
    struct runtime_map_problems problems = {0};
    struct runtime_map *map = runtime_map_load(RUNTIME_MAP_DEFAULT_PATH, &problems);
    struct bytes state = bytes_of_string(runtime_map_state(map, &problems));
    struct bytes path = arena_join(arena, (struct bytes[]){state, bytes_of_string("/" CONTROL_SOCKET_NAME)}, 2);
    runtime_map_problems_clear(&problems);
    runtime_map_free(map);
    return path.data ? arena_string(arena, path) : NULL;
}

/* What the primary has now, for a kubelet that calls crigate already. NULL: that is a different runtime. */
static const char *image_endpoint_now(const char *direct, struct arena *arena)
{
    struct runtime_map *map = runtime_map_load_good(RUNTIME_MAP_DEFAULT_PATH);
    const struct runtime_entry *primary = map ? &map->runtimes[map->primary] : NULL;
    const char *image =
        primary && same_socket(primary->endpoint, direct) ? docker_endpoint_to_ask(primary->image_endpoint) : NULL;
    const char *endpoint = image ? arena_string(arena, bytes_of_string(image)) : NULL;
    runtime_map_free(map);
    return endpoint;
}

/* ---- runtimes ---- */

static const char *with_scheme(const char *endpoint, struct arena *arena)
{
    const char *path = socket_path(endpoint);
    return path ? socket_endpoint(path, arena) : NULL;
}

/* Where the primary has its images; NULL: with the rest. */
static const char *image_endpoint(const struct node_plan *plan, struct arena *arena)
{
    const struct survey *survey = &plan->survey;
    const char *set = socket_path(survey->kubelet.image_endpoint.value);
    bool ours = set ? node_path_is_same(set, socket_path(plan->endpoint)) : survey->calls_crigate;
    const char *image = ours ? image_endpoint_now(plan->direct, arena) : set ? with_scheme(set, arena) : NULL;
    return image && !same_socket(image, plan->direct) && !same_socket(image, plan->compared) ? image : NULL;
}

/* The primary, and those that the operator named besides. */
static void want_runtimes(struct arena *arena, struct node_plan *plan)
{
    const struct survey *survey = &plan->survey;
    plan->runtimes[0] = (struct wanted_runtime){survey->docker.built_in ? DOCKER_SHIM_RUNTIME : survey->present->name,
                                                plan->direct, image_endpoint(plan, arena)};
    plan->map = (struct wanted_map){
        .listen = plan->endpoint, .callers = survey->plan.needs_callers, .runtimes = plan->runtimes, .runtime_count = 1};
    for (size_t i = 0; i < survey->runtimes.count && plan->map.runtime_count < RUNTIMES_FOUND_MOST; i++) {
        const struct runtime_found *found = &survey->runtimes.items[i];
        if (found->named && found != survey->present) {
            plan->runtimes[plan->map.runtime_count++] =
                (struct wanted_runtime){found->name, with_scheme(found->endpoint, arena), NULL};
        }
    }
}

/* Whether there is a runtime that crigate can serve this kubelet with. */
static bool check_runtime(const struct survey *survey, enum dialect *dialect, struct error *error)
{
    const struct runtime_found *runtime = survey->present;
    const struct kubelet_version *version = &survey->kubelet.version;
    struct kubelet_dialects known;
    if (!runtime) {
        return REFUSE(survey->endpoint ? "there is no runtime at the kubelet's endpoint %s"
                                       : "the kubelet has no runtime endpoint%s",
                      survey->endpoint ? survey->endpoint : "");
    }
    if (!runtime->answers) {
        bool named = strncmp(runtime->name, "runtime", strlen("runtime")) != 0; /* what one is called of which nothing is known */
        return REFUSE("the kubelet's runtime%s%s at %s does not answer%s%s", named ? " " : "", named ? runtime->name : "",
                      runtime->endpoint, runtime->why_not ? ": " : "", runtime->why_not ? runtime->why_not : "");
    }
    if (version->major > 0 && !kubelet_dialects_of(version, &known)) {
        return REFUSE("crigate does not know the version of CRI that kubelet %s speaks; see docs/upgrade-window.md",
                      version->text);
    }
    return runtime_found_dialect(runtime, dialect) ||
           REFUSE("the kubelet's runtime at %s speaks no version of CRI that crigate knows", runtime->endpoint);
}

/* ---- the kubelet ---- */

static bool check_kubelet(const struct survey *survey, struct error *error)
{
    if (!survey->has_kubelet || !survey->has_plan) {
        *error = survey->has_kubelet ? survey->why_no_plan : survey->why_no_kubelet;
        return false;
    }
    if (survey->plan.impossible) {
        return REFUSE("%s", survey->plan.impossible);
    }
    if (survey->systemd_obstacle) {
        return REFUSE("%s", survey->systemd_obstacle);
    }
    if (!survey->kubelet.unit.loaded && survey->plan.file_count > 0) {
        return REFUSE("the kubelet, process %d, is not a systemd service: crigate install could not restart it",
                      (int)survey->kubelet.pid);
    }
    for (size_t i = 0; i < survey->plan.file_count; i++) {
        if (!node_file_check_owner(survey->plan.files[i].before.path, error)) {
            return false;
        }
    }
    return survey->listen || error_out_of_memory(error);
}

/* ---- crigate's own ---- */

/* Another program at the socket: crigate would not start. */
static bool check_socket(const char *endpoint, bool ours, struct error *error)
{
    struct stat status;
    const char *path = socket_path(endpoint);
    if (ours || lstat(path, &status) != 0) {
        return true;
    }
    if (!S_ISSOCK(status.st_mode)) {
        return REFUSE("%s is not a socket, but crigate must listen there: remove it", path);
    }
    return !socket_listens(path, LISTENS_TIMEOUT, NULL) ||
           REFUSE("another program already listens at %s, and it is not " SERVICE_UNIT ": stop it first", path);
}

static bool plan_unit(struct arena *arena, struct node_plan *plan, struct error *error)
{
    struct systemd_unit service, socket;
    if (!systemd_show(SERVICE_UNIT, arena, &service, error) || !systemd_show(SERVICE_SOCKET, arena, &socket, error)) {
        return false;
    }
    if (service.loaded && systemd_state_is(service.enabled, "masked")) {
        return REFUSE(SERVICE_UNIT " is masked: systemctl unmask " SERVICE_UNIT);
    }
    plan->writes_unit = !service.loaded;
    bool ours =
        (service.loaded && !systemd_state_is(service.active, "inactive") && !systemd_state_is(service.active, "failed")) ||
        (socket.loaded && systemd_state_is(socket.active, "active"));
    return check_socket(plan->endpoint, ours, error) && (!plan->writes_unit || unit_file_plan(arena, &plan->unit, error));
}

/* What replaces a built-in Docker. */
static bool plan_docker_unit(struct arena *arena, struct node_plan *plan, struct error *error)
{
    struct systemd_unit unit;
    if (!plan->survey.docker.built_in) {
        return true;
    }
    if (!systemd_show(DOCKER_SHIM_UNIT, arena, &unit, error)) {
        return false;
    }
    if (unit.loaded && systemd_state_is(unit.enabled, "masked")) {
        return REFUSE(DOCKER_SHIM_UNIT " is masked: systemctl unmask " DOCKER_SHIM_UNIT);
    }
    plan->writes_docker_unit = !unit.loaded;
    return unit.loaded || unit_file_plan_docker(arena, &plan->docker_unit, error);
}

/* ---- all ---- */

bool node_plan_make(struct node_plan *plan, bool replace_map, bool creates_crictl, struct arena *arena, struct error *error)
{
    const struct survey *survey = &plan->survey;
    if (!check_kubelet(survey, error) || !check_runtime(survey, &plan->dialect, error)) {
        return false;
    }
    plan->endpoint = survey->listen;
    plan->compared = with_scheme(survey->present->endpoint, arena);
    plan->direct = survey->docker.built_in ? DOCKER_SHIM_ENDPOINT : plan->compared;
    if (!plan->compared) {
        return REFUSE("the kubelet's runtime endpoint \"%s\" is not a Unix socket", survey->present->endpoint);
    }
    want_runtimes(arena, plan);
    return map_file_plan(&plan->map, replace_map, arena, &plan->map_plan, error) && plan_unit(arena, plan, error) &&
           plan_docker_unit(arena, plan, error) &&
           crictl_plan(&plan->crictl, plan->endpoint, plan->compared, plan->runtimes[0].image_endpoint, creates_crictl, arena,
                       error);
}

static void print_file(const struct planned_file *file)
{
    text_diff_print(file->before.path, file->before.present ? file->before.text : bytes_of(NULL, 0), file->after, stdout);
}

void node_plan_print_files(const struct node_plan *plan)
{
    if (plan->map_plan.decision != MAP_FITS) {
        print_file(&plan->map_plan.file);
    }
    if (plan->writes_unit) {
        print_file(&plan->unit);
    }
    if (plan->writes_docker_unit) {
        print_file(&plan->docker_unit);
    }
    if (plan->survey.docker.built_in) {
        print_file(&plan->survey.docker.environment);
    }
    for (size_t i = 0; i < plan->survey.plan.file_count; i++) {
        print_file(&plan->survey.plan.files[i]);
    }
    if (plan->crictl.writes) {
        print_file(&plan->crictl.file);
    }
}
