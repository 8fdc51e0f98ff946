#include "node/kubelet/plan.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/system/unix_socket.h"
#include "node/files/node_folder.h"
#include "node/files/yaml_edit.h"
#include "node/kubelet/layout.h"
#include "node/kubelet/writers.h"
#include "node/systemd/edit_flag.h"
#include "node/systemd/join.h"

#define ENDPOINT_FLAG "container-runtime-endpoint"
#define IMAGE_FLAG "image-service-endpoint"
#define RUNTIME_FLAG "container-runtime"
#define ENDPOINT_KEY "containerRuntimeEndpoint"
#define IMAGE_KEY "imageServiceEndpoint"
#define KUBEADM_INSTANCE "/var/lib/kubelet/instance-config.yaml"
#define CRIO_SOCKET "/var/run/crio/crio.sock"
#define NEW_FILE_MODE 0644

struct planning {
    const struct kubelet *kubelet;
    const char *endpoint;
    struct arena *arena;
    struct plan *plan;
    struct error *error;
    struct flag_editor flags; /* without a unit that has files, `unit` is NULL */
};

/* By whatever way through folders. What the file itself leads to does not count: crigate's may be a link to the runtime's, by
   `crigate bypass`. */
static bool is_same_endpoint(const char *a, const char *b)
{
    return node_path_is_same(unix_socket_path(a), unix_socket_path(b));
}

static bool warn(struct planning *planning, const char *line)
{
    struct plan *plan = planning->plan;
    if (line && plan->warning_count < PLAN_MOST_LINES) {
        plan->warnings[plan->warning_count++] = line;
    }
    return line || error_out_of_memory(planning->error);
}

static bool by_hand(struct planning *planning, const char *line)
{
    struct plan *plan = planning->plan;
    if (line && plan->by_hand_count < PLAN_MOST_LINES) {
        plan->by_hand[plan->by_hand_count++] = line;
    }
    return line || error_out_of_memory(planning->error);
}

static bool is_kubeadm_flag(const struct kubelet *kubelet)
{
    const struct kubelet_setting *endpoint = &kubelet->runtime_endpoint;
    return endpoint->source == KUBELET_SOURCE_FLAG && endpoint->place.file && kubelet->kubeadm_flags &&
           strcmp(endpoint->place.file, kubelet->kubeadm_flags) == 0;
}

/* Whether kubeadm keeps the endpoint in instance-config.yaml. One of 1.34 to 1.36 whose node has the flag, and no such file, does
   as older ones do: its feature gate is off, or it was not used since; the next upgrade takes over what the flag says. */
static bool is_kubeadm_with_files(const struct kubelet *kubelet)
{
    bool as_before = !kubelet->kubeadm_instance && is_kubeadm_flag(kubelet) && !kubelet_is_since(kubelet, 1, 37);
    return kubelet->layout == KUBELET_KUBEADM && kubelet->config_file && kubelet_is_since(kubelet, 1, 34) && !as_before;
}

/* ---- configuration files ---- */

/* The file in the plan, read if it is not there yet. NULL with an error. */
static struct planned_file *planned(struct planning *planning, const char *path)
{
    struct plan *plan = planning->plan;
    for (size_t i = 0; i < plan->file_count; i++) {
        if (strcmp(plan->files[i].before.path, path) == 0) {
            return &plan->files[i];
        }
    }
    if (plan->file_count == PLAN_MOST_FILES) {
        error_set(planning->error, STATUS_RESOURCE_EXHAUSTED, "too many files would change");
        return NULL;
    }
    struct planned_file *file = &plan->files[plan->file_count];
    *file = (struct planned_file){.mode = NEW_FILE_MODE};
    if (!path_may_be_edited(path)) {
        error_set(planning->error, STATUS_FAILED_PRECONDITION,
                  "%s belongs to a package or to the running system, which crigate does not edit", path);
        return NULL;
    }
    if (!node_file_read(path, planning->arena, &file->before, planning->error)) {
        return NULL;
    }
    file->after = file->before.text;
    plan->file_count++;
    return file;
}

static bool set_key(struct planning *planning, const char *path, const char *key)
{
    struct yaml_edit_value now;
    struct planned_file *file = planned(planning, path);
    if (file && yaml_edit_find(path, file->after, key, planning->arena, &now, NULL) == YAML_EDIT_SCALAR &&
        is_same_endpoint(now.value, planning->endpoint)) {
        return true;
    }
    if (!file || !yaml_edit_set(path, file->after, key, planning->endpoint, planning->arena, &file->after, planning->error)) {
        return false;
    }
    const char *other = file->why;
    file->why = join_strings(planning->arena, other ? other : "", other ? ", " : "", "set ", key, (char *)NULL);
    return file->why || error_out_of_memory(planning->error);
}

/* ---- one setting ---- */

static bool set_flag(struct planning *planning, const char *flag, const char *value)
{
    if (!planning->flags.unit) {
        return error_set(planning->error, STATUS_FAILED_PRECONDITION,
                         "--%s is on the command line of a kubelet that no systemd unit starts", flag);
    }
    return flag_editor_set(&planning->flags, flag, value);
}

static bool add_flag(struct planning *planning, const char *flag, const char *value)
{
    if (!planning->flags.unit) {
        return error_set(planning->error, STATUS_FAILED_PRECONDITION,
                         "--%s must be on the command line of a kubelet that no systemd unit starts", flag);
    }
    return flag_editor_add(&planning->flags, flag, value);
}

/* Changes a setting where it is; one that is in no file is added in the best place for this release. */
static bool set_setting(struct planning *planning, const struct kubelet_setting *setting, const char *flag, const char *key)
{
    switch (setting->source) {
    case KUBELET_SOURCE_FLAG:
        if (planning->flags.unit && !setting->place.file) {
            return error_set(
                planning->error, STATUS_FAILED_PRECONDITION,
                "the kubelet runs with --%s=%s, but the files of its unit do not say so: restart it, or look at what "
                "starts it",
                flag, setting->value);
        }
        return set_flag(planning, flag, planning->endpoint);
    case KUBELET_SOURCE_CONFIG:
    case KUBELET_SOURCE_DROP_IN:
        return set_key(planning, setting->place.file, key);
    case KUBELET_SOURCE_LIST:
        return error_set(planning->error, STATUS_FAILED_PRECONDITION,
                         "%s:%u: %s is among the kubelet's arguments, which crigate does not edit", setting->place.file,
                         setting->place.line, flag);
    case KUBELET_SOURCE_DEFAULT:
        break;
    }
    if (kubelet_is_since(planning->kubelet, 1, 27) && planning->kubelet->config_file) {
        return set_key(planning, planning->kubelet->config_file, key);
    }
    return add_flag(planning, flag, planning->endpoint);
}

/* kubeadm from 1.34 on takes the flag out of its file, and wants the endpoint in two others. */
static bool plan_kubeadm_files(struct planning *planning)
{
    const struct kubelet *kubelet = planning->kubelet;
    const struct kubelet_setting *endpoint = &kubelet->runtime_endpoint;
    if (is_kubeadm_flag(kubelet)) {
        if (!flag_editor_remove(&planning->flags, ENDPOINT_FLAG)) {
            return false;
        }
    } else if ((endpoint->source == KUBELET_SOURCE_FLAG || endpoint->source == KUBELET_SOURCE_DROP_IN) &&
               !is_same_endpoint(endpoint->value, planning->endpoint) &&
               !set_setting(planning, endpoint, ENDPOINT_FLAG, ENDPOINT_KEY)) {
        return false;
    }
    return set_key(planning, kubelet->config_file, ENDPOINT_KEY) &&
           set_key(planning, kubelet->kubeadm_instance ? kubelet->kubeadm_instance : KUBEADM_INSTANCE, ENDPOINT_KEY);
}

static bool plan_runtime_endpoint(struct planning *planning)
{
    const struct kubelet *kubelet = planning->kubelet;
    const char *key = layout_is_outer(kubelet->layout) ? ENDPOINT_FLAG : ENDPOINT_KEY;
    if (is_kubeadm_with_files(kubelet)) {
        return plan_kubeadm_files(planning);
    }
    return is_same_endpoint(kubelet->runtime_endpoint.value, planning->endpoint) ||
           set_setting(planning, &kubelet->runtime_endpoint, ENDPOINT_FLAG, key);
}

/* What the next upgrade by kubeadm patches into the configuration file. */
static bool plan_kubeadm_images(struct planning *planning)
{
    const struct kubelet *kubelet = planning->kubelet;
    const char *path = kubelet->kubeadm_instance ? kubelet->kubeadm_instance : KUBEADM_INSTANCE;
    struct yaml_edit_value now = {.value = NULL};
    struct planned_file *file = planned(planning, path);
    if (!file || yaml_edit_find(path, file->after, IMAGE_KEY, planning->arena, &now, planning->error) == YAML_EDIT_INVALID) {
        return false;
    }
    bool wanted = kubelet->image_endpoint.source == KUBELET_SOURCE_CONFIG || (now.value && now.value[0]);
    return !wanted || set_key(planning, path, IMAGE_KEY);
}

/* A socket of its own goes into the runtime map. */
static bool plan_image_endpoint(struct planning *planning)
{
    const struct kubelet *kubelet = planning->kubelet;
    const char *image = kubelet->image_endpoint.value;
    const char *key = layout_is_outer(kubelet->layout) ? IMAGE_FLAG : IMAGE_KEY;
    return (image[0] == '\0' || is_same_endpoint(image, planning->endpoint) ||
            set_setting(planning, &kubelet->image_endpoint, IMAGE_FLAG, key)) &&
           (!is_kubeadm_with_files(kubelet) || plan_kubeadm_images(planning));
}

/* --container-runtime: needed up to 1.23, without meaning to 1.26, and the kubelet's end from 1.27 on. */
static bool plan_container_runtime(struct planning *planning)
{
    const struct kubelet *kubelet = planning->kubelet;
    const struct kubelet_setting *setting = &kubelet->container_runtime;
    bool set = setting->source == KUBELET_SOURCE_FLAG;
    if (layout_is_outer(kubelet->layout)) {
        return true;
    }
    if (kubelet_is_since(kubelet, 1, KUBELET_FIRST_WITHOUT_DOCKER)) {
        return !kubelet_is_since(kubelet, 1, 27) || !set || !planning->flags.unit ||
               flag_editor_remove(&planning->flags, RUNTIME_FLAG);
    }
    if (strcmp(setting->value, "remote") == 0) {
        return true;
    }
    return set ? set_flag(planning, RUNTIME_FLAG, "remote") : add_flag(planning, RUNTIME_FLAG, "remote");
}

/* ---- what goes with it ---- */

/* Whether it can be a Node's name, and needs no quotes in a command line. */
static bool is_node_name(const char *name)
{
    return name[0] != '\0' && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-")] == '\0';
}

/* The name of the Node: as the kubelet makes it, without a cloud provider. */
static const char *node_name(const struct planning *planning)
{
    const struct kubelet *kubelet = planning->kubelet;
    struct kubelet_flags flags;
    char host[256] = "";
    if (kubelet_flags_read(kubelet->arguments, kubelet->argument_count, 0, planning->arena, &flags, NULL)) {
        const struct kubelet_flag *flag = kubelet_flags_last(&flags, "hostname-override");
        if (flag && is_node_name(flag->value)) {
            return flag->value;
        }
    }
    gethostname(host, sizeof host - 1);
    for (char *c = host; *c; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    return is_node_name(host) ? arena_string(planning->arena, bytes_of_string(host)) : "NAME";
}

static bool plan_annotation(struct planning *planning)
{
    if (planning->kubelet->layout != KUBELET_KUBEADM || !kubelet_is_since(planning->kubelet, 1, 11) ||
        is_kubeadm_with_files(planning->kubelet)) {
        return true;
    }
    const char *name = node_name(planning);
    return name && by_hand(planning, join_strings(planning->arena, "kubectl annotate node ", name,
                                                  " --overwrite kubeadm.alpha.kubernetes.io/cri-socket=", planning->endpoint,
                                                  (char *)NULL));
}

/* Up to 1.28, cAdvisor's statistics come with one path alone. */
static bool plan_statistics(struct planning *planning)
{
    const char *present = planning->kubelet->runtime_endpoint.value;
    bool exact = strcmp(unix_socket_path(present), CRIO_SOCKET) == 0;
    if (kubelet_is_since(planning->kubelet, 1, 29) || !exact || is_same_endpoint(present, planning->endpoint)) {
        return true;
    }
    return warn(planning, "this kubelet takes statistics from cAdvisor only at " CRIO_SOCKET
                          ": through crigate it takes them from CRI-O's answers");
}

static bool plan_owner(struct planning *planning)
{
    const char *line = layout_warning(planning->kubelet, planning->endpoint, planning->arena);
    return !line || warn(planning, line);
}

/* A node that was set up by hand may have a service that writes its files at each boot. */
static bool plan_writers(struct planning *planning)
{
    const struct plan *plan = planning->plan;
    for (size_t i = 0; i < plan->file_count; i++) {
        const char *path = plan->files[i].before.path;
        const char *writer = writer_of(path, planning->kubelet->unit.name, "", planning->arena);
        if (writer && !warn(planning, join_strings(planning->arena, writer, " names ", path,
                                                   ": if it rewrites this file, for example at each boot, the kubelet "
                                                   "bypasses crigate from then on; change it there, too (systemctl cat ",
                                                   writer, "), and check with crigate verify", (char *)NULL))) {
            return false;
        }
    }
    return true;
}

/* If a drop-in sets a variable again, the package's next version of it has no effect. */
static bool plan_repeated(struct planning *planning)
{
    const char *name = planning->flags.repeated;
    return !name ||
           warn(planning, join_strings(planning->arena, "the drop-in repeats all of the variable ", name, " of ",
                                       planning->kubelet->unit.name,
                                       ": if a later version of its package changes that, the drop-in hides it", (char *)NULL));
}

static bool plan_callers(struct planning *planning)
{
    const struct kubelet_version *version = &planning->kubelet->version;
    if (version->major == 1 && (version->minor == 10 || version->minor == 11)) {
        planning->plan->needs_callers = version->minor == 10 ? "1.10" : "1.11";
    }
    return true;
}

/* Adds the unit's files that were changed, and drops files that stay as they are. */
static bool collect(struct planning *planning)
{
    struct plan *plan = planning->plan;
    const struct unit_command *unit = planning->flags.unit;
    for (size_t i = 0; unit && i < unit->count; i++) {
        if (!planning->flags.why[i]) {
            continue;
        }
        if (plan->file_count == PLAN_MOST_FILES) {
            return error_set(planning->error, STATUS_RESOURCE_EXHAUSTED, "too many files would change");
        }
        plan->files[plan->file_count++] = (struct planned_file){
            .before = unit->read[i], .after = unit->files[i].text, .mode = NEW_FILE_MODE, .why = planning->flags.why[i]};
    }
    size_t kept = 0;
    for (size_t i = 0; i < plan->file_count; i++) {
        if (!plan->files[i].before.present || !bytes_equal(plan->files[i].before.text, plan->files[i].after)) {
            plan->files[kept++] = plan->files[i];
        }
    }
    plan->file_count = kept;
    for (size_t i = 0; i < kept; i++) {
        if (!node_file_check_links(&plan->files[i].before, planning->error)) {
            return false;
        }
    }
    return true;
}

/* An image endpoint that is set would bypass crigate. */
static bool image_by_hand(struct planning *planning)
{
    const struct kubelet *kubelet = planning->kubelet;
    const char *image = kubelet->image_endpoint.value;
    const char *runtime = kubelet->runtime_endpoint.value[0] ? kubelet->runtime_endpoint.value : layout_own_endpoint(kubelet);
    if (image[0] == '\0' || is_same_endpoint(image, planning->endpoint) || layout_writes(kubelet->layout, "/")) {
        return true;
    }
    bool own = !runtime || !is_same_endpoint(image, runtime);
    return by_hand(planning, join_strings(planning->arena, "in the same way, set image-service-endpoint, which is now ", image,
                                          ", to ", planning->endpoint,
                                          own ? "; and in /etc/crigate/crigate.yaml, give the primary image_endpoint: " : "",
                                          own ? image : "", (char *)NULL));
}

/* Leaves only the reason and what to do by hand. */
static bool give_up(struct planning *planning, const char *why)
{
    struct plan *plan = planning->plan;
    *plan =
        (struct plan){.impossible = arena_string(planning->arena, bytes_of_string(why)), .needs_callers = plan->needs_callers};
    *planning->error = (struct error){.code = STATUS_OK};
    return (plan->impossible || error_out_of_memory(planning->error)) &&
           by_hand(planning, layout_instruction(planning->kubelet, planning->endpoint, planning->arena)) &&
           image_by_hand(planning);
}

/* A kubelet that was started before its files were changed will have other options than it has now. */
static bool check_drift(struct planning *planning)
{
    static const char *const names[] = {ENDPOINT_FLAG, IMAGE_FLAG, RUNTIME_FLAG, "config", "config-dir"};
    const struct kubelet *kubelet = planning->kubelet;
    const struct unit_command *unit = planning->flags.unit;
    struct kubelet_flags flags;
    const char *restart = kubelet->unit.needs_reload ? "run systemctl daemon-reload and restart it first" : "restart it first";
    if (!unit || kubelet->pid == 0 || layout_is_outer(kubelet->layout)) {
        return true;
    }
    if (!kubelet_flags_read(kubelet->arguments, kubelet->argument_count, 0, planning->arena, &flags, planning->error)) {
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct kubelet_flag *now = kubelet_flags_last(&flags, names[i]), *then = kubelet_flags_last(&unit->flags, names[i]);
        bool differs = now && (!then || strcmp(now->value, then->value) != 0);
        if (differs && unit->command.unclear) {
            return error_set(planning->error, STATUS_FAILED_PRECONDITION,
                             "the kubelet runs with --%s=%s, and it is unclear where that is set: %s", names[i], now->value,
                             unit->command.unclear);
        }
        if (differs) {
            return error_set(
                planning->error, STATUS_FAILED_PRECONDITION,
                "the kubelet runs with --%s=%s, but the files of %s do not say so: %s, or look at what else starts it", names[i],
                now->value, kubelet->unit.name, restart);
        }
        if (then && !now) {
            return error_set(planning->error, STATUS_FAILED_PRECONDITION,
                             "the kubelet runs without --%s, but the files of %s say --%s=%s: %s", names[i], kubelet->unit.name,
                             names[i], then->value, restart);
        }
    }
    return true;
}

/* The endpoint among the options that a program gives to the kubelet that it starts, as k0s does; NULL: it is not there. */
static const char *endpoint_in(const char *options, struct arena *arena)
{
    static const char option[] = "--" ENDPOINT_FLAG "=";
    const char *last = NULL;
    for (const char *at = strstr(options, option); at; at = strstr(last, option)) {
        last = at + strlen(option);
    }
    return last ? arena_string(arena, bytes_of(last, strcspn(last, " \t"))) : NULL;
}

/* Whether the unit's files have crigate's endpoint, for the next start of the kubelet. */
static bool unit_leads_to_crigate(const struct planning *planning)
{
    const char *variable;
    const struct kubelet *kubelet = planning->kubelet;
    const struct unit_command *unit =
        kubelet->unit.loaded && kubelet->unit.fragment[0] ? unit_command_read(&kubelet->unit, planning->arena, NULL) : NULL;
    const char *name = kubelet->layout == KUBELET_K0S ? "kubelet-extra-args" : ENDPOINT_FLAG;
    const struct kubelet_flag *flag = unit ? kubelet_flags_last(&unit->flags, name) : NULL;
    const char *value = !flag ? NULL : kubelet->layout == KUBELET_K0S ? endpoint_in(flag->value, planning->arena) : flag->value;
    return value && is_same_endpoint(value, planning->endpoint) &&
           !layout_writes(kubelet->layout, unit_command_place(unit, flag->value_word, flag->value_at, &variable).file);
}

/* Whether this was done already, in the way of the files' owner. */
static bool is_done_by_hand(const struct planning *planning)
{
    const struct kubelet *kubelet = planning->kubelet;
    const struct kubelet_setting *endpoint = &kubelet->runtime_endpoint;
    const char *image = kubelet->image_endpoint.value;
    bool done = is_same_endpoint(endpoint->value, planning->endpoint) && !layout_writes(kubelet->layout, endpoint->place.file);
    return (done || (!layout_is_outer(kubelet->layout) && unit_leads_to_crigate(planning))) &&
           (image[0] == '\0' || is_same_endpoint(image, planning->endpoint));
}

static bool make(struct planning *planning)
{
    const struct kubelet *kubelet = planning->kubelet;
    const char *obstacle = layout_obstacle(kubelet);
    if (obstacle && is_done_by_hand(planning)) {
        return !layout_is_doubtful(kubelet) ||
               by_hand(planning, join_strings(planning->arena, "unless it was done in this way, it will not last: ",
                                              layout_instruction(kubelet, planning->endpoint, planning->arena), (char *)NULL));
    }
    if (obstacle) {
        return error_set(planning->error, STATUS_FAILED_PRECONDITION, "%s", obstacle);
    }
    if (kubelet->unit.loaded && kubelet->unit.fragment[0]) {
        planning->flags.unit = unit_command_read(&kubelet->unit, planning->arena, planning->error);
        if (!planning->flags.unit) {
            return false;
        }
    }
    return check_drift(planning) && plan_container_runtime(planning) && plan_image_endpoint(planning) &&
           plan_runtime_endpoint(planning) && plan_annotation(planning) && plan_statistics(planning) && plan_owner(planning) &&
           plan_repeated(planning) && collect(planning) && plan_writers(planning);
}

bool plan_make(const struct kubelet *kubelet, const char *endpoint, struct arena *arena, struct plan *plan, struct error *error)
{
    struct error local = {.code = STATUS_OK};
    struct planning planning = {
        .kubelet = kubelet, .endpoint = endpoint, .arena = arena, .plan = plan, .error = error ? error : &local};
    *plan = (struct plan){.file_count = 0};
    planning.flags = (struct flag_editor){.systemd_unit = &kubelet->unit, .arena = arena, .error = planning.error};
    plan_callers(&planning);
    if (make(&planning)) {
        return true;
    }
    struct error reason = *planning.error;
    return reason.code == STATUS_FAILED_PRECONDITION && give_up(&planning, reason.message);
}

const char *plan_listen_endpoint(const struct kubelet *kubelet, struct arena *arena)
{
    bool crio = string_ends_with(kubelet->runtime_endpoint.value, PLAN_CRIO_END);
    return arena_string(arena, bytes_of_string(crio ? PLAN_LISTEN_LIKE_CRIO : "unix:///run/crigate/crigate.sock"));
}
